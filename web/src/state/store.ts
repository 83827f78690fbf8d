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
  return useWatched(store, part, (look) => look);
}

/**
 * The same for a view that may follow a frame later: what the person is looking at is on the screen first. The view
 * shows the latest value whenever it is drawn.
 */
export function useStoreLater<T, P>(store: Store<T>, part: (value: T) => P): P {
  return useWatched(store, part, afterPaint);
}

type Schedule = (look: () => void) => () => void;

function useWatched<T, P>(store: Store<T>, part: (value: T) => P, schedule: Schedule): P {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(part);
  latest.current = part;
  const shown = useRef<P>();
  shown.current = part(store.get());
  useEffect(() => {
    const look = (): void => {
      if (!Object.is(latest.current(store.get()), shown.current)) redraw(undefined as never);
    };
    return store.subscribe(schedule(look));
  }, [store]);
  return shown.current;
}

/** Runs a task after the frame that is being made; asked again before that, it still runs once. */
function afterPaint(task: () => void): () => void {
  let waiting = false;
  const run = (): void => {
    waiting = false;
    task();
  };
  return () => {
    if (!waiting) requestAnimationFrame(() => setTimeout(run));
    waiting = true;
  };
}
