import { useEffect, useRef, useState } from 'preact/hooks';

/** One value that changes, and those who look at it. */
export type Store<Value> = {
  get(): Value;
  set(change: (before: Value) => Value): void;
  /** @returns how to stop listening */
  listen(listener: () => void): () => void;
};

/** A store; listeners are told once per `schedule`d turn, however often it changed. */
export function createStore<Value>(initial: Value, schedule: (run: () => void) => void): Store<Value> {
  let value = initial;
  let isScheduled = false;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    isScheduled = false;
    for (const listener of listeners) listener();
  };
  return {
    get: () => value,
    set(change) {
      const next = change(value);
      if (next === value) return;
      value = next;
      if (isScheduled) return;
      isScheduled = true;
      schedule(tell);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A part of a store's value; the component is drawn again when that part is another one. */
export function useStore<Value, Part>(store: Store<Value>, pick: (value: Value) => Part): Part {
  const part = pick(store.get());
  const shown = useRef({ part, pick });
  shown.current = { part, pick };
  const [, draw] = useState(0);
  useEffect(
    () =>
      store.listen(() => {
        const { current } = shown;
        if (!Object.is(current.pick(store.get()), current.part)) draw((count) => count + 1);
      }),
    [store],
  );
  return part;
}
