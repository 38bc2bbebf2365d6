import type { Clock } from '../core/clock.ts';

/** Longest stretch, in milliseconds, in which connections are closed and nothing else is done. */
const SLICE_MS = 2;

/**
 * Makes a closer of connections: what it is given is carried out soon, in order, a slice each turn of the event loop.
 * A thousand streams of a cancelled tree would keep the loop for tens of milliseconds if they were closed at once.
 */
export function createCloser({ now }: Pick<Clock, 'now'>): (close: () => void) => void {
  let waiting: (() => void)[] = [];
  let at = 0;

  const closeSome = (): void => {
    const until = now() + SLICE_MS;
    for (let close = waiting[at]; close !== undefined; close = waiting[at]) {
      if (now() >= until) return void setImmediate(closeSome);
      at += 1;
      close();
    }
    waiting = [];
    at = 0;
  };

  return (close) => {
    if (waiting.length === 0) setImmediate(closeSome);
    waiting.push(close);
  };
}
