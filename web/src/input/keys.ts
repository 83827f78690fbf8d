// SPDX-License-Identifier: Apache-2.0
// Every shortcut in one table: what the keyboard does and what the help overlay says come from here.
import { settings } from "../state/settings";
import type { Editor } from "../state/editor";

/** What shortcuts need beside the editor. */
export interface Commands {
  readonly editor: Editor;
  save(): void;
  zoom(step: 1 | -1): void;
  editLabel(): void;
}

export interface Shortcut {
  /** Keys as `Ctrl+Shift+z`; Ctrl is the command key on a Mac. The first is shown in the help. */
  readonly keys: readonly string[];
  readonly does: string;
  run(commands: Commands): void;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

const FAR = 10;

const arrows: readonly [key: string, dx: number, dy: number][] = [
  ["ArrowLeft", -1, 0],
  ["ArrowRight", 1, 0],
  ["ArrowUp", 0, -1],
  ["ArrowDown", 0, 1],
];

function arrowShortcuts(prefix: string, does: string, run: (editor: Editor, dx: number, dy: number) => void): Shortcut[] {
  return arrows.map(([key, dx, dy]) => ({ keys: [prefix + key], does, run: ({ editor }) => run(editor, dx, dy) }));
}

export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: "Checking",
    shortcuts: [
      { keys: ["n"], does: "Next uncertain field", run: ({ editor }) => editor.walkUncertain(1) },
      { keys: ["Shift+n"], does: "Previous uncertain field", run: ({ editor }) => editor.walkUncertain(-1) },
      { keys: ["a"], does: "Keep: the field is right; go on", run: ({ editor }) => editor.accept() },
      { keys: ["Delete", "Backspace", "x"], does: "Remove", run: ({ editor }) => editor.remove() },
      {
        keys: ["g"],
        does: "Show candidates below the threshold",
        run: ({ editor }) => editor.showCandidates(!editor.get().candidatesShown),
      },
    ],
  },
  {
    title: "Selecting",
    shortcuts: [
      { keys: ["j", "]"], does: "Next field in the tab order", run: ({ editor }) => editor.walk(1) },
      { keys: ["k", "["], does: "Previous field", run: ({ editor }) => editor.walk(-1) },
      { keys: ["Shift+j"], does: "Add the next field to the selection", run: ({ editor }) => editor.walk(1, true) },
      { keys: ["Shift+k"], does: "Add the previous field", run: ({ editor }) => editor.walk(-1, true) },
      { keys: ["Ctrl+a"], does: "Select all fields of the page", run: ({ editor }) => editor.selectAll() },
      { keys: ["Escape"], does: "Back to the page; select nothing", run: ({ editor }) => cancel(editor) },
    ],
  },
  {
    title: "Changing",
    shortcuts: [
      ...arrowShortcuts("", "Move by 1 point", (editor, dx, dy) => editor.nudge(dx, dy)),
      ...arrowShortcuts("Ctrl+", "Move by 10 points", (editor, dx, dy) => editor.nudge(FAR * dx, FAR * dy)),
      ...arrowShortcuts("Shift+", "Resize by 1 point", (editor, dx, dy) => editor.stretch(dx, dy)),
      ...arrowShortcuts("Ctrl+Shift+", "Resize by 10 points", (editor, dx, dy) => editor.stretch(FAR * dx, FAR * dy)),
      { keys: ["1"], does: "Make it a text field", run: ({ editor }) => editor.retype("text") },
      { keys: ["2"], does: "Make it a choice", run: ({ editor }) => editor.retype("choice") },
      { keys: ["3"], does: "Make it a signature", run: ({ editor }) => editor.retype("signature") },
      { keys: ["e", "F2"], does: "Edit the label", run: ({ editLabel }) => editLabel() },
      { keys: ["Alt+ArrowUp"], does: "Earlier in the tab order", run: ({ editor }) => editor.shiftOrder(-1) },
      { keys: ["Alt+ArrowDown"], does: "Later in the tab order", run: ({ editor }) => editor.shiftOrder(1) },
      { keys: ["Ctrl+d"], does: "Duplicate", run: ({ editor }) => editor.duplicate() },
      { keys: ["Ctrl+z"], does: "Undo", run: ({ editor }) => editor.undo() },
      { keys: ["Ctrl+Shift+z", "Ctrl+y"], does: "Redo", run: ({ editor }) => editor.redo() },
    ],
  },
  {
    title: "New fields",
    shortcuts: [
      { keys: ["t"], does: "Draw a text field", run: ({ editor }) => editor.update({ tool: "text" }) },
      { keys: ["c"], does: "Draw a choice", run: ({ editor }) => editor.update({ tool: "choice" }) },
      { keys: ["s"], does: "Draw a signature", run: ({ editor }) => editor.update({ tool: "signature" }) },
      { keys: ["v"], does: "Arrow tool", run: ({ editor }) => editor.update({ tool: "select" }) },
      { keys: ["Enter"], does: "Add what the chosen tool draws without the mouse", run: ({ editor }) => placeByTool(editor) },
      { keys: ["Shift+t"], does: "Add a text field without the mouse", run: ({ editor }) => editor.place("text") },
      { keys: ["Shift+c"], does: "Add a choice without the mouse", run: ({ editor }) => editor.place("choice") },
      { keys: ["Shift+s"], does: "Add a signature without the mouse", run: ({ editor }) => editor.place("signature") },
    ],
  },
  {
    title: "Pages and view",
    shortcuts: [
      { keys: ["PageDown"], does: "Next page", run: ({ editor }) => editor.goTo(editor.page + 1) },
      { keys: ["PageUp"], does: "Previous page", run: ({ editor }) => editor.goTo(editor.page - 1) },
      { keys: ["Ctrl+Home"], does: "First page", run: ({ editor }) => editor.goTo(0) },
      { keys: ["Ctrl+End"], does: "Last page", run: ({ editor }) => editor.goTo(editor.sizes.length - 1) },
      { keys: ["+", "="], does: "Larger", run: ({ zoom }) => zoom(1) },
      { keys: ["-"], does: "Smaller", run: ({ zoom }) => zoom(-1) },
      { keys: ["0"], does: "Whole page", run: ({ editor }) => editor.update({ zoom: "page" }) },
      { keys: ["w"], does: "Page width", run: ({ editor }) => editor.update({ zoom: "width" }) },
      { keys: ["o"], does: "Show or hide the order numbers", run: () => settings.set({ ...settings.get(), numbers: !settings.get().numbers }) },
    ],
  },
  {
    title: "Finishing",
    shortcuts: [
      { keys: ["p"], does: "Preview: try to fill in the form", run: ({ editor }) => editor.update({ dialog: "preview" }) },
      { keys: ["Ctrl+s"], does: "Save the fillable PDF", run: ({ save }) => save() },
      { keys: ["?", "F1"], does: "This help", run: ({ editor }) => editor.update({ dialog: "help" }) },
    ],
  },
];

/** One step out: of the tool, then of the control that has the focus back to the page, then of the selection. */
function cancel(editor: Editor): void {
  const sheet = document.querySelector<HTMLElement>(".sheet");
  const { activeElement } = document;
  if (editor.get().tool !== "select") editor.update({ tool: "select" });
  else if (activeElement !== sheet && activeElement !== document.body) sheet?.focus();
  else editor.select([]);
}

function placeByTool(editor: Editor): void {
  const { tool } = editor.get();
  if (tool === "select") return;
  editor.place(tool);
  editor.update({ tool: "select" });
}

const TABLE = new Map(SHORTCUTS.flatMap((group) => group.shortcuts).flatMap((shortcut) => shortcut.keys.map((key) => [key, shortcut] as const)));

/** The name of a key press as in the table. Shift is part of it only where it does not make another sign. */
export function keyName(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const letter = /^[a-z]$/i.test(event.key);
  const key = letter ? event.key.toLowerCase() : event.key;
  const sign = event.key.length === 1 && !letter;
  return [
    event.ctrlKey || event.metaKey ? "Ctrl+" : "",
    event.altKey ? "Alt+" : "",
    event.shiftKey && !sign ? "Shift+" : "",
    key,
  ].join("");
}

const TYPING = "input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]";
const STEERING = "input[type=range], select, [data-own-arrows]";
/** A letter, figure or sign. With Shift it is still one, and words spoken to the computer may be taken for it. */
const SINGLE = /^(Shift\+)?.$/;
/** In a text box these keep their meaning for the form, because every change there is saved at once. */
const EVERYWHERE = new Set(["Ctrl+z", "Ctrl+Shift+z", "Ctrl+y", "Ctrl+s", "F1"]);

/** Run the shortcut of a key press, unless the press belongs to the control it was made in. */
export function handleKey(event: KeyboardEvent, commands: Commands): void {
  const name = keyName(event);
  const shortcut = TABLE.get(name);
  const target = event.target instanceof Element ? event.target : document.body;
  // A click beside a dialog takes the focus out of it, so where the key was pressed does not tell.
  if (!shortcut || commands.editor.get().dialog !== null) return;
  if (!EVERYWHERE.has(name)) {
    if (target.closest(TYPING)) return;
    if (/Arrow|Home|End|Page/.test(name) && target.closest(STEERING)) return;
    if (name === "Enter" && !target.matches(".sheet")) return;
    if (SINGLE.test(name) && !settings.get().singleKeys) return;
  }
  event.preventDefault();
  shortcut.run(commands);
}
