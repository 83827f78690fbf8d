// SPDX-License-Identifier: Apache-2.0
// What the mouse, pen or finger does on the page: move, resize, draw, select by a frame.
// A gesture shows a draft while it lasts and changes the document once, at its end.
import { formFields } from "../model/edits";
import type { Kind } from "../model/field";
import { between, intersects, MIN_SIDE, moved, resized, rounded, shiftWithin, union, height, width, type Box, type Handle, type Point } from "../model/geometry";
import { snap, type Snap } from "../model/snapping";
import type { Editor } from "../state/editor";

export interface Draft {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly frame: Box | null;
  readonly lines: Snap["lines"];
}

export const NO_DRAFT: Draft = { boxes: new Map(), frame: null, lines: [] };

export interface Hold {
  readonly shift: boolean;
  /** Snapping is off while Alt is held. */
  readonly snapping: boolean;
  /** Points within which edges snap; a few pixels of the screen. */
  readonly tolerance: number;
}

export interface Gesture {
  move(to: Point, hold: Hold): Draft;
  end(): void;
}

function neighbours(editor: Editor, moving: ReadonlySet<string>): Box[] {
  return formFields(editor.doc, editor.page).filter((field) => !moving.has(field.id)).map((field) => field.box);
}

export function moveGesture(editor: Editor, from: Point): Gesture {
  const fields = editor.selected;
  const whole = union(fields.map((field) => field.box));
  const others = neighbours(editor, new Set(fields.map((field) => field.id)));
  let boxes: ReadonlyMap<string, Box> = new Map();
  return {
    move(to, hold) {
      let [dx, dy] = [to.x - from.x, to.y - from.y];
      if (hold.shift) [dx, dy] = Math.abs(dx) > Math.abs(dy) ? [dx, 0] : [0, dy];
      let lines: Snap["lines"] = [];
      if (hold.snapping) {
        const found = snap(moved(whole, dx, dy), "move", editor.guides, others, hold.tolerance);
        [dx, dy, lines] = [dx + found.dx, dy + found.dy, found.lines];
      }
      const shift = shiftWithin(whole, dx, dy, editor.size);
      boxes = new Map(fields.map((field) => [field.id, moved(field.box, shift.x, shift.y)]));
      return { boxes, frame: null, lines };
    },
    end() {
      if (boxes.size) editor.setBoxes(boxes, "move");
    },
  };
}

export function resizeGesture(editor: Editor, id: string, handle: Handle, from: Point): Gesture | null {
  const field = editor.selected.find((candidate) => candidate.id === id);
  if (!field) return null;
  const others = neighbours(editor, new Set([id]));
  let box: Box | null = null;
  return {
    move(to, hold) {
      let [dx, dy] = [to.x - from.x, to.y - from.y];
      let lines: Snap["lines"] = [];
      if (hold.snapping) {
        const found = snap(resized(field.box, handle, dx, dy, editor.size), handle, editor.guides, others, hold.tolerance);
        [dx, dy, lines] = [dx + found.dx, dy + found.dy, found.lines];
      }
      box = resized(field.box, handle, dx, dy, editor.size);
      return { boxes: new Map([[id, box]]), frame: null, lines };
    },
    end() {
      if (box) editor.setBoxes(new Map([[id, box]]), "resize");
    },
  };
}

export function marqueeGesture(editor: Editor, from: Point, add: boolean): Gesture {
  const before = add ? editor.get().selection : [];
  const { reachable } = editor;
  const kept = new Set(before);
  return {
    move(to) {
      const frame = between(from, to);
      const hit = reachable.filter((field) => intersects(field.box, frame)).map((field) => field.id);
      const next = [...before, ...hit.filter((id) => !kept.has(id))];
      const { selection } = editor.get();
      if (next.length !== selection.length || next.some((id, index) => id !== selection[index])) editor.select(next);
      return { ...NO_DRAFT, frame };
    },
    end() {},
  };
}

export function drawGesture(editor: Editor, kind: Kind, from: Point): Gesture {
  const others = neighbours(editor, new Set());
  let frame: Box | null = null;
  let keepTool = false;
  return {
    move(to, hold) {
      keepTool = hold.shift;
      const page: Box = [0, 0, editor.size.width, editor.size.height];
      let box = between(from, to);
      let lines: Snap["lines"] = [];
      if (hold.snapping) {
        // Corners snap one by one: each may find another line.
        const start = snap(box, "nw", editor.guides, others, hold.tolerance);
        const end = snap(box, "se", editor.guides, others, hold.tolerance);
        box = [box[0] + start.dx, box[1] + start.dy, box[2] + end.dx, box[3] + end.dy];
        lines = [...start.lines, ...end.lines];
      }
      frame = rounded([Math.max(box[0], page[0]), Math.max(box[1], page[1]), Math.min(box[2], page[2]), Math.min(box[3], page[3])]);
      return { boxes: new Map(), frame, lines };
    },
    end() {
      if (frame && width(frame) >= MIN_SIDE && height(frame) >= MIN_SIDE) editor.draw(kind, frame);
      if (!keepTool) editor.update({ tool: "select" });
    },
  };
}
