import type { ThreadId } from '../../core/ids.ts';

/** Something for each of a number of threads: at most so many, the oldest goes first. */
export interface Bounded<Value> {
  put(id: ThreadId, value: Value): void;
  get(id: ThreadId): Value | undefined;
  has(id: ThreadId): boolean;
  /** Takes it out. */
  take(id: ThreadId): Value | undefined;
}

/** Makes an empty one. */
export function createBounded<Value>(most: number): Bounded<Value> {
  const values = new Map<ThreadId, Value>();
  return {
    put(id, value) {
      values.delete(id);
      values.set(id, value);
      for (const oldest of values.keys()) {
        if (values.size <= most) break;
        values.delete(oldest);
      }
    },
    get: (id) => values.get(id),
    has: (id) => values.has(id),
    take(id) {
      const value = values.get(id);
      values.delete(id);
      return value;
    },
  };
}
