import { systemClock } from '../core/clock.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';

/** Somebody who looks, until they leave. */
export interface Leaving extends Disposable {
  hasLeft(): boolean;
  /** Waits so many milliseconds, or until they leave. */
  wait(ms: number): Promise<void>;
  /** Begins work, one at a time, and gives what it comes to; undefined: they left before that, and nobody waits for it. */
  unlessLeft<Done>(work: () => Promise<Done>): Promise<Done | undefined>;
}

/**
 * Leaves at Ctrl-C or SIGTERM, and with `keys` at a `q`; a second Ctrl-C or SIGTERM ends the process. To listen to keys is to
 * take the terminal, which a process in the background is stopped for.
 */
export function untilLeft(
  io: Pick<CliIo, 'onInterrupt' | 'onKey' | 'exit'>,
  { keys }: { readonly keys: boolean },
): Leaving {
  let isOver = false;
  let wake = (): void => undefined;
  const leave = (): void => {
    isOver = true;
    wake();
  };
  const interrupt = (): void => (isOver ? io.exit(EXIT.interrupted) : leave());
  const press = (key: string): void => {
    if (key === CTRL_C) interrupt();
    else if (key === 'q' || key === 'Q') leave();
  };
  const stopListening = [io.onInterrupt(interrupt), keys ? io.onKey?.(press) : undefined];
  const unlessLeft = async <Done>(work: () => Promise<Done>): Promise<Done | undefined> => {
    if (isOver) return undefined;
    const done = Promise.withResolvers<Done | undefined>();
    wake = () => done.resolve(undefined);
    work().then(done.resolve, done.reject);
    return done.promise;
  };
  return {
    hasLeft: () => isOver,
    async wait(ms) {
      const waited = Promise.withResolvers<void>();
      const timer = systemClock.setTimer(ms, waited.resolve);
      await unlessLeft(() => waited.promise);
      systemClock.clearTimer(timer);
    },
    unlessLeft,
    [Symbol.dispose]() {
      for (const stop of stopListening) stop?.();
    },
  };
}

/** A terminal that gives single keys gives Ctrl-C as one. */
const CTRL_C = '\u0003';
