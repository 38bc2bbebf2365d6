/** `throttle_seconds` for what hooks emit, of each type in each thread. */
export interface EventThrottle {
  /** Whether the event comes too soon after the last one that was let through; if not, it is that one from now on. */
  holdsBack(
    thread: object,
    type: string,
    at: { readonly now: number; readonly throttleMs: number | undefined },
  ): boolean;
}

/** Makes the throttle of a worker. It remembers threads that emit throttled types, for as long as they are there. */
export function createEventThrottle(): EventThrottle {
  const lastAt = new WeakMap<object, Map<string, number>>();
  return {
    holdsBack(thread, type, { now, throttleMs }) {
      if (!throttleMs) return false;
      const ofThread = lastAt.get(thread) ?? new Map<string, number>();
      lastAt.set(thread, ofThread);
      const last = ofThread.get(type);
      if (last !== undefined && now - last < throttleMs) return true;
      ofThread.set(type, now);
      return false;
    },
  };
}
