// SPDX-License-Identifier: Apache-2.0
// Saving the fillable PDF and going on, also past a file that is in the way.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Autosave } from "../src/state/autosave";
import type { Editor } from "../src/state/editor";
import { Finishing } from "../src/state/finishing";
import { edit, editorOf, FakeServer, made } from "./fake-server";

let server: FakeServer;
let editor: Editor;
let autosave: Autosave;
let finishing: Finishing;
const next = vi.fn(async () => undefined);

beforeEach(() => {
  server = new FakeServer().start();
  editor = editorOf([made("a")]);
  autosave = new Autosave(editor);
  finishing = new Finishing(editor, autosave);
  next.mockClear();
});

afterEach(() => {
  autosave.stop();
  vi.unstubAllGlobals();
});

test("two presses are one save", async () => {
  edit(editor);
  await Promise.all([finishing.save(), finishing.save()]);
  expect(server.count("POST fillable")).toBe(1);
  await finishing.save();
  expect(server.count("POST fillable")).toBe(2);
  expect(next).not.toHaveBeenCalled();
});

test.each([{ another: true }, { overwrite: true }])("done goes on after the answer %o", async (wish) => {
  server.taken.add("form.fillable.pdf");
  await finishing.done(next);
  expect(editor.get().dialog).toBe("occupied");
  expect(server.count("POST status")).toBe(0);
  await finishing.answer(wish);
  expect(editor.get().dialog).toBeNull();
  expect(server.asked.at(-1)).toBe('POST status {"status":"done"}');
  expect(next).toHaveBeenCalledOnce();
});

test("a save that was asked about is not taken for done", async () => {
  server.taken.add("form.fillable.pdf");
  await finishing.done(next);
  await finishing.save();
  await finishing.answer({ another: true });
  expect(next).not.toHaveBeenCalled();
});

test("who has saved under another name is not asked again, unless something has changed", async () => {
  server.taken.add("form.fillable.pdf");
  await finishing.save();
  await finishing.answer({ another: true });
  await finishing.done(next);
  expect(next).toHaveBeenCalledOnce();
  expect(server.count("POST fillable")).toBe(2);
  edit(editor);
  await finishing.done(next);
  expect(editor.get().dialog).toBe("occupied");
  expect(next).toHaveBeenCalledOnce();
});

test("what went wrong is said, and nothing follows", async () => {
  edit(editor);
  server.unreachable = true;
  await finishing.done(next);
  expect(editor.get().message).toBe("Not saved: The review program does not answer.");
  server.unreachable = false;
  next.mockRejectedValueOnce(new Error("No list."));
  await finishing.done(next);
  expect(editor.get().message).toBe("Saved, but not finished: No list.");
  expect(finishing.get()).toBe(false);
});

test("a form that was changed elsewhere asks about that, each time", async () => {
  edit(editor);
  server.revision = 7;
  await finishing.save();
  expect(editor.get().dialog).toBe("stale");
  await finishing.done(next);
  expect(editor.get()).toMatchObject({ dialog: "stale", message: "Not saved: The form was changed elsewhere.\u00a0" });
});
