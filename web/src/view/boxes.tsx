// SPDX-License-Identifier: Apache-2.0
// The fields of a page as boxes over its picture.
import type { JSX } from "preact";
import { memo } from "preact/compat";
import { CERTAINTY_NAMES, certainty, KIND_NAMES, titleOf, type Field, type PageSize, type Thresholds } from "../model/field";
import { area, HANDLES, type Box } from "../model/geometry";
import { sameDrafts, sameGroup, type GroupProps } from "./groups";

interface BoxProps {
  readonly field: Field;
  readonly box: Box;
  /** Place in the tab order from 1; none for candidates. */
  readonly number: number | null;
  readonly selected: boolean;
  readonly calibrated: Thresholds;
  readonly size: PageSize;
}

export const boxId = (id: string): string => `box-${id}`;

/** Single properties, because a browser computes all of the style anew for a changed style attribute. */
function placed(box: Box, size: PageSize): JSX.CSSProperties {
  const percent = (value: number, whole: number): string => `${(100 * value) / whole}%`;
  return {
    left: percent(box[0], size.width),
    top: percent(box[1], size.height),
    width: percent(box[2] - box[0], size.width),
    height: percent(box[3] - box[1], size.height),
  };
}

function spoken(field: Field, number: number | null, calibrated: Thresholds): string {
  const sure = field.verdict === "kept" ? CERTAINTY_NAMES.checked : `${CERTAINTY_NAMES[certainty(field, calibrated)]}, ${Math.round(field.score * 100)} %`;
  const place = number === null ? "Candidate" : `${number}`;
  return `${place}. ${KIND_NAMES[field.kind]}. ${titleOf(field)}. ${sure}`;
}

/** Small boxes lie above large ones, so that each can be reached. */
const depth = (box: Box): number => Math.max(1, 1200 - Math.round(Math.sqrt(area(box))));

/** Not a component: 800 of them would cost more than the boxes they draw. */
function fieldBox({ field, box, number, selected, calibrated, size }: BoxProps): JSX.Element {
  const look = number === null ? "candidate" : certainty(field, calibrated);
  return (
    <div
      key={field.id}
      id={boxId(field.id)}
      class={`box ${field.kind} ${look}`}
      role="option"
      aria-selected={selected}
      aria-label={spoken(field, number, calibrated)}
      data-id={field.id}
      style={{ ...placed(box, size), zIndex: depth(box) }}
    >
      {number !== null && <span class="number">{number}</span>}
    </div>
  );
}

interface BoxGroupProps extends GroupProps {
  /** Candidates are not in the form and have no place in the tab order. */
  readonly candidates?: boolean;
  /** Boxes that a gesture holds somewhere else than the document. */
  readonly drafts: ReadonlyMap<string, Box>;
  readonly calibrated: Thresholds;
  readonly size: PageSize;
}

const sameBoxes = (a: BoxGroupProps, b: BoxGroupProps): boolean =>
  a.size === b.size && a.calibrated === b.calibrated && sameGroup(a, b) && sameDrafts(b.group, a.drafts, b.drafts);

export const BoxGroup = memo(function BoxGroup({ group, selected, candidates, drafts, calibrated, size }: BoxGroupProps): JSX.Element {
  return (
    <>
      {group.fields.map((field, index) =>
        fieldBox({
          field,
          box: drafts.get(field.id) ?? field.box,
          number: candidates ? null : group.start + index + 1,
          selected: selected.has(field.id),
          calibrated,
          size,
        }),
      )}
    </>
  );
}, sameBoxes);

/** Eight grips around the one selected field; they are for pointers, keys have Shift and the arrows. */
export function Handles({ box, size }: { box: Box; size: PageSize }): JSX.Element {
  return (
    <div class="handles" style={placed(box, size)}>
      {HANDLES.map((handle) => (
        <span key={handle} class={`handle ${handle}`} data-handle={handle} />
      ))}
    </div>
  );
}

/** A field the original has already. */
export function ExistingField({ box, size }: { box: Box; size: PageSize }): JSX.Element {
  return <div class="existing" style={placed(box, size)} aria-hidden="true" title="A field of the original; it stays as it is" />;
}

export function Frame({ box, size, kind }: { box: Box; size: PageSize; kind: string }): JSX.Element {
  return <div class={`frame ${kind}`} style={placed(box, size)} />;
}

export function SnapLines({ lines, size }: { lines: readonly { axis: "x" | "y"; at: number }[]; size: PageSize }): JSX.Element {
  return (
    <>
      {lines.map(({ axis, at }) => (
        <div
          key={`${axis}${at}`}
          class={`snap-line ${axis}`}
          style={axis === "x" ? { left: `${(100 * at) / size.width}%` } : { top: `${(100 * at) / size.height}%` }}
        />
      ))}
    </>
  );
}
