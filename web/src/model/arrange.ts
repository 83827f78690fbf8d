// SPDX-License-Identifier: Apache-2.0
// Putting several boxes in line: align, distribute, equalise. Each gives new boxes in the order given.
import { height, rounded, union, width, type Box } from "./geometry";

export type Arrangement =
  | "left" | "centre" | "right"
  | "top" | "middle" | "bottom"
  | "across" | "down"
  | "width" | "height" | "size";

export function arrange(boxes: readonly Box[], how: Arrangement): Box[] {
  if (how === "across" || how === "down") return distribute(boxes, how);
  if (how === "width" || how === "height" || how === "size") return equalise(boxes, how);
  const whole = union(boxes);
  return boxes.map((box) => rounded(aligned(box, whole, how)));
}

function aligned(box: Box, whole: Box, how: Arrangement): Box {
  const [w, h] = [width(box), height(box)];
  const at = (x: number, y: number): Box => [x, y, x + w, y + h];
  switch (how) {
    case "left": return at(whole[0], box[1]);
    case "right": return at(whole[2] - w, box[1]);
    case "centre": return at((whole[0] + whole[2] - w) / 2, box[1]);
    case "top": return at(box[0], whole[1]);
    case "bottom": return at(box[0], whole[3] - h);
    default: return at(box[0], (whole[1] + whole[3] - h) / 2);
  }
}

/** Equal gaps; the outermost boxes stay where they are. */
function distribute(boxes: readonly Box[], how: "across" | "down"): Box[] {
  const low = how === "across" ? 0 : 1;
  const high = low + 2;
  const order = boxes.map((_, index) => index).sort((a, b) => boxes[a]![low]! - boxes[b]![low]!);
  const whole = union(boxes);
  const sides = boxes.reduce((sum, box) => sum + box[high]! - box[low]!, 0);
  const gap = boxes.length > 1 ? (whole[high]! - whole[low]! - sides) / (boxes.length - 1) : 0;
  const result = [...boxes];
  let at = whole[low]!;
  for (const index of order) {
    const box = boxes[index]!;
    const shift = at - box[low]!;
    result[index] = rounded(how === "across" ? [box[0] + shift, box[1], box[2] + shift, box[3]] : [box[0], box[1] + shift, box[2], box[3] + shift]);
    at += box[high]! - box[low]! + gap;
  }
  return result;
}

/** The size of the first box, the one that was selected first, for all; top left corners stay. */
function equalise(boxes: readonly Box[], how: "width" | "height" | "size"): Box[] {
  const model = boxes[0];
  if (!model) return [];
  return boxes.map((box) => {
    const w = how === "height" ? width(box) : width(model);
    const h = how === "width" ? height(box) : height(model);
    return rounded([box[0], box[1], box[0] + w, box[1] + h]);
  });
}
