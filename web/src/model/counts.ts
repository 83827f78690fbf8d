// SPDX-License-Identifier: Apache-2.0
// Numbers for the side panel and the thumbnails.
import { certainty, inForm, isCandidate, isUncertain, KINDS, type Certainty, type Doc, type Kind, type Thresholds } from "./field";

export interface KindCount {
  readonly form: number;
  readonly below: number;
}

export interface Counts {
  readonly kinds: Record<Kind, KindCount>;
  readonly certainty: Record<Certainty, number>;
  readonly uncertain: number;
  readonly candidates: number;
  readonly total: number;
}

export function countAll(doc: Doc, calibrated: Thresholds): Counts {
  const form = { text: 0, choice: 0, signature: 0 };
  const below = { text: 0, choice: 0, signature: 0 };
  const sure: Record<Certainty, number> = { sure: 0, likely: 0, doubtful: 0, checked: 0 };
  let uncertain = 0;
  for (const fields of doc.pages) {
    for (const field of fields) {
      if (inForm(field, doc.thresholds)) {
        form[field.kind]++;
        sure[certainty(field, calibrated)]++;
        if (isUncertain(field, doc, calibrated)) uncertain++;
      } else if (isCandidate(field, doc.thresholds)) below[field.kind]++;
    }
  }
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, { form: form[kind], below: below[kind] }])) as Record<Kind, KindCount>;
  const sum = (numbers: Record<Kind, number>): number => numbers.text + numbers.choice + numbers.signature;
  return { kinds, certainty: sure, uncertain, candidates: sum(below), total: sum(form) };
}

export interface PageCount {
  readonly fields: number;
  readonly uncertain: number;
}

export function countPage(doc: Doc, page: number, calibrated: Thresholds): PageCount {
  const fields = (doc.pages[page] ?? []).filter((field) => inForm(field, doc.thresholds));
  return { fields: fields.length, uncertain: fields.filter((field) => isUncertain(field, doc, calibrated)).length };
}
