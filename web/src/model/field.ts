// SPDX-License-Identifier: Apache-2.0
// Fields as the server sends them, and the rule that says which of them are in the form.
import type { Box } from "./geometry";

export const KINDS = ["text", "choice", "signature"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_NAMES: Record<Kind, string> = { text: "Text", choice: "Choice", signature: "Signature" };

/** Who decides whether a field is in the form: its score, or a person. */
export type Verdict = "auto" | "kept" | "dropped";

export interface Field {
  readonly id: string;
  readonly kind: Kind;
  readonly box: Box;
  readonly score: number;
  readonly verdict: Verdict;
  readonly quality?: number;
  readonly origin?: string;
  readonly name?: string;
  readonly tooltip?: string;
  readonly group?: string;
  readonly option?: string;
  readonly order?: number;
  readonly multiline?: boolean;
  readonly comb?: number;
  readonly font_size?: number;
  readonly format?: "date" | "number";
  readonly align?: "left" | "centre" | "right";
  readonly mark?: "tick" | "cross" | "circle";
}

export type Thresholds = Readonly<Record<Kind, number>>;
export type PageFields = readonly Field[];

/** Everything a person can change; never altered in place, so that undo is keeping the old one. */
export interface Doc {
  readonly thresholds: Thresholds;
  readonly pages: readonly PageFields[];
}

export interface PageSize {
  readonly width: number;
  readonly height: number;
}

export function inForm(field: Field, thresholds: Thresholds): boolean {
  if (field.verdict === "auto") return field.score >= thresholds[field.kind];
  return field.verdict === "kept";
}

/** A candidate is neither in the form nor thrown away: lowering the threshold brings it in. */
export function isCandidate(field: Field, thresholds: Thresholds): boolean {
  return field.verdict === "auto" && field.score < thresholds[field.kind];
}

/** How sure we are, for the eye: three steps between the calibrated threshold and certainty. */
export type Certainty = "sure" | "likely" | "doubtful" | "checked";

export const CERTAINTY_NAMES: Record<Certainty, string> = {
  sure: "Sure",
  likely: "Likely",
  doubtful: "Doubtful",
  checked: "Checked",
};

export function certainty(field: Field, calibrated: Thresholds): Certainty {
  if (field.verdict === "kept") return "checked";
  const threshold = calibrated[field.kind];
  if (field.score >= (1 + threshold) / 2) return "sure";
  return field.score >= (1 + 3 * threshold) / 4 ? "likely" : "doubtful";
}

export function isUncertain(field: Field, doc: Doc, calibrated: Thresholds): boolean {
  return field.verdict === "auto" && inForm(field, doc.thresholds) && certainty(field, calibrated) !== "sure";
}

/** What to call a field in lists and for screen readers. */
export function titleOf(field: Field): string {
  const label = field.tooltip || field.name || "";
  if (field.option && field.option !== label) return label ? `${label}: ${field.option}` : field.option;
  return label || "No label yet";
}
