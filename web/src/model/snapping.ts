// SPDX-License-Identifier: Apache-2.0
// Edges are drawn to the rules of the page and to the edges of neighbouring fields.
import type { Box, Handle } from "./geometry";

/** A rule of the page: `at` across its direction, `low` to `high` along it. */
export type Segment = readonly [at: number, low: number, high: number];

export interface Guides {
  readonly horizontal: readonly Segment[];
  readonly vertical: readonly Segment[];
  /** Places where one could write: cells, squares, the space above a line. */
  readonly places: readonly Box[];
  /** Fields the original has already; they stay as they are. */
  readonly existing: readonly Box[];
}

export const NO_GUIDES: Guides = { horizontal: [], vertical: [], places: [], existing: [] };

export interface Snap {
  readonly dx: number;
  readonly dy: number;
  /** Lines to show: where edges stuck. */
  readonly lines: readonly { readonly axis: "x" | "y"; readonly at: number }[];
}

/** How far beyond its ends a rule still attracts, in points. */
const REACH = 40;

function positions(segments: readonly Segment[], low: number, high: number): number[] {
  return segments.filter(([, from, to]) => from - REACH < high && to + REACH > low).map(([at]) => at);
}

function nearest(edges: readonly number[], targets: readonly number[], tolerance: number): [number, number] | null {
  let best: [number, number] | null = null;
  for (const edge of edges) {
    for (const target of targets) {
      const gap = target - edge;
      if (Math.abs(gap) <= tolerance && (best === null || Math.abs(gap) < Math.abs(best[0]))) best = [gap, target];
    }
  }
  return best;
}

/** The correction that puts the moving edges of a box onto the nearest line, within the tolerance. */
export function snap(
  box: Box,
  handle: Handle | "move",
  guides: Guides,
  neighbours: readonly Box[],
  tolerance: number,
): Snap {
  const moves = (side: string): boolean => handle === "move" || handle.includes(side);
  const xs = [...(moves("w") ? [box[0]] : []), ...(moves("e") ? [box[2]] : [])];
  const ys = [...(moves("n") ? [box[1]] : []), ...(moves("s") ? [box[3]] : [])];
  const others = [...neighbours, ...guides.existing];
  const atX = [...positions(guides.vertical, box[1], box[3]), ...others.flatMap((other) => [other[0], other[2]])];
  const atY = [...positions(guides.horizontal, box[0], box[2]), ...others.flatMap((other) => [other[1], other[3]])];
  const x = nearest(xs, atX, tolerance);
  const y = nearest(ys, atY, tolerance);
  return {
    dx: x ? x[0] : 0,
    dy: y ? y[0] : 0,
    lines: [...(x ? [{ axis: "x" as const, at: x[1] }] : []), ...(y ? [{ axis: "y" as const, at: y[1] }] : [])],
  };
}
