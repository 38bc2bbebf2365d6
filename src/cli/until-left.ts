import { systemClock } from '../core/clock.ts';
import type { CliIo } from './io.ts';

/** Somebody who looks, until they leave. */
export interface Leaving extends Disposable {
  hasLeft(): boolean;
  /** Waits so many milliseconds, or until they leave. */
  wait(ms: number): Promise<void>;
}

/** Leaves at Ctrl-C, SIGTERM, or a `q`. */
export function untilLeft(io: Pick<CliIo, 'onInterrupt' | 'onKey'>): Leaving {
  let isOver = false;
  let wake = (): void => undefined;
  const leave = (): void => {
    isOver = true;
    wake();
  };
  const stopListening = [io.onInterrupt(leave), io.onKey?.((key) => void (LEAVE.has(key) && leave()))];
  return {
    hasLeft: () => isOver,
    async wait(ms) {
      if (isOver) return;
      const waited = Promise.withResolvers<void>();
      wake = waited.resolve;
      const timer = systemClock.setTimer(ms, waited.resolve);
      await waited.promise;
      systemClock.clearTimer(timer);
    },
    [Symbol.dispose]() {
      for (const stop of stopListening) stop?.();
    },
  };
}

/** A terminal that gives single keys gives Ctrl-C as one. */
const LEAVE: ReadonlySet<string> = new Set(['q', 'Q', '\u0003']);
