// SPDX-License-Identifier: Apache-2.0
// A page may have many hundred fields, and most inputs change one or two of them. Boxes and rows are therefore drawn
// in groups in tab order, and a group in which nothing changed is left alone.
import type { Field } from "../model/field";
import type { Box } from "../model/geometry";

/** Few enough groups to compare and to watch, few enough fields to draw again; as rows about as high as their list. */
const GROUP = 16;

/** Some neighbours in the tab order. */
export interface Group {
  /** Place of the first of them, from 0. */
  readonly start: number;
  readonly fields: readonly Field[];
}

export function inGroups(fields: readonly Field[]): Group[] {
  const count = Math.ceil(fields.length / GROUP);
  return Array.from({ length: count }, (_, index) => ({ start: index * GROUP, fields: fields.slice(index * GROUP, (index + 1) * GROUP) }));
}

/** What the groups of boxes and of rows are drawn from. */
export interface GroupProps {
  readonly group: Group;
  readonly selected: ReadonlySet<string>;
}

/** Whether all fields of a group are the same as before and as selected as before. */
export function sameGroup(a: GroupProps, b: GroupProps): boolean {
  const [before, after] = [a.group.fields, b.group.fields];
  if (a.group.start !== b.group.start || before.length !== after.length) return false;
  return before.every((field, index) => field === after[index] && a.selected.has(field.id) === b.selected.has(field.id));
}

/** Whether a gesture holds the fields of a group where it held them before. */
export function sameDrafts(group: Group, a: ReadonlyMap<string, Box>, b: ReadonlyMap<string, Box>): boolean {
  return a === b || group.fields.every((field) => a.get(field.id) === b.get(field.id));
}
