// SPDX-License-Identifier: Apache-2.0
// A value that views can watch.
import { useEffect, useReducer, useRef } from "preact/hooks";

export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(next: T): void {
    if (next === this.value) return;
    this.value = next;
    for (const listener of [...this.listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** A part of a store's value; the view is drawn again when that part changes. */
export function useStore<T, P>(store: Store<T>, part: (value: T) => P): P {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(part);
  latest.current = part;
  const shown = useRef<P>();
  shown.current = part(store.get());
  useEffect(
    () =>
      store.subscribe(() => {
        if (!Object.is(latest.current(store.get()), shown.current)) redraw(undefined as never);
      }),
    [store],
  );
  return shown.current;
}
