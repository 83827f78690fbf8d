// SPDX-License-Identifier: Apache-2.0
// Everything about the selected field or fields.
import type { ComponentChildren, JSX } from "preact";
import { CERTAINTY_NAMES, certainty, KIND_NAMES, KINDS, type Field } from "../model/field";
import type { Arrangement } from "../model/arrange";
import type { FieldPatch } from "../model/edits";
import type { Box } from "../model/geometry";
import type { Editor } from "../state/editor";
import { useStore } from "../state/store";
import { IconButton } from "./controls";
import { KindIcon, type IconName } from "./icons";

export const LABEL_INPUT = "field-label";

/** The value all fields share, or none. */
function shared<K extends keyof Field>(fields: readonly Field[], key: K): Field[K] | undefined {
  const [first, ...rest] = fields;
  return first && rest.every((field) => field[key] === first[key]) ? first[key] : undefined;
}

export function Properties({ editor }: { editor: Editor }): JSX.Element {
  useStore(editor, (state) => state.history.present);
  useStore(editor, (state) => state.selection);
  const fields = editor.selected;
  if (fields.length === 0) {
    return (
      <section class="properties" aria-labelledby="properties-title">
        <h2 id="properties-title">Selection</h2>
        <p class="muted">
          Click a field, or press <kbd>J</kbd> for the first one. Draw a new one with <kbd>T</kbd>, <kbd>C</kbd> or <kbd>S</kbd>.
        </p>
      </section>
    );
  }
  const kind = shared(fields, "kind");
  return (
    <section class="properties" aria-labelledby="properties-title">
      <h2 id="properties-title">{fields.length === 1 ? "Selected field" : `${fields.length} selected fields`}</h2>
      <Verdict editor={editor} fields={fields} />
      <Kinds editor={editor} fields={fields} />
      {fields.length > 1 && <Arrange editor={editor} />}
      <TextInput editor={editor} fields={fields} name="tooltip" label="Label, read aloud" id={LABEL_INPUT} />
      {fields.length === 1 && <TextInput editor={editor} fields={fields} name="name" label="Name, for programs" />}
      {kind === "choice" && <ChoiceInputs editor={editor} fields={fields} />}
      {kind === "text" && <TextInputs editor={editor} fields={fields} />}
      {fields.length === 1 && <Position editor={editor} field={fields[0]!} />}
    </section>
  );
}

function Verdict({ editor, fields }: { editor: Editor; fields: readonly Field[] }): JSX.Element {
  const [field] = fields;
  const sure = field && certainty(field, editor.calibrated);
  const score = field && field.verdict !== "kept" ? `, ${Math.round(field.score * 100)} %` : "";
  return (
    <div class="verdict">
      {fields.length === 1 && sure ? (
        <span class="sureness">
          <span class={`swatch ${sure}`} aria-hidden="true" />
          {CERTAINTY_NAMES[sure]}
          {score}
        </span>
      ) : (
        <span class="muted">Changes apply to all</span>
      )}
      <span class="buttons">
        <IconButton icon="check" label="Keep" keys="A" onClick={() => editor.accept()} />
        <IconButton icon="copy" label="Duplicate" keys="Ctrl+D" onClick={() => editor.duplicate()} />
        <IconButton icon="trash" label="Remove" keys="Delete" class="danger" onClick={() => editor.remove()} />
      </span>
    </div>
  );
}

function Kinds({ editor, fields }: { editor: Editor; fields: readonly Field[] }): JSX.Element {
  const kind = shared(fields, "kind");
  return (
    <div class="segments" role="group" aria-label="Kind">
      {KINDS.map((choice, index) => (
        <button key={choice} type="button" aria-pressed={kind === choice} title={`${KIND_NAMES[choice]} (${index + 1})`} onClick={() => editor.retype(choice)}>
          <KindIcon kind={choice} />
          {KIND_NAMES[choice]}
        </button>
      ))}
    </div>
  );
}

const ARRANGEMENTS: readonly [how: Arrangement, icon: IconName, label: string][] = [
  ["left", "left", "Align left edges"],
  ["centre", "centre", "Align centres"],
  ["right", "right", "Align right edges"],
  ["top", "top", "Align top edges"],
  ["middle", "middle", "Align middles"],
  ["bottom", "bottom", "Align bottom edges"],
  ["across", "across", "Equal gaps across"],
  ["down", "down2", "Equal gaps down"],
  ["width", "width", "Same width as the first"],
  ["height", "height", "Same height as the first"],
  ["size", "size", "Same size as the first"],
];

function Arrange({ editor }: { editor: Editor }): JSX.Element {
  return (
    <div class="arrange" role="group" aria-label="Arrange">
      {ARRANGEMENTS.map(([how, icon, label]) => (
        <IconButton key={how} icon={icon} label={label} onClick={() => editor.arrange(how)} />
      ))}
    </div>
  );
}

interface InputProps {
  readonly editor: Editor;
  readonly fields: readonly Field[];
}

function Labelled({ id, label, children }: { id: string; label: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      {children}
    </div>
  );
}

type TextKey = "tooltip" | "name" | "group" | "option";

/** A change that belongs with the ones before it while the same fields are selected. */
function changeKey(editor: Editor, name: string): string {
  return `${name}:${editor.get().selection.join()}`;
}

function TextInput({ editor, fields, name, label, id, list }: InputProps & { name: TextKey; label: string; id?: string; list?: string }): JSX.Element {
  const value = shared(fields, name);
  const mixed = value === undefined && fields.some((field) => field[name] !== undefined);
  const own = id ?? `field-${name}`;
  return (
    <Labelled id={own} label={label}>
      <input
        id={own}
        type="text"
        value={value ?? ""}
        placeholder={mixed ? "several values" : ""}
        list={list}
        autocomplete="off"
        spellcheck={name === "tooltip"}
        onInput={(event) => {
          const text = event.currentTarget.value;
          editor.change({ [name]: text.trim() === "" ? undefined : text }, `edit ${name}`, changeKey(editor, name));
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "Escape") document.querySelector<HTMLElement>(".sheet")?.focus();
        }}
      />
    </Labelled>
  );
}

type SelectKey = "format" | "align" | "mark";

function SelectInput<K extends SelectKey>({ editor, fields, name, label, options }: InputProps & { name: K; label: string; options: readonly [value: string, text: string][] }): JSX.Element {
  const id = `field-${name}`;
  return (
    <Labelled id={id} label={label}>
      <select
        id={id}
        value={shared(fields, name) ?? ""}
        onChange={(event) => editor.change({ [name]: event.currentTarget.value || undefined } as FieldPatch, `edit ${name}`)}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function NumberInput({ editor, fields, name, label, min }: InputProps & { name: "comb" | "font_size"; label: string; min: number }): JSX.Element {
  const id = `field-${name}`;
  return (
    <Labelled id={id} label={label}>
      <input
        id={id}
        type="number"
        min={min}
        value={shared(fields, name) ?? ""}
        placeholder="auto"
        onInput={(event) => {
          const number = event.currentTarget.valueAsNumber;
          const value = Number.isFinite(number) && number >= min ? number : undefined;
          editor.change({ [name]: name === "comb" && value !== undefined ? Math.round(value) : value }, `edit ${label.toLowerCase()}`, changeKey(editor, name));
        }}
      />
    </Labelled>
  );
}

function TextInputs({ editor, fields }: InputProps): JSX.Element {
  return (
    <>
      <label class="row">
        <input type="checkbox" checked={shared(fields, "multiline") === true} onChange={(event) => editor.change({ multiline: event.currentTarget.checked }, "edit several lines")} />
        Several lines
      </label>
      <div class="columns">
        <NumberInput editor={editor} fields={fields} name="comb" label="Comb cells" min={1} />
        <NumberInput editor={editor} fields={fields} name="font_size" label="Font size" min={1} />
        <SelectInput editor={editor} fields={fields} name="format" label="Format" options={[["", "Any text"], ["date", "Date"], ["number", "Number"]]} />
        <SelectInput editor={editor} fields={fields} name="align" label="Text stands" options={[["", "Automatic"], ["left", "Left"], ["centre", "Centre"], ["right", "Right"]]} />
      </div>
    </>
  );
}

function ChoiceInputs({ editor, fields }: InputProps): JSX.Element {
  const groups = [...new Set(editor.doc.pages.flatMap((page) => page.flatMap((field) => field.group ?? [])))].sort();
  return (
    <>
      <div class="columns">
        <TextInput editor={editor} fields={fields} name="group" label="Group: one of" list="groups" />
        <TextInput editor={editor} fields={fields} name="option" label="Option" />
      </div>
      <datalist id="groups">
        {groups.map((group) => (
          <option key={group} value={group} />
        ))}
      </datalist>
      <SelectInput editor={editor} fields={fields} name="mark" label="Mark" options={[["", "Automatic"], ["tick", "Tick"], ["cross", "Cross"], ["circle", "Circle"]]} />
    </>
  );
}

const SIDES = ["Left", "Top", "Width", "Height"] as const;

function Position({ editor, field }: { editor: Editor; field: Field }): JSX.Element {
  const [x0, y0, x1, y1] = field.box;
  const values = [x0, y0, x1 - x0, y1 - y0];
  const set = (index: number, value: number): void => {
    const next = values.map((old, at) => (at === index ? value : old));
    const [x, y, w, h] = next as [number, number, number, number];
    const box: Box = [x, y, x + w, y + h];
    const inside = x >= 0 && y >= 0 && w >= 2 && h >= 2 && box[2] <= editor.size.width + 0.01 && box[3] <= editor.size.height + 0.01;
    if (inside) editor.setBoxes(new Map([[field.id, box]]), "set position", changeKey(editor, "position"));
  };
  return (
    <details class="position">
      <summary>Position in points</summary>
      <div class="columns">
        {SIDES.map((side, index) => (
          <Labelled key={side} id={`field-${side}`} label={side}>
            <input
              id={`field-${side}`}
              type="number"
              step={0.5}
              value={Number(values[index]!.toFixed(2))}
              onChange={(event) => {
                if (Number.isFinite(event.currentTarget.valueAsNumber)) set(index, event.currentTarget.valueAsNumber);
              }}
            />
          </Labelled>
        ))}
      </div>
    </details>
  );
}
