// SPDX-License-Identifier: Apache-2.0
// Every change a person can make, as a function from one document to the next.
import { inForm, type Doc, type Field, type Kind, type PageFields, type Thresholds } from "./field";
import type { Box } from "./geometry";
import { inTabOrder } from "./order";

export type FieldPatch = { readonly [K in keyof Omit<Field, "id">]?: Field[K] | undefined };

function withPage(doc: Doc, page: number, fields: PageFields): Doc {
  return { ...doc, pages: doc.pages.map((old, index) => (index === page ? fields : old)) };
}

/** A field with some values replaced; an undefined value is one that is no longer set. */
export function patched(field: Field, patch: FieldPatch): Field {
  const next = { ...field, ...patch } as Record<string, unknown>;
  for (const [key, value] of Object.entries(next)) if (value === undefined) delete next[key];
  return next as unknown as Field;
}

/** Change fields of a page; whatever a person has touched stays in the form, whatever its score. */
export function change(doc: Doc, page: number, ids: ReadonlySet<string>, patch: (field: Field) => FieldPatch): Doc {
  const fields = doc.pages[page] ?? [];
  if (!fields.some((field) => ids.has(field.id))) return doc;
  return withPage(
    doc,
    page,
    fields.map((field) => (ids.has(field.id) ? patched(field, { verdict: "kept", ...patch(field) }) : field)),
  );
}

export function setBoxes(doc: Doc, page: number, boxes: ReadonlyMap<string, Box>): Doc {
  return change(doc, page, new Set(boxes.keys()), (field) => ({ box: boxes.get(field.id) ?? field.box }));
}

/** Of another kind, a field loses what only its old kind can have. */
export function retype(doc: Doc, page: number, ids: ReadonlySet<string>, kind: Kind): Doc {
  const text = { multiline: undefined, comb: undefined, format: undefined, align: undefined, font_size: undefined };
  const choice = { group: undefined, option: undefined, mark: undefined };
  return change(doc, page, ids, () => ({
    kind,
    ...(kind === "text" ? {} : text),
    ...(kind === "choice" ? {} : choice),
  }));
}

export function accept(doc: Doc, page: number, ids: ReadonlySet<string>): Doc {
  return change(doc, page, ids, () => ({}));
}

/** Take fields out. Detected ones are remembered as thrown away, so that no threshold brings them back. */
export function remove(doc: Doc, page: number, ids: ReadonlySet<string>): Doc {
  const fields = (doc.pages[page] ?? []).filter((field) => !ids.has(field.id) || field.origin !== "person");
  return withPage(
    doc,
    page,
    fields.map((field) => (ids.has(field.id) ? patched(field, { verdict: "dropped", order: undefined }) : field)),
  );
}

export function add(doc: Doc, page: number, fields: readonly Field[]): Doc {
  return withPage(doc, page, [...(doc.pages[page] ?? []), ...fields]);
}

/** A field made by hand; its identity is new in the whole document. */
export function drawn(doc: Doc, page: number, kind: Kind, box: Box): Field {
  const taken = new Set(doc.pages.flat().map((field) => field.id));
  let number = 1;
  while (taken.has(`p${page + 1}-h${number}`)) number++;
  return { id: `p${page + 1}-h${number}`, kind, box, score: 1, verdict: "kept", origin: "person" };
}

interface TabOrder {
  readonly thresholds: Thresholds;
  readonly fields: PageFields;
}

/** Several views and commands ask for the same order after each change; pages are never altered in place. */
const tabOrders = new WeakMap<PageFields, TabOrder>();

/** The fields of a page that are in the form, in tab order. */
export function formFields(doc: Doc, page: number): PageFields {
  const all = doc.pages[page] ?? [];
  const known = tabOrders.get(all);
  if (known?.thresholds === doc.thresholds) return known.fields;
  const fields = inTabOrder(all.filter((field) => inForm(field, doc.thresholds)));
  tabOrders.set(all, { thresholds: doc.thresholds, fields });
  return fields;
}

/** Move fields before the one at `target` in the tab order (`target` may be the length: to the end). */
export function reorder(doc: Doc, page: number, ids: ReadonlySet<string>, target: number): Doc {
  const order = formFields(doc, page);
  const moving = order.filter((field) => ids.has(field.id));
  const staying = order.filter((field) => !ids.has(field.id));
  const before = order.slice(0, target).filter((field) => !ids.has(field.id)).length;
  const next = [...staying.slice(0, before), ...moving, ...staying.slice(before)];
  if (next.every((field, index) => field === order[index])) return doc;
  const place = new Map(next.map((field, index) => [field.id, index]));
  const fields = (doc.pages[page] ?? []).map((field) => {
    const index = place.get(field.id);
    return index === undefined || index === field.order ? field : patched(field, { order: index });
  });
  return withPage(doc, page, fields);
}

/** One place earlier (-1) or later (+1). */
export function shiftOrder(doc: Doc, page: number, ids: ReadonlySet<string>, step: -1 | 1): Doc {
  const places = formFields(doc, page).flatMap((field, index) => (ids.has(field.id) ? [index] : []));
  if (places.length === 0) return doc;
  const target = step < 0 ? Math.min(...places) - 1 : Math.max(...places) + 2;
  return target < 0 ? doc : reorder(doc, page, ids, target);
}

export function setThreshold(doc: Doc, kind: Kind, value: number): Doc {
  return doc.thresholds[kind] === value ? doc : { ...doc, thresholds: { ...doc.thresholds, [kind]: value } };
}
