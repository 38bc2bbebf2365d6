/**
 * Most connections closed in one turn of the event loop. Most of the work of closing one comes after the call, in
 * promises that are carried out before the loop goes on, so that a measured slice would not see it: a third of a
 * millisecond each.
 */
const CLOSED_A_TURN = 4;

/**
 * Makes a closer of connections: what it is given is carried out soon, in order, a few each turn of the event loop.
 * A thousand streams of a cancelled tree would keep the loop for tens of milliseconds if they were closed at once.
 */
export function createCloser(): (close: () => void) => void {
  let waiting: (() => void)[] = [];
  let at = 0;

  const closeSome = (): void => {
    const end = at + CLOSED_A_TURN;
    for (; at < end; at++) {
      const close = waiting[at];
      if (close === undefined) {
        waiting = [];
        at = 0;
        return;
      }
      close();
    }
    setImmediate(closeSome);
  };

  return (close) => {
    if (waiting.length === 0) setImmediate(closeSome);
    waiting.push(close);
  };
}
