// SPDX-License-Identifier: Apache-2.0
// The logic behind the page, without the page.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keyName } from "../src/input/keys";
import { arrange } from "../src/model/arrange";
import { countAll } from "../src/model/counts";
import * as edits from "../src/model/edits";
import { certainty, inForm, isUncertain, type Doc, type Field, type Thresholds } from "../src/model/field";
import { moved, resized, shiftWithin, type Box } from "../src/model/geometry";
import { begin, record, redo, seal, undo } from "../src/model/history";
import { inTabOrder } from "../src/model/order";
import { NO_GUIDES, snap } from "../src/model/snapping";
import { neighbour, nextUncertain } from "../src/model/walk";
import { changedPages } from "../src/state/autosave";
import { inGroups, sameDrafts, sameGroup } from "../src/view/groups";

const HALF: Thresholds = { text: 0.5, choice: 0.5, signature: 0.5 };
const PAGE = { width: 400, height: 500 };

function made(id: string, score = 0.9, more: Partial<Field> = {}): Field {
  return { id, kind: "text", box: [10, 10, 90, 30], score, verdict: "auto", ...more };
}

function doc(...pages: Field[][]): Doc {
  return { thresholds: HALF, pages };
}

interface OrderCase {
  readonly why: string;
  readonly fields: readonly { id: string; box: Box; order?: number }[];
  readonly order: readonly string[];
}

const shared = join(import.meta.dirname, "..", "..", "tests", "review", "order_cases.json");
const cases = JSON.parse(readFileSync(shared, "utf-8")) as OrderCase[];

describe("tab order, as the server has it", () => {
  test.each(cases)("$why", ({ fields, order }) => {
    expect(inTabOrder(fields).map((field) => field.id)).toEqual(order);
  });
});

describe("what is in the form", () => {
  test("a person's word outranks the score", () => {
    expect(inForm(made("a", 0.5), HALF)).toBe(true);
    expect(inForm(made("a", 0.49), HALF)).toBe(false);
    expect(inForm(made("a", 0.1, { verdict: "kept" }), HALF)).toBe(true);
    expect(inForm(made("a", 1, { verdict: "dropped" }), HALF)).toBe(false);
  });

  test("certainty has steps between the calibrated threshold and one", () => {
    expect([0.51, 0.63, 0.76].map((score) => certainty(made("a", score), HALF))).toEqual(["doubtful", "likely", "sure"]);
    expect(certainty(made("a", 0.1, { verdict: "kept" }), HALF)).toBe("checked");
  });

  test("counts", () => {
    const counts = countAll(doc([made("a"), made("b", 0.55), made("c", 0.2)], [made("d", 0.9, { kind: "choice" })]), HALF);
    expect(counts.kinds.text).toEqual({ form: 2, below: 1 });
    expect(counts.kinds.choice).toEqual({ form: 1, below: 0 });
    expect([counts.total, counts.uncertain, counts.candidates]).toEqual([3, 1, 1]);
  });
});

describe("edits", () => {
  const two = doc([made("a", 0.6), made("b", 0.9, { box: [10, 50, 90, 70] })]);

  test("what is touched is kept, and the document before is untouched", () => {
    const after = edits.setBoxes(two, 0, new Map([["a", [0, 0, 9, 9] as Box]]));
    expect(after.pages[0]![0]).toMatchObject({ box: [0, 0, 9, 9], verdict: "kept" });
    expect(two.pages[0]![0]!.verdict).toBe("auto");
    expect(after.pages[0]![1]).toBe(two.pages[0]![1]);
  });

  test("another kind drops what it cannot have", () => {
    const rich = doc([made("a", 0.9, { multiline: true, comb: 4, tooltip: "x" })]);
    const after = edits.retype(rich, 0, new Set(["a"]), "choice").pages[0]![0]!;
    expect(after).toEqual({ id: "a", kind: "choice", box: [10, 10, 90, 30], score: 0.9, verdict: "kept", tooltip: "x" });
  });

  test("detected fields are remembered as dropped, drawn ones are gone", () => {
    const field = edits.drawn(two, 0, "text", [1, 1, 9, 9]);
    const after = edits.remove(edits.add(two, 0, [field]), 0, new Set(["a", field.id]));
    expect(after.pages[0]!.map((item) => [item.id, item.verdict])).toEqual([["a", "dropped"], ["b", "auto"]]);
  });

  test("a drawn field has an identity nobody has", () => {
    const once = edits.add(two, 0, [edits.drawn(two, 0, "text", [1, 1, 9, 9])]);
    expect(edits.drawn(once, 0, "text", [1, 1, 9, 9]).id).toBe("p1-h2");
  });

  test("reordering writes places and decides nothing else", () => {
    const three = doc([made("a"), made("b", 0.9, { box: [10, 50, 90, 70] }), made("c", 0.9, { box: [10, 90, 90, 110] })]);
    const names = (d: Doc): string[] => edits.formFields(d, 0).map((field) => field.id);
    expect(names(edits.reorder(three, 0, new Set(["c"]), 0))).toEqual(["c", "a", "b"]);
    expect(names(edits.reorder(three, 0, new Set(["a", "b"]), 3))).toEqual(["c", "a", "b"]);
    expect(names(edits.shiftOrder(three, 0, new Set(["a"]), 1))).toEqual(["b", "a", "c"]);
    expect(edits.shiftOrder(three, 0, new Set(["a"]), -1)).toBe(three);
    expect(edits.reorder(three, 0, new Set(["c"]), 0).pages[0]!.every((field) => field.verdict === "auto")).toBe(true);
  });

  test("only changed pages are sent", () => {
    const before = doc([made("a")], [made("b")]);
    const after = edits.accept(before, 1, new Set(["b"]));
    expect(Object.keys(changedPages(before, after))).toEqual(["1"]);
    expect(Object.keys(changedPages(null, after))).toEqual(["0", "1"]);
  });
});

describe("history", () => {
  test("goes back and forth without limit", () => {
    let history = begin(0);
    for (let step = 1; step <= 5000; step++) history = record(history, step, "count");
    for (let step = 0; step < 5000; step++) history = undo(history);
    expect(history.present).toBe(0);
    expect(undo(history)).toBe(history);
    expect(redo(redo(history)).present).toBe(2);
  });

  test("joins steps with the same key until sealed", () => {
    let history = record(record(begin("a"), "ab", "type", "k"), "abc", "type", "k");
    expect(undo(history).present).toBe("a");
    history = record(seal(history), "abcd", "type", "k");
    expect(undo(history).present).toBe("abc");
  });

  test("a new step forgets what was undone", () => {
    const history = record(undo(record(begin(1), 2, "x")), 3, "y");
    expect(redo(history).present).toBe(3);
  });
});

describe("walking", () => {
  const pages = doc([made("a"), made("b", 0.55, { box: [10, 50, 90, 70] })], [made("c", 0.6)]);

  test("to the next uncertain field, over pages and round", () => {
    expect(nextUncertain(pages, HALF, { page: 0, id: null }, 1)).toEqual({ page: 0, id: "b" });
    expect(nextUncertain(pages, HALF, { page: 0, id: "b" }, 1)).toEqual({ page: 1, id: "c" });
    expect(nextUncertain(pages, HALF, { page: 1, id: "c" }, 1)).toEqual({ page: 0, id: "b" });
    expect(nextUncertain(pages, HALF, { page: 0, id: "b" }, -1)).toEqual({ page: 1, id: "c" });
    expect(nextUncertain(doc([made("a")]), HALF, { page: 0, id: null }, 1)).toBeNull();
  });

  test("checked fields are not uncertain", () => {
    expect(isUncertain(made("a", 0.55, { verdict: "kept" }), pages, HALF)).toBe(false);
  });

  test("along the tab order", () => {
    expect(neighbour(pages, 0, null, 1)).toBe("a");
    expect(neighbour(pages, 0, null, -1)).toBe("b");
    expect(neighbour(pages, 0, "b", 1)).toBeNull();
  });
});

describe("geometry", () => {
  test("boxes stay on the page and large enough", () => {
    expect(shiftWithin([10, 10, 90, 30], -50, 600, PAGE)).toEqual({ x: -10, y: 470 });
    expect(resized([10, 10, 90, 30], "nw", 200, 200, PAGE)).toEqual([86, 26, 90, 30]);
    expect(resized([10, 10, 90, 30], "se", 900, 900, PAGE)).toEqual([10, 10, 400, 500]);
    expect(moved([0, 0, 1, 1], 0.1 + 0.2, 0)).toEqual([0.3, 0, 1.3, 1]);
  });

  test("edges snap to the nearest rule in reach, and to neighbours", () => {
    const guides = { ...NO_GUIDES, horizontal: [[100, 0, 200], [103, 0, 200], [99, 390, 400]] as const };
    expect(snap([10, 80, 90, 99], "move", guides, [], 3)).toMatchObject({ dx: 0, dy: 1 });
    expect(snap([10, 80, 90, 99], "n", guides, [], 3)).toMatchObject({ dy: 0 });
    expect(snap([10, 80, 90, 99], "move", NO_GUIDES, [[92, 0, 120, 20]], 3)).toMatchObject({ dx: 2, dy: 0 });
    expect(snap([10, 80, 90, 99], "move", guides, [], 0.5)).toEqual({ dx: 0, dy: 0, lines: [] });
  });

  test("arranging", () => {
    const boxes: Box[] = [[10, 10, 30, 20], [50, 40, 90, 60], [35, 100, 45, 110]];
    expect(arrange(boxes, "left").map((box) => box[0])).toEqual([10, 10, 10]);
    expect(arrange(boxes, "right").map((box) => box[2])).toEqual([90, 90, 90]);
    expect(arrange(boxes, "middle").map((box) => (box[1] + box[3]) / 2)).toEqual([60, 60, 60]);
    expect(arrange(boxes, "down").map((box) => box[1])).toEqual([10, 50, 100]);
    expect(arrange(boxes, "size").map((box) => [box[2] - box[0], box[3] - box[1]])).toEqual([[20, 10], [20, 10], [20, 10]]);
  });
});

test("names of keys", () => {
  const press = (key: string, held: object = {}) => keyName({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });
  expect(press("N", { shiftKey: true })).toBe("Shift+n");
  expect(press("?", { shiftKey: true })).toBe("?");
  expect(press("z", { metaKey: true, shiftKey: true })).toBe("Ctrl+Shift+z");
  expect(press("ArrowUp", { altKey: true })).toBe("Alt+ArrowUp");
});

describe("groups of a full page", () => {
  const fields = Array.from({ length: 40 }, (_, index) => made(`f${index}`));
  const none: ReadonlySet<string> = new Set();

  test("hold every field once, in order", () => {
    const groups = inGroups(fields);
    expect(groups.flatMap((group) => group.fields)).toEqual(fields);
    expect(groups.map((group) => group.fields[0])).toEqual(groups.map((group) => fields[group.start]));
    expect(inGroups([])).toEqual([]);
  });

  test("are drawn again only where a field, its number or its selection changed", () => {
    const changed = (next: Field[], selected = none): boolean[] => {
      const after = inGroups(next);
      return inGroups(fields).map((group, index) => !sameGroup({ group, selected: none }, { group: after[index]!, selected }));
    };
    expect(changed([...fields])).toEqual([false, false, false]);
    expect(changed(fields.with(20, made("f20", 0.8)))).toEqual([false, true, false]);
    expect(changed(fields.toSpliced(20, 1))).toEqual([false, true, true]);
    expect(changed(fields, new Set(["f39"]))).toEqual([false, false, true]);
  });

  test("are drawn again where a gesture moves a field, and where it let go", () => {
    const held = new Map<string, Box>([["f3", [0, 0, 9, 9]]]);
    const moved = inGroups(fields).map((group) => !sameDrafts(group, new Map(), held));
    const released = inGroups(fields).map((group) => !sameDrafts(group, held, new Map()));
    expect([moved, released]).toEqual([[true, false, false], [true, false, false]]);
  });
});

test("the tab order is known again only for the same page and thresholds", () => {
  const form = doc([made("a", 0.9), made("b", 0.6, { box: [10, 40, 90, 60] })]);
  expect(edits.formFields(form, 0)).toBe(edits.formFields({ ...form }, 0));
  expect(edits.formFields(edits.setThreshold(form, "text", 0.7), 0).map((field) => field.id)).toEqual(["a"]);
  expect(edits.formFields(form, 0).map((field) => field.id)).toEqual(["a", "b"]);
  expect(edits.formFields(edits.remove(form, 0, new Set(["a"])), 0).map((field) => field.id)).toEqual(["b"]);
});
