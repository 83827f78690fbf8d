// SPDX-License-Identifier: Apache-2.0
// The rows of the tab order.
import type { JSX } from "preact";
import { memo } from "preact/compat";
import { useMemo } from "preact/hooks";
import { certainty, CERTAINTY_NAMES, KIND_NAMES, titleOf, type Certainty, type Field, type Thresholds } from "../model/field";
import { sameGroup, type GroupProps } from "./groups";
import { Icon, KindIcon } from "./icons";

interface RowGroupProps extends GroupProps {
  readonly calibrated: Thresholds;
  /** The row of the group before which a dragged row would land; the length of the group is after its last. */
  readonly mark: number | null;
}

/** The same for a place in the whole list of `count` rows. */
export function markIn(start: number, length: number, target: number | null, count: number): number | null {
  if (target === null || target < start) return null;
  return target < start + length || (target === count && start + length === count) ? target - start : null;
}

const sameRows = (a: RowGroupProps, b: RowGroupProps): boolean => a.mark === b.mark && a.calibrated === b.calibrated && sameGroup(a, b);

/** Rows that the browser lays out together or, out of sight, not at all: it watches groups instead of every row. */
export const RowGroup = memo(function RowGroup({ group, selected, calibrated, mark }: RowGroupProps): JSX.Element {
  const { start, fields } = group;
  const markOf = (index: number): string => (mark === index ? "before" : mark === index + 1 && mark === fields.length ? "after" : "");
  return (
    <ol role="presentation" style={`--rows:${fields.length}`}>
      {fields.map((field, index) => (
        <Row key={field.id} field={field} number={start + index + 1} selected={selected.has(field.id)} look={certainty(field, calibrated)} mark={markOf(index)} />
      ))}
    </ol>
  );
}, sameRows);

interface RowProps {
  readonly field: Field;
  readonly number: number;
  readonly selected: boolean;
  readonly look: Certainty;
  readonly mark: string;
}

function Row({ field, number, selected, look, mark }: RowProps): JSX.Element {
  const grip = useMemo(() => <Grip />, []);
  const about = useMemo(() => <About field={field} look={look} />, [field, look]);
  return (
    <li role="listitem" class={`${selected ? "selected" : ""} ${mark}`} data-row={field.id}>
      {grip}
      <button type="button" aria-pressed={selected}>
        <span class="place">{number}</span>
        {about}
      </button>
    </li>
  );
}

function Grip(): JSX.Element {
  return (
    <span class="grip" aria-hidden="true">
      <Icon name="grip" size={14} />
    </span>
  );
}

/** What a row says beside its number; it stays as it is while rows are selected and move up or down. */
function About({ field, look }: { field: Field; look: Certainty }): JSX.Element {
  return (
    <>
      <KindIcon kind={field.kind} size={14} />
      <span class={`title ${field.tooltip || field.name || field.option ? "" : "muted"}`}>{titleOf(field)}</span>
      <span class={`swatch ${look}`} title={CERTAINTY_NAMES[look]}>
        <span class="hidden">
          {KIND_NAMES[field.kind]}, {CERTAINTY_NAMES[look]}
        </span>
      </span>
    </>
  );
}
