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
