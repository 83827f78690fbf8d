// SPDX-License-Identifier: Apache-2.0
// Which view is shown: the work list, a form that is being opened, or the editor.
import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { getFields, getForm, getForms, getSession, type FormInfo, type Session } from "../api";
import { Editor } from "../state/editor";
import { EditorView } from "./editor-view";
import { nextOpen, WorkList } from "./work-list";

const ASK_AGAIN_MS = 250;

const hashForm = (): string | null => /^#form=([0-9a-f]+)$/.exec(location.hash)?.[1] ?? null;

export function App(): JSX.Element {
  const [session, setSession] = useState<Session | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [key, setKey] = useState<string | null>(hashForm());
  useEffect(() => {
    getSession().then(setSession, (error: Error) => setProblem(error.message));
    const listener = (): void => setKey(hashForm());
    window.addEventListener("hashchange", listener);
    return () => window.removeEventListener("hashchange", listener);
  }, []);
  const open = useCallback((next: string | null): void => {
    location.hash = next ? `form=${next}` : "";
  }, []);
  if (problem) return <Plain title="AcroMELD review" text={problem} />;
  if (!session) return <Plain title="AcroMELD review" text="Opening…" />;
  const form = session.form ?? key;
  if (form === null) return <WorkList session={session} onOpen={open} />;
  const next = async (): Promise<void> => open(nextOpen(await getForms(), form)?.key ?? null);
  return <FormView key={form} formKey={form} folder={session.folder} onList={() => open(null)} onNext={() => void next()} />;
}

function Plain({ title, text, progress, onList }: { title: string; text: string; progress?: FormInfo | undefined; onList?: (() => void) | undefined }): JSX.Element {
  return (
    <main class="plain">
      <h1>{title}</h1>
      <p role="status">{text}</p>
      {progress && progress.total > 0 && <progress value={progress.done} max={progress.total} aria-label="Pages searched" />}
      {onList && (
        <button type="button" onClick={onList}>
          Back to the work list
        </button>
      )}
    </main>
  );
}

interface FormViewProps {
  readonly formKey: string;
  readonly folder: boolean;
  onList(): void;
  onNext(): void;
}

/** Opens a form, shows how far that is, and hands it to the editor. */
function FormView({ formKey, folder, onList, onNext }: FormViewProps): JSX.Element {
  const [info, setInfo] = useState<FormInfo | null>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let gone = false;
    const ask = async (): Promise<void> => {
      const about = await getForm(formKey);
      if (gone) return;
      setInfo(about);
      if (about.stage === "ready") {
        const fields = await getFields(formKey);
        if (!gone) setEditor(new Editor(formKey, about, fields));
      } else if (about.stage === "failed") setProblem(about.message);
      else timer = setTimeout(run, ASK_AGAIN_MS);
    };
    const run = (): void => void ask().catch((error: Error) => !gone && setProblem(error.message));
    run();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [formKey, round]);
  useEffect(() => {
    document.title = info ? `${info.name} – AcroMELD review` : "AcroMELD review";
  }, [info?.name]);
  const back = folder ? onList : undefined;
  if (problem) return <Plain title={info?.name ?? "AcroMELD review"} text={problem} onList={back} />;
  if (!editor) {
    const searching = info?.stage === "detecting";
    const text = searching ? `Looking for fields: page ${Math.min(info.done + 1, info.total)} of ${info.total}` : "Opening…";
    return <Plain title={info?.name ?? "AcroMELD review"} text={text} progress={searching ? info : undefined} onList={back} />;
  }
  const reload = (): void => {
    setEditor(null);
    setRound(round + 1);
  };
  return <EditorView key={round} editor={editor} folder={folder} onReload={reload} onList={onList} onNext={onNext} />;
}
