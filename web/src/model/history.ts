// SPDX-License-Identifier: Apache-2.0
// Undo and redo without limit: every state is kept, and states share what did not change.

export interface History<T> {
  readonly past: readonly Step<T>[];
  readonly present: T;
  readonly future: readonly Step<T>[];
}

interface Step<T> {
  readonly state: T;
  /** What was done, for the person; also says which small steps belong together. */
  readonly label: string;
  readonly key: string | null;
}

export function begin<T>(present: T): History<T> {
  return { past: [], present, future: [] };
}

/**
 * A change. Steps with the same key in a row, such as the letters of a label or the strokes of an arrow key,
 * are undone together.
 */
export function record<T>(history: History<T>, state: T, label: string, key: string | null = null): History<T> {
  if (state === history.present) return history;
  const last = history.past.at(-1);
  if (key !== null && last?.key === key && history.future.length === 0) return { ...history, present: state };
  return { past: [...history.past, { state: history.present, label, key }], present: state, future: [] };
}

/** Closes the step in progress, so that the next change with the same key can be undone by itself. */
export function seal<T>(history: History<T>): History<T> {
  const last = history.past.at(-1);
  if (!last || last.key === null) return history;
  return { ...history, past: [...history.past.slice(0, -1), { ...last, key: null }] };
}

export function undo<T>(history: History<T>): History<T> {
  const last = history.past.at(-1);
  if (!last) return history;
  const step = { state: history.present, label: last.label, key: null };
  return { past: history.past.slice(0, -1), present: last.state, future: [step, ...history.future] };
}

export function redo<T>(history: History<T>): History<T> {
  const next = history.future[0];
  if (!next) return history;
  const step = { state: history.present, label: next.label, key: null };
  return { past: [...history.past, step], present: next.state, future: history.future.slice(1) };
}
