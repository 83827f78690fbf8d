// SPDX-License-Identifier: Apache-2.0
// Which view is shown: the work list, a form that is being opened, or the editor.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { getFields, getForm, getForms, getSession, type FormInfo, type Session } from "../api";
import { Editor } from "../state/editor";
import { Route } from "../state/route";
import { useStore } from "../state/store";
import { EditorView } from "./editor-view";
import { nextOpen, WorkList } from "./work-list";

const ASK_AGAIN_MS = 250;

export function App(): JSX.Element {
  const [session, setSession] = useState<Session | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const route = useMemo(() => new Route(), []);
  const place = useStore(route, (value) => value);
  useEffect(() => {
    getSession().then(setSession, (error: Error) => setProblem(error.message));
    return route.listen();
  }, []);
  if (problem) return <Plain title="AcroMELD review" text={problem} />;
  if (!session) return <Plain title="AcroMELD review" text="Opening…" />;
  const form = session.form ?? place;
  if (form === null) return <WorkList session={session} onOpen={(key) => void route.open(key)} />;
  const next = async (): Promise<void> => route.open(nextOpen(await getForms(), form)?.key ?? null);
  return <FormView key={form} formKey={form} folder={session.folder} route={route} onNext={next} />;
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
  readonly route: Route;
  onNext(): Promise<void>;
}

/** Opens a form, shows how far that is, and hands it to the editor. */
function FormView({ formKey, folder, route, onNext }: FormViewProps): JSX.Element {
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
  const back = folder ? () => void route.open(null) : undefined;
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
  return <EditorView key={round} editor={editor} folder={folder} route={route} onReload={reload} onNext={onNext} />;
}
