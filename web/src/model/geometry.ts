// SPDX-License-Identifier: Apache-2.0
// Boxes in points from the top left of the page. Pure.

export type Box = readonly [x0: number, y0: number, x1: number, y1: number];
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Handles are named by the sides they move. */
export const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"] as const;
export type Handle = (typeof HANDLES)[number];

/** Smallest side of a field; anything less cannot be used (and the writer leaves it out). */
export const MIN_SIDE = 4;

export const width = (box: Box): number => box[2] - box[0];
export const height = (box: Box): number => box[3] - box[1];
export const area = (box: Box): number => width(box) * height(box);

const round = (value: number): number => Math.round(value * 100) / 100;

export function rounded(box: Box): Box {
  return [round(box[0]), round(box[1]), round(box[2]), round(box[3])];
}

export function contains(box: Box, point: Point): boolean {
  return point.x >= box[0] && point.x <= box[2] && point.y >= box[1] && point.y <= box[3];
}

export function intersects(a: Box, b: Box): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

export function between(a: Point, b: Point): Box {
  return [Math.min(a.x, b.x), Math.min(a.y, b.y), Math.max(a.x, b.x), Math.max(a.y, b.y)];
}

export function union(boxes: readonly Box[]): Box {
  return [
    Math.min(...boxes.map((box) => box[0])),
    Math.min(...boxes.map((box) => box[1])),
    Math.max(...boxes.map((box) => box[2])),
    Math.max(...boxes.map((box) => box[3])),
  ];
}

export function moved(box: Box, dx: number, dy: number): Box {
  return rounded([box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy]);
}

/** The shift nearest to the wanted one that keeps a box on the page. */
export function shiftWithin(box: Box, dx: number, dy: number, page: { width: number; height: number }): Point {
  return {
    x: Math.max(-box[0], Math.min(dx, page.width - box[2])),
    y: Math.max(-box[1], Math.min(dy, page.height - box[3])),
  };
}

/** A box with the sides of a handle moved, at least `MIN_SIDE` large and on the page. */
export function resized(box: Box, handle: Handle, dx: number, dy: number, page: { width: number; height: number }): Box {
  let [x0, y0, x1, y1] = box;
  if (handle.includes("w")) x0 = Math.max(0, Math.min(x0 + dx, x1 - MIN_SIDE));
  if (handle.includes("e")) x1 = Math.min(page.width, Math.max(x1 + dx, x0 + MIN_SIDE));
  if (handle.includes("n")) y0 = Math.max(0, Math.min(y0 + dy, y1 - MIN_SIDE));
  if (handle.includes("s")) y1 = Math.min(page.height, Math.max(y1 + dy, y0 + MIN_SIDE));
  return rounded([x0, y0, x1, y1]);
}

/** A box of a wanted size around a point, pushed onto the page. */
export function around(point: Point, w: number, h: number, page: { width: number; height: number }): Box {
  const box: Box = [point.x - w / 2, point.y - h / 2, point.x + w / 2, point.y + h / 2];
  const shift = shiftWithin(box, 0, 0, page);
  return moved(box, shift.x, shift.y);
}
