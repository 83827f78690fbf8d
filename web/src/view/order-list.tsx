// SPDX-License-Identifier: Apache-2.0
// The tab order of the page as a list: drag a row by its grip, or move it with Alt and the arrow keys.
import type { JSX } from "preact";
import { memo } from "preact/compat";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formFields } from "../model/edits";
import { certainty, CERTAINTY_NAMES, KIND_NAMES, titleOf, type Certainty, type Field } from "../model/field";
import type { Editor } from "../state/editor";
import { useStore } from "../state/store";
import { IconButton } from "./controls";
import { Icon, KindIcon } from "./icons";

export function OrderList({ editor }: { editor: Editor }): JSX.Element {
  const doc = useStore(editor, (state) => state.history.present);
  const page = useStore(editor, (state) => state.page);
  const selection = useStore(editor, (state) => state.selection);
  const fields = useMemo(() => formFields(doc, page), [doc.pages[page], doc.thresholds]);
  const [target, setTarget] = useState<number | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const chosen = new Set(selection);
  useEffect(() => {
    const last = selection.at(-1);
    list.current?.querySelector(`[data-row="${last ?? ""}"]`)?.scrollIntoView({ block: "nearest" });
  }, [selection]);
  return (
    <section class="order" aria-labelledby="order-title">
      <header>
        <h2 id="order-title">Tab order of page {page + 1}</h2>
        <IconButton icon="up" label="Earlier" keys="Alt+Up" disabled={chosen.size === 0} onClick={() => editor.shiftOrder(-1)} />
        <IconButton icon="down" label="Later" keys="Alt+Down" disabled={chosen.size === 0} onClick={() => editor.shiftOrder(1)} />
      </header>
      <ol ref={list} data-own-arrows onKeyDown={(event) => steer(event, editor)}>
        {fields.map((field, index) => (
          <Row
            key={field.id}
            field={field}
            number={index + 1}
            selected={chosen.has(field.id)}
            look={certainty(field, editor.calibrated)}
            mark={target === index ? "before" : target === fields.length && index === fields.length - 1 ? "after" : ""}
            onSelect={(add) => (add ? editor.toggle(field.id) : editor.select([field.id]))}
            onGrip={(event) => dragRow(event, editor, field.id, list.current, setTarget)}
          />
        ))}
      </ol>
      {fields.length === 0 && <p class="muted">No field on this page.</p>}
    </section>
  );
}

interface RowProps {
  readonly field: Field;
  readonly number: number;
  readonly selected: boolean;
  readonly look: Certainty;
  readonly mark: string;
  onSelect(add: boolean): void;
  onGrip(event: PointerEvent): void;
}

const sameRow = (a: RowProps, b: RowProps): boolean =>
  a.field === b.field && a.number === b.number && a.selected === b.selected && a.look === b.look && a.mark === b.mark;

const Row = memo(function Row({ field, number, selected, look, mark, onSelect, onGrip }: RowProps): JSX.Element {
  return (
    <li class={`${selected ? "selected" : ""} ${mark}`} data-row={field.id}>
      <span class="grip" onPointerDown={onGrip} aria-hidden="true">
        <Icon name="grip" size={14} />
      </span>
      <button type="button" aria-pressed={selected} onClick={(event) => onSelect(event.shiftKey || event.ctrlKey || event.metaKey)}>
        <span class="place">{number}</span>
        <KindIcon kind={field.kind} size={14} />
        <span class={`title ${field.tooltip || field.name || field.option ? "" : "muted"}`}>{titleOf(field)}</span>
        <span class={`swatch ${look}`} title={CERTAINTY_NAMES[look]}>
          <span class="hidden">
            {KIND_NAMES[field.kind]}, {CERTAINTY_NAMES[look]}
          </span>
        </span>
      </button>
    </li>
  );
}, sameRow);

/** Up and down go from row to row; with Alt they take the selected fields along. */
function steer(event: KeyboardEvent, editor: Editor): void {
  const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
  if (step === null) return;
  event.preventDefault();
  event.stopPropagation();
  const row = (event.target as Element).closest("li");
  if (event.altKey) {
    const id = row?.dataset.row;
    if (id && !editor.get().selection.includes(id)) editor.select([id]);
    editor.shiftOrder(step);
    return;
  }
  const next = step < 0 ? row?.previousElementSibling : row?.nextElementSibling;
  next?.querySelector("button")?.focus();
}

function dragRow(event: PointerEvent, editor: Editor, id: string, list: HTMLOListElement | null, mark: (target: number | null) => void): void {
  if (!list || event.button !== 0) return;
  event.preventDefault();
  const grip = event.currentTarget as HTMLElement;
  const { selection } = editor.get();
  const ids = new Set(selection.includes(id) ? selection : [id]);
  let target: number | null = null;
  const move = (at: PointerEvent): void => {
    const rows = [...list.children];
    const below = rows.findIndex((row) => {
      const edge = row.getBoundingClientRect();
      return at.clientY < edge.top + edge.height / 2;
    });
    target = below < 0 ? rows.length : below;
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
