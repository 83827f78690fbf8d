// SPDX-License-Identifier: Apache-2.0
// Candidates can be got to while they are shown, and only then.
import { describe, expect, test } from "vitest";
import type { Field } from "../src/model/field";
import { reachable } from "../src/model/reach";
import type { Editor } from "../src/state/editor";
import { editorOf, made } from "./fake-server";

/** A field in a row of its own. */
const row = (id: string, number: number, score: number, more: Partial<Field> = {}): Field =>
  made(id, score, { box: [10, 40 * number, 90, 40 * number + 20], ...more });

const form = (): Editor => editorOf([row("last", 5, 0.9), row("low", 2, 0.2), row("first", 1, 0.9), row("lower", 4, 0.1), row("gone", 3, 0.2, { verdict: "dropped" })], [row("far", 1, 0.3)]);

const visited = (editor: Editor, step: 1 | -1, times: number): (string | undefined)[] =>
  Array.from({ length: times }, () => {
    editor.walk(step);
    return editor.get().selection[0];
  });

describe("shown", () => {
  const shown = (): Editor => {
    const editor = form();
    editor.showCandidates(true);
    return editor;
  };

  test("they are walked through in reading order, there and back", () => {
    const editor = shown();
    expect(visited(editor, 1, 4)).toEqual(["first", "low", "lower", "last"]);
    expect(visited(editor, -1, 3)).toEqual(["lower", "low", "first"]);
    editor.walk(1, true);
    expect(editor.get().selection).toEqual(["first", "low"]);
  });

  test("they are among all", () => {
    const editor = shown();
    editor.selectAll();
    expect(editor.get().selection).toEqual(["first", "low", "lower", "last"]);
  });

  test("they need a look, on all pages", () => {
    const editor = shown();
    const places = Array.from({ length: 4 }, () => {
      editor.walkUncertain();
      return `${editor.page} ${editor.get().selection[0]}`;
    });
    expect(places).toEqual(["0 low", "0 lower", "1 far", "0 low"]);
    editor.walkUncertain(-1);
    expect(editor.get().selection).toEqual(["far"]);
  });

  test("one that is kept or removed leads to the next", () => {
    const editor = shown();
    editor.select(["low"]);
    editor.accept();
    expect(editor.get().selection).toEqual(["lower"]);
    editor.remove();
    expect(editor.get().selection).toEqual(["last"]);
  });

  test("hidden again they are no longer selected", () => {
    const editor = shown();
    editor.selectAll();
    editor.showCandidates(false);
    expect(editor.get().selection).toEqual(["first", "last"]);
  });
});

test("hidden they are passed by", () => {
  const editor = form();
  expect(visited(editor, 1, 3)).toEqual(["first", "last", "last"]);
  editor.selectAll();
  expect(editor.get().selection).toEqual(["first", "last"]);
  editor.walkUncertain();
  expect(editor.get().message).toBe("No uncertain field is left.");
});

test("the tab order of the form is the same with them, even if one had a place in it", () => {
  const fields = [row("a", 1, 0.9, { order: 2 }), row("b", 2, 0.9, { order: 0 }), row("c", 3, 0.2, { order: 1 }), row("d", 4, 0.9)];
  const { doc } = editorOf(fields);
  const names = (shown: boolean): string[] => reachable(doc, 0, shown).map((field) => field.id);
  expect(names(false)).toEqual(["b", "d", "a"]);
  expect(names(true)).toEqual(["b", "c", "d", "a"]);
});
