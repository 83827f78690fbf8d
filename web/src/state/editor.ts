// SPDX-License-Identifier: Apache-2.0
// One form in the editor: the document with its history, what is selected, what is shown.
import type { FormFields, FormInfo, FormStatus } from "../api";
import { arrange, type Arrangement } from "../model/arrange";
import * as edits from "../model/edits";
import { KIND_NAMES, type Doc, type Field, type Kind, type PageFields, type PageSize, type Thresholds } from "../model/field";
import { around, height, moved, resized, shiftWithin, union, width, type Box } from "../model/geometry";
import { begin, record, redo, seal, undo, type History } from "../model/history";
import { reachable } from "../model/reach";
import { NO_GUIDES, type Guides } from "../model/snapping";
import { neighbour, nextUncertain } from "../model/walk";
import { Store } from "./store";

export type Tool = "select" | Kind;
export type Zoom = "page" | "width" | number;
export type Dialog = "help" | "preview" | "stale" | "occupied" | "unsaved" | null;

export interface EditorState {
  readonly history: History<Doc>;
  readonly page: number;
  /** Selected fields of the page, the one selected first in front. */
  readonly selection: readonly string[];
  readonly tool: Tool;
  readonly zoom: Zoom;
  readonly candidatesShown: boolean;
  readonly dialog: Dialog;
  readonly status: FormStatus;
  /** A sentence for the person, also read aloud. */
  readonly message: string;
  readonly guides: ReadonlyMap<number, Guides>;
}

/** Size of a field placed without drawing it, in points. */
const USUAL: Record<Kind, readonly [number, number]> = { text: [160, 18], choice: [12, 12], signature: [180, 28] };

export class Editor extends Store<EditorState> {
  readonly sizes: readonly PageSize[];
  readonly calibrated: Thresholds;

  constructor(
    readonly key: string,
    readonly info: FormInfo,
    readonly fields: FormFields,
  ) {
    super({
      history: begin<Doc>({ thresholds: fields.thresholds, pages: fields.pages }),
      page: 0,
      selection: [],
      tool: "select",
      zoom: "page",
      candidatesShown: false,
      dialog: null,
      status: info.status ?? "review",
      message: "",
      guides: new Map(),
    });
    this.sizes = info.pages ?? [];
    this.calibrated = fields.calibrated;
  }

  get doc(): Doc {
    return this.get().history.present;
  }

  get page(): number {
    return this.get().page;
  }

  get size(): PageSize {
    return this.sizes[this.page] ?? { width: 612, height: 792 };
  }

  get guides(): Guides {
    return this.get().guides.get(this.page) ?? NO_GUIDES;
  }

  get selected(): Field[] {
    const fields = new Map((this.doc.pages[this.page] ?? []).map((field) => [field.id, field]));
    return this.get().selection.flatMap((id) => fields.get(id) ?? []);
  }

  /** What the keyboard and the frame can select on the page. */
  get reachable(): PageFields {
    return reachable(this.doc, this.page, this.get().candidatesShown);
  }

  private get ids(): Set<string> {
    return new Set(this.get().selection);
  }

  update(change: Partial<EditorState>): void {
    this.set({ ...this.get(), ...change });
  }

  say(message: string): void {
    // A sentence said twice has to change to be read aloud again.
    this.update({ message: message === this.get().message ? `${message}\u00a0` : message });
  }

  // Selecting and going about

  select(ids: readonly string[]): void {
    this.update({ selection: ids, history: seal(this.get().history) });
  }

  toggle(id: string): void {
    const { selection } = this.get();
    this.select(selection.includes(id) ? selection.filter((other) => other !== id) : [...selection, id]);
  }

  selectAll(): void {
    this.select(this.reachable.map((field) => field.id));
  }

  /** Hidden again, candidates are no longer selected: nobody should change what is not to be seen. */
  showCandidates(shown: boolean): void {
    this.update({ candidatesShown: shown });
    const seen = new Set(this.reachable.map((field) => field.id));
    const { selection } = this.get();
    if (!selection.every((id) => seen.has(id))) this.select(selection.filter((id) => seen.has(id)));
  }

  goTo(page: number, selection: readonly string[] = []): void {
    const target = Math.max(0, Math.min(page, this.sizes.length - 1));
    this.update({ page: target, selection, history: seal(this.get().history) });
  }

  walk(step: 1 | -1, extend = false): void {
    const { selection, candidatesShown } = this.get();
    const next = neighbour(this.doc, this.page, selection.at(-1) ?? null, step, candidatesShown);
    if (next === null) return;
    this.select(extend && !selection.includes(next) ? [...selection, next] : [next]);
  }

  walkUncertain(step: 1 | -1 = 1): void {
    const { page, selection, candidatesShown } = this.get();
    const from = { page, id: selection.at(-1) ?? null };
    const place = nextUncertain(this.doc, this.calibrated, from, step, candidatesShown);
    if (place) this.goTo(place.page, [place.id]);
    else this.say("No uncertain field is left.");
  }

  // Changing fields

  edit(doc: Doc, label: string, key: string | null = null): void {
    this.update({ history: record(this.get().history, doc, label, key) });
  }

  undo(): void {
    const step = this.get().history.past.at(-1);
    if (step) this.replay(undo(this.get().history), `Undone: ${step.label}`);
  }

  redo(): void {
    const step = this.get().history.future[0];
    if (step) this.replay(redo(this.get().history), `Redone: ${step.label}`);
  }

  /** Shows the page where something changed, and keeps of the selection what still exists. */
  private replay(history: History<Doc>, message: string): void {
    const before = this.doc.pages;
    const changed = history.present.pages.findIndex((fields, index) => fields !== before[index]);
    const page = changed < 0 || before[this.page] !== history.present.pages[this.page] ? this.page : changed;
    const present = new Set((history.present.pages[page] ?? []).filter((f) => f.verdict !== "dropped").map((f) => f.id));
    const selection = page === this.page ? this.get().selection.filter((id) => present.has(id)) : [];
    this.update({ history, page, selection, message });
  }

  change(patch: edits.FieldPatch, label: string, key: string | null = null): void {
    this.edit(edits.change(this.doc, this.page, this.ids, () => patch), label, key);
  }

  setBoxes(boxes: ReadonlyMap<string, Box>, label: string, key: string | null = null): void {
    this.edit(edits.setBoxes(this.doc, this.page, boxes), label, key);
  }

  nudge(dx: number, dy: number): void {
    const fields = this.selected;
    if (fields.length === 0) return;
    const shift = shiftWithin(union(fields.map((field) => field.box)), dx, dy, this.size);
    const boxes = new Map(fields.map((field) => [field.id, moved(field.box, shift.x, shift.y)]));
    this.setBoxes(boxes, "move", `nudge:${this.get().selection.join()}`);
  }

  stretch(dx: number, dy: number): void {
    const boxes = new Map(this.selected.map((field) => [field.id, resized(field.box, "se", dx, dy, this.size)]));
    if (boxes.size) this.setBoxes(boxes, "resize", `stretch:${this.get().selection.join()}`);
  }

  arrange(how: Arrangement): void {
    const fields = this.selected;
    const boxes = arrange(fields.map((field) => field.box), how);
    this.setBoxes(new Map(fields.map((field, index) => [field.id, boxes[index] ?? field.box])), "arrange");
  }

  retype(kind: Kind): void {
    if (this.ids.size === 0) return;
    this.edit(edits.retype(this.doc, this.page, this.ids, kind), `make ${KIND_NAMES[kind].toLowerCase()}`);
  }

  /** Confirm the selection; with exactly one uncertain field, go on to the next. */
  accept(): void {
    if (this.ids.size === 0) return;
    this.edit(edits.accept(this.doc, this.page, this.ids), "keep");
    if (this.ids.size === 1) this.walkUncertain();
  }

  remove(): void {
    const { selection, candidatesShown } = this.get();
    if (selection.length === 0) return;
    const next = selection.length === 1 ? neighbour(this.doc, this.page, selection[0]!, 1, candidatesShown) : null;
    this.edit(edits.remove(this.doc, this.page, this.ids), selection.length === 1 ? "remove" : `remove ${selection.length}`);
    this.select(next ? [next] : []);
    this.say(selection.length === 1 ? "Field removed." : `${selection.length} fields removed.`);
  }

  draw(kind: Kind, box: Box): void {
    const field = edits.drawn(this.doc, this.page, kind, box);
    this.edit(edits.add(this.doc, this.page, [field]), `new ${KIND_NAMES[kind].toLowerCase()} field`);
    this.select([field.id]);
    this.say(`${KIND_NAMES[kind]} field added.`);
  }

  /** A new field without a mouse: below the selected one, or in the middle of the page. */
  place(kind: Kind): void {
    const model = this.selected.at(-1);
    const [w, h] = model?.kind === kind ? [width(model.box), height(model.box)] : USUAL[kind];
    const at = model
      ? { x: model.box[0] + w / 2, y: model.box[3] + h / 2 + 4 }
      : { x: this.size.width / 2, y: this.size.height / 2 };
    this.draw(kind, around(at, w, h, this.size));
  }

  /** A new field where somebody clicked: in the smallest writing place there, else of the usual size. */
  placeAt(kind: Kind, point: { x: number; y: number }): void {
    const inside = this.guides.places.filter((b) => point.x > b[0] && point.x < b[2] && point.y > b[1] && point.y < b[3]);
    const [best] = [...inside].sort((a, b) => width(a) * height(a) - width(b) * height(b));
    this.draw(kind, best ?? around(point, USUAL[kind][0], USUAL[kind][1], this.size));
  }

  duplicate(): void {
    let doc = this.doc;
    const copies: string[] = [];
    for (const field of this.selected) {
      const fresh = edits.drawn(doc, this.page, field.kind, field.box);
      const shift = shiftWithin(field.box, 0, height(field.box) + 4, this.size);
      const { name: _name, order: _order, ...rest } = field;
      const copy = { ...rest, ...fresh, box: moved(field.box, shift.x, shift.y) };
      doc = edits.add(doc, this.page, [copy]);
      copies.push(copy.id);
    }
    if (copies.length === 0) return;
    this.edit(doc, "duplicate");
    this.select(copies);
  }

  reorder(ids: ReadonlySet<string>, target: number): void {
    this.edit(edits.reorder(this.doc, this.page, ids, target), "reorder");
  }

  shiftOrder(step: -1 | 1): void {
    const doc = edits.shiftOrder(this.doc, this.page, this.ids, step);
    if (doc === this.doc) return;
    this.edit(doc, "reorder");
    const place = edits.formFields(doc, this.page).findIndex((field) => this.ids.has(field.id));
    this.say(`Now number ${place + 1} in the tab order.`);
  }

  setThreshold(kind: Kind, value: number): void {
    this.edit(edits.setThreshold(this.doc, kind, value), "threshold", `threshold:${kind}`);
  }
}
