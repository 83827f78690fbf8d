// SPDX-License-Identifier: Apache-2.0
// The bar on top: where we are, tools, zoom, and the two ways to finish.
import type { ComponentChildren, JSX } from "preact";
import { KIND_NAMES, KINDS } from "../model/field";
import type { Autosave } from "../state/autosave";
import type { Editor, Tool } from "../state/editor";
import { setSetting, settings, type Settings } from "../state/settings";
import { useStore } from "../state/store";
import { IconButton } from "./controls";
import { Icon } from "./icons";
import { NATURAL } from "./stage";

interface ToolbarProps {
  readonly editor: Editor;
  readonly autosave: Autosave;
  readonly scale: number;
  readonly folder: boolean;
  readonly busy: boolean;
  onZoom(step: 1 | -1): void;
  onSave(): void;
  onDone(): void;
  onList(): void;
  onRescue(): void;
  onPanel(side: "left" | "right"): void;
}

export function Toolbar(props: ToolbarProps): JSX.Element {
  const { editor, folder } = props;
  const status = useStore(editor, (state) => state.status);
  return (
    <header class="toolbar">
      <div class="where">
        {folder && (
          <button type="button" class="quiet" onClick={props.onList}>
            <Icon name="back" /> Work list
          </button>
        )}
        <h1 title={editor.info.name}>{editor.info.name}</h1>
        <SaveState autosave={props.autosave} onRescue={props.onRescue} />
      </div>
      <Tools editor={editor} />
      <ZoomTools editor={editor} scale={props.scale} onZoom={props.onZoom} />
      <div class="finish">
        <ThemeButton />
        <IconButton icon="help" label="Help and shortcuts" keys="?" onClick={() => editor.update({ dialog: "help" })} />
        <span class="narrow-only">
          <IconButton icon="pages" label="Overview" onClick={() => props.onPanel("left")} />
          <IconButton icon="panel" label="Fields" class="right" onClick={() => props.onPanel("right")} />
        </span>
        <button type="button" onClick={() => editor.update({ dialog: "preview" })}>
          <Icon name="eye" /> Preview
        </button>
        <button type="button" class={folder ? "" : "primary"} onClick={props.onSave} disabled={props.busy}>
          <Icon name="save" /> {props.busy ? "Saving…" : "Save fillable PDF"}
        </button>
        {folder && (
          <button type="button" class="primary" onClick={props.onDone} disabled={props.busy} title="Save the fillable PDF, mark the file as done and open the next one">
            <Icon name="check" /> {status === "done" ? "Next file" : "Done, next"}
          </button>
        )}
      </div>
    </header>
  );
}

function SaveState({ autosave, onRescue }: { autosave: Autosave; onRescue(): void }): JSX.Element {
  const state = useStore(autosave, (value) => value);
  const words = { saved: "All changes saved", saving: "Saving…", waiting: "Saving…", stale: "Not saved: changed elsewhere" };
  return (
    <span class={`save-state ${state.kind}`} role="status">
      <span class="dot" aria-hidden="true" />
      {state.kind === "lost" ? (
        <>
          Not saved: {state.message}{" "}
          <button type="button" class="link" onClick={onRescue}>
            Download my fields
          </button>
        </>
      ) : (
        words[state.kind]
      )}
    </span>
  );
}

function Group({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="group" role="group" aria-label={label}>
      {children}
    </div>
  );
}

function Tools({ editor }: { editor: Editor }): JSX.Element {
  const tool = useStore(editor, (state) => state.tool);
  const past = useStore(editor, (state) => state.history.past);
  const future = useStore(editor, (state) => state.history.future);
  const choose = (next: Tool): void => editor.update({ tool: next });
  return (
    <>
      <Group label="Tools">
        <IconButton icon="select" label="Select and move" keys="V" pressed={tool === "select"} onClick={() => choose("select")} />
        {KINDS.map((kind) => (
          <IconButton key={kind} icon={kind} label={`Draw: ${KIND_NAMES[kind]}`} keys={kind[0]!.toUpperCase()} pressed={tool === kind} onClick={() => choose(kind)} />
        ))}
      </Group>
      <Group label="History">
        <IconButton icon="undo" label={past.length ? `Undo: ${past.at(-1)!.label}` : "Undo"} keys="Ctrl+Z" disabled={past.length === 0} onClick={() => editor.undo()} />
        <IconButton icon="redo" label={future.length ? `Redo: ${future[0]!.label}` : "Redo"} keys="Ctrl+Shift+Z" disabled={future.length === 0} onClick={() => editor.redo()} />
      </Group>
    </>
  );
}

function ZoomTools({ editor, scale, onZoom }: { editor: Editor; scale: number; onZoom(step: 1 | -1): void }): JSX.Element {
  const zoom = useStore(editor, (state) => state.zoom);
  return (
    <Group label="Zoom">
      <IconButton icon="minus" label="Smaller" keys="-" onClick={() => onZoom(-1)} />
      <span class="zoom-value">{Math.round((scale / NATURAL) * 100)} %</span>
      <IconButton icon="plus" label="Larger" keys="+" onClick={() => onZoom(1)} />
      <IconButton icon="fitPage" label="Whole page" keys="0" pressed={zoom === "page"} onClick={() => editor.update({ zoom: "page" })} />
      <IconButton icon="fitWidth" label="Page width" keys="W" pressed={zoom === "width"} onClick={() => editor.update({ zoom: "width" })} />
    </Group>
  );
}

const NEXT_THEME: Record<Settings["theme"], Settings["theme"]> = { auto: "light", light: "dark", dark: "auto" };

export function ThemeButton(): JSX.Element {
  const theme = useStore(settings, (state) => state.theme);
  const label = `Colours: ${theme === "auto" ? "as the system" : theme}`;
  return <IconButton icon="theme" label={label} onClick={() => setSetting({ theme: NEXT_THEME[theme] })} />;
}
