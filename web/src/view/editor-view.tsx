// SPDX-License-Identifier: Apache-2.0
// One form: pages at the left, the page in the middle, its fields at the right.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { handleKey, type Commands } from "../input/keys";
import { formFields } from "../model/edits";
import { Autosave } from "../state/autosave";
import type { Editor } from "../state/editor";
import { Finishing } from "../state/finishing";
import type { Place, Route } from "../state/route";
import { useStore } from "../state/store";
import { Confidence } from "./confidence";
import { Help } from "./help";
import { OrderList } from "./order-list";
import { Preview } from "./preview";
import { LABEL_INPUT, Properties } from "./properties";
import { OccupiedQuestion, StaleQuestion, UnsavedQuestion } from "./questions";
import { NATURAL, Stage } from "./stage";
import { Thumbnails } from "./thumbnails";
import { Toolbar } from "./toolbar";

const ZOOM_STEP = 1.25;
const ZOOM_RANGE = [0.25, 6] as const;

interface EditorViewProps {
  readonly editor: Editor;
  readonly folder: boolean;
  readonly route: Route;
  onReload(): void;
  onNext(): Promise<void>;
}

export function EditorView({ editor, folder, route, onReload, onNext }: EditorViewProps): JSX.Element {
  const autosave = useMemo(() => new Autosave(editor), [editor]);
  const finishing = useMemo(() => new Finishing(editor, autosave), [editor, autosave]);
  const dialog = useStore(editor, (state) => state.dialog);
  const busy = useStore(finishing, (value) => value);
  const [scale, setScale] = useState(NATURAL);
  const [panel, setPanel] = useState<"left" | "right" | null>(null);
  const unsaved = useLeaving(editor, autosave, folder ? route : null);
  useEffect(() => () => autosave.stop(), [autosave]);

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
  useKeys({ editor, save: () => void finishing.save(), zoom, editLabel });
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
        onSave={() => void finishing.save()}
        onDone={() => void finishing.done(onNext)}
        onList={() => void route.open(null)}
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
        <OccupiedQuestion
          file={editor.info.fillableFile}
          onReplace={() => void finishing.answer({ overwrite: true })}
          onAnother={() => void finishing.answer({ another: true })}
          onClose={close}
        />
      )}
      {dialog === "unsaved" && unsaved && (
        <UnsavedQuestion autosave={autosave} reason={unsaved.reason} onRescue={() => rescue(editor)} onLeave={() => route.goTo(unsaved.to)} onClose={close} />
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

interface Unsaved {
  readonly to: Place;
  readonly reason: string;
}

/** A form is left when everything is saved. Else it stays and a dialog says why; gives what that is about. */
function useLeaving(editor: Editor, autosave: Autosave, route: Route | null): Unsaved | null {
  const [unsaved, setUnsaved] = useState<Unsaved | null>(null);
  useEffect(
    () =>
      route?.guard(async (to) => {
        if (await autosave.flush()) return true;
        setUnsaved({ to, reason: autosave.problem });
        // A form that was changed elsewhere has a question of its own.
        if (autosave.get().kind !== "stale") editor.update({ dialog: "unsaved" });
        return false;
      }),
    [editor, autosave, route],
  );
  return unsaved;
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
