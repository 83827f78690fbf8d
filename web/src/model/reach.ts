// SPDX-License-Identifier: Apache-2.0
// Which fields of a page a person can get to: those in the form and, while they are shown, the candidates.
import { formFields } from "./edits";
import { isCandidate, type Doc, type PageFields } from "./field";
import { inTabOrder } from "./order";

export function candidatesOf(doc: Doc, page: number): PageFields {
  return (doc.pages[page] ?? []).filter((field) => isCandidate(field, doc.thresholds));
}

/** In tab order; candidates have no place in it and come after the field that precedes them in reading order. */
export function reachable(doc: Doc, page: number, candidatesShown: boolean): PageFields {
  const form = formFields(doc, page);
  const candidates = candidatesShown ? candidatesOf(doc, page) : [];
  if (candidates.length === 0) return form;
  // A candidate may have kept a place from before the threshold was raised; here it would move the others.
  const placed = form.map((field, order) => ({ field, box: field.box, order }));
  const loose = candidates.map((field) => ({ field, box: field.box }));
  return inTabOrder([...placed, ...loose]).map(({ field }) => field);
}
