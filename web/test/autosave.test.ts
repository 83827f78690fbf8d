// SPDX-License-Identifier: Apache-2.0
// Saving: one at a time, and nothing is called saved that is not.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Autosave } from "../src/state/autosave";
import type { Editor } from "../src/state/editor";
import { edit, editorOf, FakeServer, made, settled } from "./fake-server";

let server: FakeServer;
let editor: Editor;
let autosave: Autosave;

beforeEach(() => {
  server = new FakeServer().start();
  editor = editorOf([made("a")]);
  autosave = new Autosave(editor);
});

afterEach(() => {
  autosave.stop();
  vi.unstubAllGlobals();
});

test("those who wait for the same save do not save against each other", async () => {
  server.hold();
  edit(editor);
  const first = autosave.flush();
  await settled();
  edit(editor);
  const others = [autosave.flush(), autosave.flush()];
  server.release();
  expect(await Promise.all([first, ...others])).toEqual([true, true, true]);
  expect(autosave.get()).toEqual({ kind: "saved" });
  expect(server.count("PUT")).toBe(2);
});

test("taking over waits for the save that is under way", async () => {
  server.hold();
  edit(editor);
  const flushed = autosave.flush();
  const taken = autosave.takeOver();
  await settled();
  expect(server.count("PUT")).toBe(1);
  server.release();
  await Promise.all([flushed, taken]);
  expect(autosave.get()).toEqual({ kind: "saved" });
  expect(server.revision).toBe(3);
});

test("a save waits for taking over", async () => {
  edit(editor);
  server.revision = 7;
  expect(await autosave.flush()).toBe(false);
  expect(autosave.problem).toBe("The form was changed elsewhere.");
  server.hold();
  const taken = autosave.takeOver();
  edit(editor);
  const flushed = autosave.flush();
  await settled();
  server.release();
  await taken;
  expect(await flushed).toBe(true);
  expect(autosave.get()).toEqual({ kind: "saved" });
});

test("what is changed while a save is under way is saved by it, too", async () => {
  server.hold();
  edit(editor);
  const flushed = autosave.flush();
  await settled();
  edit(editor);
  server.release();
  expect(await flushed).toBe(true);
});

test("an answer from before the own save is not somebody else's change", async () => {
  server.hold();
  const looked = autosave.lookAround();
  edit(editor);
  const saved = autosave.flush();
  await settled();
  expect(server.asked.map((request) => request.split(" ")[1])).toEqual(["revision", "fields"]);
  server.overtake();
  await saved;
  server.release();
  await looked;
  expect(autosave.get()).toEqual({ kind: "saved" });
});

test("why something is not saved can be said", async () => {
  edit(editor);
  server.unreachable = true;
  expect(await autosave.flush()).toBe(false);
  expect(autosave.problem).toBe("The review program does not answer.");
});

test("several who cannot save give up", async () => {
  edit(editor);
  server.unreachable = true;
  expect(await Promise.all([autosave.flush(), autosave.flush(), autosave.flush()])).toEqual([false, false, false]);
  expect(server.count("PUT")).toBe(3);
});

test("a change that is undone while it is being saved is undone on the disk, too", async () => {
  server.hold();
  edit(editor);
  const first = autosave.flush();
  await settled();
  editor.undo();
  const second = autosave.flush();
  server.release();
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(server.count("PUT")).toBe(2);
  expect(server.asked.at(-1)).toContain('"box":[10,10,90,30]');
});

test("a window that was left does not try again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  edit(editor);
  server.unreachable = true;
  const flushed = autosave.flush();
  autosave.stop();
  await flushed;
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  expect(server.count("PUT")).toBe(1);
});
