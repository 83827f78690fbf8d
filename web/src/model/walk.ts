// SPDX-License-Identifier: Apache-2.0
// Going from field to field: along the tab order, or to the next one that needs a look. Candidates count while shown.
import { isCandidate, isUncertain, type Doc, type Field, type Thresholds } from "./field";
import { reachable } from "./reach";

export interface Place {
  readonly page: number;
  readonly id: string;
}

interface Start {
  readonly page: number;
  readonly id: string | null;
}

/** The next uncertain field after (or before) a place, through all pages and round to the start. */
export function nextUncertain(doc: Doc, calibrated: Thresholds, from: Start, step: 1 | -1, candidatesShown = false): Place | null {
  const count = doc.pages.length;
  const needsLook = (field: Field): boolean => isUncertain(field, doc, calibrated) || isCandidate(field, doc.thresholds);
  for (let distance = 0; distance <= count; distance++) {
    const page = (((from.page + step * distance) % count) + count) % count;
    const order = reachable(doc, page, candidatesShown);
    const here = from.id === null ? -1 : order.findIndex((field) => field.id === from.id);
    let fields = order;
    if (distance === 0) {
      if (step > 0) fields = order.slice(here + 1);
      else fields = here < 0 ? order : order.slice(0, here);
    }
    const found = step > 0 ? fields.find(needsLook) : fields.findLast(needsLook);
    if (found) return { page, id: found.id };
  }
  return null;
}

/** The neighbour of a field in the tab order of its page. */
export function neighbour(doc: Doc, page: number, id: string | null, step: 1 | -1, candidatesShown = false): string | null {
  const order = reachable(doc, page, candidatesShown);
  const here = id === null ? -1 : order.findIndex((field) => field.id === id);
  const next = here < 0 ? (step > 0 ? 0 : order.length - 1) : here + step;
  return order[next]?.id ?? null;
}
