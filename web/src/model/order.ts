// SPDX-License-Identifier: Apache-2.0
// The tab order of a page, by the same rules as src/acromeld/review/order.py and form/order.py.
import type { Field } from "./field";

type Ordered = Pick<Field, "box" | "order">;

const middle = (field: Ordered): number => (field.box[1] + field.box[3]) / 2;

function compareBoxes(a: Ordered, b: Ordered): number {
  for (let side = 0; side < 4; side++) {
    const difference = a.box[side]! - b.box[side]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Rows from the top, each from the left; a row holds what has its middle above the bottom of its first field. */
export function readingOrder<F extends Ordered>(fields: readonly F[]): F[] {
  const rows: F[][] = [];
  for (const field of [...fields].sort((a, b) => middle(a) - middle(b) || compareBoxes(a, b))) {
    const row = rows.at(-1);
    if (row && middle(field) < row[0]!.box[3]) row.push(field);
    else rows.push([field]);
  }
  return rows.flatMap((row) => row.sort(compareBoxes));
}

/** Fields with a place by it; the others after the field that precedes them in reading order. */
export function inTabOrder<F extends Ordered>(fields: readonly F[]): F[] {
  const reading = readingOrder(fields);
  const placed = reading.filter((field) => field.order !== undefined).sort((a, b) => a.order! - b.order!);
  if (placed.length === 0) return reading;
  if (placed.length === reading.length) return placed;
  let before: F | undefined;
  for (const field of reading) {
    if (field.order === undefined) placed.splice(before ? placed.indexOf(before) + 1 : 0, 0, field);
    before = field;
  }
  return placed;
}
