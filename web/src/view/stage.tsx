// SPDX-License-Identifier: Apache-2.0
// The page in the middle: its picture, its fields, and what the pointer does with them.
import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { getGuides } from "../api";
import { drawGesture, marqueeGesture, moveGesture, NO_DRAFT, resizeGesture, type Draft, type Gesture } from "../input/gestures";
import { formFields } from "../model/edits";
import type { Handle, Point } from "../model/geometry";
import { candidatesOf } from "../model/reach";
import type { Editor } from "../state/editor";
import { settings } from "../state/settings";
import { useStore } from "../state/store";
import { BoxGroup, boxId, ExistingField, Frame, Handles, SnapLines } from "./boxes";
import { inGroups } from "./groups";
import { usePicture } from "./picture";
import { useScrollTo } from "./scroll";

const MARGIN = 28;
/** CSS pixels per point at 100 %. */
export const NATURAL = 96 / 72;
const SNAP_PIXELS = 5;
const DRAG_PIXELS = 3;

/** CSS pixels per point for the chosen zoom and the room there is. */
export function useScale(editor: Editor, room: RefObject<HTMLElement>): number {
  const zoom = useStore(editor, (state) => state.zoom);
  const page = useStore(editor, (state) => state.page);
  const [space, setSpace] = useState({ width: 800, height: 600 });
  useLayoutEffect(() => {
    const element = room.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setSpace({ width: element.clientWidth, height: element.clientHeight }));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const size = editor.sizes[page] ?? editor.size;
  const across = Math.max(50, space.width - 2 * MARGIN) / size.width;
  if (zoom === "width") return across;
  if (zoom === "page") return Math.min(across, Math.max(50, space.height - 2 * MARGIN) / size.height);
  return zoom * NATURAL;
}

interface StageProps {
  readonly editor: Editor;
  onScale(scale: number): void;
  onZoom(step: 1 | -1): void;
}

export function Stage({ editor, onScale, onZoom }: StageProps): JSX.Element {
  const room = useRef<HTMLDivElement>(null);
  const scale = useScale(editor, room);
  const page = useStore(editor, (state) => state.page);
  useEffect(() => onScale(scale), [scale]);
  useGuides(editor, page);
  useEffect(() => room.current?.scrollTo(0, 0), [page]);
  useWheelZoom(room, onZoom);
  return (
    <main class="stage" ref={room} tabIndex={-1} aria-label="Page">
      <Sheet editor={editor} page={page} scale={scale} key={page} />
    </main>
  );
}

/** Ctrl and the wheel, which is also what touchpads send for a pinch. */
function useWheelZoom(room: RefObject<HTMLElement>, zoom: (step: 1 | -1) => void): void {
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const element = room.current;
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      latest.current(event.deltaY < 0 ? 1 : -1);
    };
    element?.addEventListener("wheel", wheel, { passive: false });
    return () => element?.removeEventListener("wheel", wheel);
  }, []);
}

function useGuides(editor: Editor, page: number): void {
  useEffect(() => {
    if (editor.get().guides.has(page)) return;
    let wanted = true;
    getGuides(editor.key, page)
      .then((guides) => wanted && editor.update({ guides: new Map(editor.get().guides).set(page, guides) }))
      .catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [page]);
}

function Sheet({ editor, page, scale }: { editor: Editor; page: number; scale: number }): JSX.Element {
  const doc = useStore(editor, (state) => state.history.present);
  const selection = useStore(editor, (state) => state.selection);
  const tool = useStore(editor, (state) => state.tool);
  const candidatesShown = useStore(editor, (state) => state.candidatesShown);
  const existing = useStore(editor, (state) => state.guides.get(page)?.existing);
  const numbers = useStore(settings, (state) => state.numbers);
  const [draft, setDraft] = useState<Draft>(NO_DRAFT);
  const sheet = useRef<HTMLDivElement>(null);
  const size = editor.size;
  const pixels = Math.max(size.width, size.height) * scale * Math.min(2, window.devicePixelRatio);
  const picture = usePicture(editor.key, page, pixels > 2000 ? 3200 : pixels > 1200 ? 2000 : 1200);
  const fields = useMemo(() => formFields(doc, page), [doc.pages[page], doc.thresholds]);
  const candidates = useMemo(
    () => (candidatesShown ? candidatesOf(doc, page) : []),
    [doc.pages[page], doc.thresholds, candidatesShown],
  );
  const chosen = useMemo(() => new Set(selection), [selection]);
  usePointer(editor, sheet, scale, setDraft);
  useScrollTo(() => document.getElementById(boxId(selection.at(-1) ?? "")), [selection]);
  const single = selection.length === 1 ? [...fields, ...candidates].find((field) => field.id === selection[0]) : undefined;
  const active = selection.at(-1);
  return (
    <div
      ref={sheet}
      class={`sheet tool-${tool} ${numbers ? "numbered" : ""} ${scale < 0.9 ? "small" : ""}`}
      style={{ width: `${size.width * scale}px`, height: `${size.height * scale}px` }}
      role="listbox"
      aria-multiselectable="true"
      aria-label={`Fields of page ${page + 1}`}
      aria-activedescendant={active ? boxId(active) : undefined}
      tabIndex={0}
    >
      {picture.url && <img class="picture" src={picture.url} alt="" draggable={false} />}
      {picture.problem && <p class="picture-problem">{picture.problem}</p>}
      <div class="boxes" role="presentation">
        {existing?.map((box) => (
          <ExistingField key={box.join()} box={box} size={size} />
        ))}
        {inGroups(fields).map((group) => (
          <BoxGroup key={group.start} group={group} selected={chosen} drafts={draft.boxes} calibrated={editor.calibrated} size={size} />
        ))}
        {inGroups(candidates).map((group) => (
          <BoxGroup key={`candidates-${group.start}`} candidates group={group} selected={chosen} drafts={draft.boxes} calibrated={editor.calibrated} size={size} />
        ))}
      </div>
      <div class="marks" aria-hidden="true">
        {single && tool === "select" && <Handles box={draft.boxes.get(single.id) ?? single.box} size={size} />}
        {draft.frame && <Frame box={draft.frame} size={size} kind={tool} />}
        <SnapLines lines={draft.lines} size={size} />
      </div>
    </div>
  );
}

/** Pointer events on the sheet, as gestures. */
function usePointer(editor: Editor, sheet: RefObject<HTMLDivElement>, scale: number, show: (draft: Draft) => void): void {
  const latest = useRef(scale);
  latest.current = scale;
  useEffect(() => {
    const element = sheet.current;
    if (!element) return;
    const at = (event: PointerEvent): Point => {
      const edge = element.getBoundingClientRect();
      return { x: (event.clientX - edge.left) / latest.current, y: (event.clientY - edge.top) / latest.current };
    };
    const down = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      const gesture = startGesture(editor, event, at(event));
      if (gesture) follow(editor, element, event, at, gesture, () => latest.current, show);
    };
    element.addEventListener("pointerdown", down);
    return () => element.removeEventListener("pointerdown", down);
  }, [editor]);
}

interface Start {
  readonly gesture: Gesture;
  /** What a press without movement means. */
  click?(): void;
}

function startGesture(editor: Editor, event: PointerEvent, from: Point): Start | null {
  const target = event.target as Element;
  const { tool, selection } = editor.get();
  if (tool !== "select") {
    const click = (): void => {
      editor.placeAt(tool, from);
      if (!event.shiftKey) editor.update({ tool: "select" });
    };
    return { gesture: drawGesture(editor, tool, from), click };
  }
  const handle = target.closest<HTMLElement>("[data-handle]")?.dataset.handle as Handle | undefined;
  const held = selection[0];
  if (handle && held !== undefined) {
    const gesture = resizeGesture(editor, held, handle, from);
    return gesture && { gesture };
  }
  const id = target.closest<HTMLElement>("[data-id]")?.dataset.id;
  const adding = event.shiftKey || event.ctrlKey || event.metaKey;
  if (id === undefined) {
    // A finger on empty paper scrolls; frames are for mouse and pen.
    if (event.pointerType === "touch") return null;
    return { gesture: marqueeGesture(editor, from, adding), click: () => adding || editor.select([]) };
  }
  if (adding) {
    editor.toggle(id);
    return null;
  }
  const several = selection.includes(id) && selection.length > 1;
  if (!several) editor.select([id]);
  return { gesture: moveGesture(editor, from), click: () => several && editor.select([id]) };
}

function follow(
  editor: Editor,
  element: HTMLElement,
  first: PointerEvent,
  at: (event: PointerEvent) => Point,
  start: Start,
  scale: () => number,
  show: (draft: Draft) => void,
): void {
  let dragging = false;
  element.setPointerCapture(first.pointerId);
  const move = (event: PointerEvent): void => {
    const distance = Math.hypot(event.clientX - first.clientX, event.clientY - first.clientY);
    dragging ||= distance >= DRAG_PIXELS;
    if (!dragging) return;
    const snapping = settings.get().snapping && !event.altKey;
    show(start.gesture.move(at(event), { shift: event.shiftKey, snapping, tolerance: SNAP_PIXELS / scale() }));
  };
  const finish = (): void => {
    if (dragging) start.gesture.end();
    else start.click?.();
    stop();
  };
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    editor.update({ tool: "select" });
    stop();
  };
  const stop = (): void => {
    show(NO_DRAFT);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", finish);
    element.removeEventListener("pointercancel", stop);
    window.removeEventListener("keydown", escape, true);
  };
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", finish);
  element.addEventListener("pointercancel", stop);
  window.addEventListener("keydown", escape, true);
}
