// SPDX-License-Identifier: Apache-2.0
// The tab order of the page as a list: drag a row by its grip, or move it with Alt and the arrow keys.
import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { formFields } from "../model/edits";
import type { Editor } from "../state/editor";
import { useStoreLater } from "../state/store";
import { IconButton } from "./controls";
import { inGroups } from "./groups";
import { markIn, RowGroup } from "./order-rows";
import { useScrollTo } from "./scroll";

export function OrderList({ editor }: { editor: Editor }): JSX.Element {
  const doc = useStoreLater(editor, (state) => state.history.present);
  const page = useStoreLater(editor, (state) => state.page);
  const selection = useStoreLater(editor, (state) => state.selection);
  const fields = formFields(doc, page);
  const [target, setTarget] = useState<number | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const chosen = useMemo(() => new Set(selection), [selection]);
  useScrollTo(() => rowOf(list.current, selection.at(-1)), [selection]);
  const hold = useFocusHold(list);
  return (
    <section class="order" aria-labelledby="order-title">
      <header>
        <h2 id="order-title">Tab order of page {page + 1}</h2>
        <IconButton icon="up" label="Earlier" keys="Alt+Up" disabled={chosen.size === 0} onClick={() => editor.shiftOrder(-1)} />
        <IconButton icon="down" label="Later" keys="Alt+Down" disabled={chosen.size === 0} onClick={() => editor.shiftOrder(1)} />
      </header>
      <div
        ref={list}
        class="rows"
        role="list"
        data-own-arrows
        onKeyDown={(event) => steer(event, editor, hold)}
        onClick={(event) => choose(event, editor)}
        onPointerDown={(event) => dragRow(event, editor, setTarget)}
      >
        {inGroups(fields).map((group) => (
          <RowGroup key={group.start} group={group} selected={chosen} calibrated={editor.calibrated} mark={markIn(group.start, group.fields.length, target, fields.length)} />
        ))}
      </div>
      {fields.length === 0 && <p class="muted">No field on this page.</p>}
    </section>
  );
}

const rowsOf = (list: Element): HTMLElement[] => [...list.querySelectorAll("li")];

function rowOf(list: Element | null, id: string | undefined): Element | null {
  return id === undefined ? null : (list?.querySelector(`[data-row="${CSS.escape(id)}"]`) ?? null);
}

const rowAt = (event: Event): HTMLElement | null => (event.target as Element).closest<HTMLElement>("[data-row]");

/** A row that moves may lose the focus, and in another group it is made anew; the focus goes with it. */
function useFocusHold(list: RefObject<HTMLElement>): (id: string) => void {
  const held = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (held.current !== null && document.activeElement === document.body) {
      rowOf(list.current, held.current)?.querySelector("button")?.focus();
    }
    held.current = null;
  });
  return (id) => {
    held.current = id;
  };
}

function choose(event: MouseEvent, editor: Editor): void {
  const id = (event.target as Element).closest("button") && rowAt(event)?.dataset.row;
  if (!id) return;
  if (event.shiftKey || event.ctrlKey || event.metaKey) editor.toggle(id);
  else editor.select([id]);
}

/** Up and down go from row to row; with Alt they take the selected fields along. */
function steer(event: KeyboardEvent, editor: Editor, hold: (id: string) => void): void {
  const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
  if (step === null) return;
  event.preventDefault();
  event.stopPropagation();
  const row = rowAt(event);
  if (!row) return;
  if (event.altKey) {
    const id = row.dataset.row!;
    if (!editor.get().selection.includes(id)) editor.select([id]);
    const { doc } = editor;
    editor.shiftOrder(step);
    if (editor.doc !== doc) hold(id);
    return;
  }
  const rows = rowsOf(event.currentTarget as Element);
  rows[rows.indexOf(row) + step]?.querySelector("button")?.focus();
}

/** The first row that has its middle below a height of the screen; only few rows are asked where they are. */
function rowBelow(rows: readonly Element[], y: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const half = (low + high) >> 1;
    const edge = rows[half]!.getBoundingClientRect();
    if (y < edge.top + edge.height / 2) high = half;
    else low = half + 1;
  }
  return low;
}

function dragRow(event: PointerEvent, editor: Editor, mark: (target: number | null) => void): void {
  const list = event.currentTarget as HTMLElement;
  const grip = (event.target as Element).closest<HTMLElement>(".grip");
  const id = rowAt(event)?.dataset.row;
  if (!grip || !id || event.button !== 0) return;
  event.preventDefault();
  const { selection } = editor.get();
  const ids = new Set(selection.includes(id) ? selection : [id]);
  let target: number | null = null;
  const move = (at: PointerEvent): void => {
    target = rowBelow(rowsOf(list), at.clientY);
    mark(target);
  };
  const stop = (): void => {
    mark(null);
    grip.removeEventListener("pointermove", move);
    grip.removeEventListener("pointerup", drop);
    grip.removeEventListener("pointercancel", stop);
  };
  const drop = (): void => {
    stop();
    if (target === null) return;
    editor.reorder(ids, target);
    editor.select([...ids]);
  };
  grip.setPointerCapture(event.pointerId);
  grip.addEventListener("pointermove", move);
  grip.addEventListener("pointerup", drop);
  grip.addEventListener("pointercancel", stop);
}
