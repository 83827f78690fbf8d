// SPDX-License-Identifier: Apache-2.0
// One form: pages at the left, the page in the middle, its fields at the right.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, saveFillable, setStatus } from "../api";
import { handleKey, type Commands } from "../input/keys";
import { formFields } from "../model/edits";
import { Autosave } from "../state/autosave";
import type { Editor } from "../state/editor";
import { useStore } from "../state/store";
import { Confidence } from "./confidence";
import { Help } from "./help";
import { OrderList } from "./order-list";
import { Preview } from "./preview";
import { LABEL_INPUT, Properties } from "./properties";
import { OccupiedQuestion, StaleQuestion } from "./questions";
import { NATURAL, Stage } from "./stage";
import { Thumbnails } from "./thumbnails";
import { Toolbar } from "./toolbar";

const ZOOM_STEP = 1.25;
const ZOOM_RANGE = [0.25, 6] as const;

interface EditorViewProps {
  readonly editor: Editor;
  readonly folder: boolean;
  onReload(): void;
  onList(): void;
  onNext(): void;
}

export function EditorView({ editor, folder, onReload, onList, onNext }: EditorViewProps): JSX.Element {
  const autosave = useMemo(() => new Autosave(editor), [editor]);
  const dialog = useStore(editor, (state) => state.dialog);
  const [scale, setScale] = useState(NATURAL);
  const [busy, setBusy] = useState(false);
  const [panel, setPanel] = useState<"left" | "right" | null>(null);
  useEffect(() => () => autosave.stop(), [autosave]);

  const write = async (wish: { overwrite?: boolean; another?: boolean }): Promise<boolean> => {
    setBusy(true);
    editor.update({ dialog: null });
    try {
      if (!(await autosave.flush())) throw new Error("The latest changes are not saved yet.");
      const saved = await saveFillable(editor.key, wish);
      const notes = saved.notes.length ? ` ${saved.notes.join(" ")}` : "";
      editor.say(`Saved ${saved.file} with ${saved.written} ${saved.written === 1 ? "field" : "fields"}.${notes}`);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === "occupied") editor.update({ dialog: "occupied" });
      else editor.say(`Not saved: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const done = async (): Promise<void> => {
    if (!(await write({}))) return;
    await setStatus(editor.key, "done");
    onNext();
  };
  const leave = async (): Promise<void> => {
    if (await autosave.flush()) onList();
  };
  const zoom = (step: 1 | -1): void => {
    const wanted = (scale / NATURAL) * (step > 0 ? ZOOM_STEP : 1 / ZOOM_STEP);
    editor.update({ zoom: Math.max(ZOOM_RANGE[0], Math.min(wanted, ZOOM_RANGE[1])) });
  };
  const editLabel = (): void => {
    const input = document.getElementById(LABEL_INPUT);
    if (input instanceof HTMLInputElement) {
      input.focus();
      input.select();
    }
  };
  useKeys({ editor, save: () => void write({}), zoom, editLabel });
  const close = (): void => editor.update({ dialog: null });
  const takeOver = (): void => {
    close();
    void autosave.takeOver();
  };
  return (
    <div class={`editor ${panel ? `show-${panel}` : ""}`}>
      <Toolbar
        editor={editor}
        autosave={autosave}
        scale={scale}
        folder={folder}
        busy={busy}
        onZoom={zoom}
        onSave={() => void write({})}
        onDone={() => void done()}
        onList={() => void leave()}
        onRescue={() => rescue(editor)}
        onPanel={(side) => setPanel(panel === side ? null : side)}
      />
      <aside class="overview" aria-label="Overview">
        <Confidence editor={editor} />
        <Thumbnails editor={editor} />
      </aside>
      <Stage editor={editor} onScale={setScale} onZoom={zoom} />
      <aside class="panel" aria-label="Fields">
        <Properties editor={editor} />
        <OrderList editor={editor} />
      </aside>
      <Message editor={editor} />
      {dialog === "help" && <Help onClose={close} />}
      {dialog === "preview" && <Preview formKey={editor.key} flush={() => autosave.flush()} onClose={close} />}
      {dialog === "stale" && <StaleQuestion onReload={onReload} onTakeOver={takeOver} />}
      {dialog === "occupied" && (
        <OccupiedQuestion file={editor.info.fillableFile} onReplace={() => void write({ overwrite: true })} onAnother={() => void write({ another: true })} onClose={close} />
      )}
    </div>
  );
}

function Message({ editor }: { editor: Editor }): JSX.Element {
  const message = useStore(editor, (state) => state.message);
  return (
    <p class={`message ${message ? "shown" : ""}`} role="status" key={message}>
      {message}
    </p>
  );
}

function useKeys(commands: Commands): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => handleKey(event, commands);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  });
}

/** The fields as a file of the browser, for when the program that should save them is gone. */
function rescue(editor: Editor): void {
  const pages = editor.sizes.map((size, index) => ({
    page: { index, ...size },
    fields: formFields(editor.doc, index).map(({ verdict: _verdict, ...field }, order) => ({ ...field, order })),
  }));
  const text = JSON.stringify({ ...editor.fields.document, pages }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = editor.info.fieldsFile;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
