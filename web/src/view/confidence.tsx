// SPDX-License-Identifier: Apache-2.0
// How sure the detector is, and where the line is drawn: one threshold per kind, with live counts.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { countAll, type Counts } from "../model/counts";
import { CERTAINTY_NAMES, KIND_NAMES, KINDS, type Certainty, type Kind } from "../model/field";
import type { Editor } from "../state/editor";
import { useStore } from "../state/store";
import { KindIcon } from "./icons";

const LEGEND: readonly Certainty[] = ["sure", "likely", "doubtful", "checked"];

export function Confidence({ editor }: { editor: Editor }): JSX.Element {
  const doc = useStore(editor, (state) => state.history.present);
  const shown = useStore(editor, (state) => state.candidatesShown);
  const existing = useStore(editor, (state) => state.guides.get(state.page)?.existing.length ?? 0);
  const counts = useMemo(() => countAll(doc, editor.calibrated), [doc]);
  const left = counts.uncertain + (shown ? counts.candidates : 0);
  return (
    <section class="confidence" aria-labelledby="confidence-title">
      <h2 id="confidence-title">
        Fields <span class="muted" data-count="total">{counts.total}</span>
      </h2>
      <Legend counts={counts} />
      <button type="button" class="wide" onClick={() => editor.walkUncertain()} disabled={left === 0}>
        {left === 0 ? "Nothing left to check" : `Next uncertain (${left} left)`}
        <kbd>N</kbd>
      </button>
      {KINDS.map((kind) => (
        <Threshold key={kind} editor={editor} kind={kind} counts={counts} value={doc.thresholds[kind]} />
      ))}
      <label class="row">
        <input type="checkbox" checked={shown} onChange={() => editor.showCandidates(!shown)} />
        <span>
          Show candidates below <span class="muted" data-count="candidates">({counts.candidates})</span>
        </span>
      </label>
      {existing > 0 && (
        <p class="note">The hatched fields are in the PDF already and stay. New fields on top of them are left out.</p>
      )}
    </section>
  );
}

function Legend({ counts }: { counts: Counts }): JSX.Element {
  return (
    <ul class="legend">
      {LEGEND.map((name) => (
        <li key={name}>
          <span class={`swatch ${name}`} aria-hidden="true" />
          {CERTAINTY_NAMES[name]} <b data-count={name}>{counts.certainty[name]}</b>
        </li>
      ))}
    </ul>
  );
}

function Threshold({ editor, kind, counts, value }: { editor: Editor; kind: Kind; counts: Counts; value: number }): JSX.Element {
  const { form, below } = counts.kinds[kind];
  const calibrated = editor.calibrated[kind];
  const percent = Math.round(value * 100);
  const changed = Math.abs(value - calibrated) > 1e-9;
  return (
    <div class="threshold">
      <label for={`threshold-${kind}`}>
        <KindIcon kind={kind} />
        {KIND_NAMES[kind]}
      </label>
      <output class="count">
        <b data-count={kind}>{form}</b> <span class="muted" data-below={kind}>+{below} below</span>
      </output>
      <input
        id={`threshold-${kind}`}
        type="range"
        min={1}
        max={99}
        value={percent}
        aria-valuetext={`from ${percent} % on: ${form} fields, ${below} below`}
        onInput={(event) => editor.setThreshold(kind, Number(event.currentTarget.value) / 100)}
        onChange={() => editor.select(editor.get().selection)}
      />
      <button
        type="button"
        class="value"
        disabled={!changed}
        title={`Back to the calibrated ${Math.round(calibrated * 100)} %`}
        aria-label={`${KIND_NAMES[kind]} from ${percent} %; back to the calibrated ${Math.round(calibrated * 100)} %`}
        onClick={() => editor.setThreshold(kind, calibrated)}
      >
        {percent} %
      </button>
    </div>
  );
}
