// SPDX-License-Identifier: Apache-2.0
// Which key presses are shortcuts.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { handleKey } from "../src/input/keys";
import type { Editor } from "../src/state/editor";
import { setSetting } from "../src/state/settings";
import { editorOf, made } from "./fake-server";

/** An element of the page that fits one selector. */
class FakeElement {
  constructor(readonly selector = "body") {}

  matches(selector: string): boolean {
    return selector === this.selector;
  }

  closest(selector: string): this | null {
    return this.matches(selector) ? this : null;
  }
}

let editor: Editor;

beforeEach(() => {
  vi.stubGlobal("Element", FakeElement);
  editor = editorOf([made("a", 0.9), made("b", 0.6, { box: [10, 50, 90, 70] })]);
});

afterEach(() => {
  setSetting({ singleKeys: true });
  vi.unstubAllGlobals();
});

/** Whether the key press was taken. */
function press(key: string, held: object = {}, target = new FakeElement()): boolean {
  const preventDefault = vi.fn();
  const event = { key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held, target, preventDefault };
  handleKey(event as unknown as KeyboardEvent, { editor, save: vi.fn(), zoom: vi.fn(), editLabel: vi.fn() });
  return preventDefault.mock.calls.length > 0;
}

test("single keys can be turned off, with Shift as well (WCAG 2.1.4)", () => {
  const shift = { shiftKey: true };
  const singles = (): boolean[] => [press("n"), press("N", shift), press("T", shift), press("1"), press("?", shift)];
  expect(singles()).toEqual([true, true, true, true, true]);
  editor.update({ dialog: null });
  setSetting({ singleKeys: false });
  expect(singles()).toEqual([false, false, false, false, false]);
  const others = [press("a", { ctrlKey: true }), press("ArrowUp", shift), press("Delete"), press("z", { ctrlKey: true, shiftKey: true })];
  expect(others).toEqual([true, true, true, true]);
});

test("the form under a dialog is out of reach", () => {
  editor.update({ dialog: "stale" });
  expect([press("n"), press("s", { ctrlKey: true }), press("?")]).toEqual([false, false, false]);
  expect(editor.get().dialog).toBe("stale");
});

test("Enter on the page adds what the tool draws, and elsewhere belongs to the control", () => {
  editor.update({ tool: "choice" });
  expect(press("Enter", {}, new FakeElement("button"))).toBe(false);
  expect(press("Enter", {}, new FakeElement(".sheet"))).toBe(true);
  expect(editor.selected).toMatchObject([{ kind: "choice", origin: "person" }]);
  expect(editor.get().tool).toBe("select");
});
