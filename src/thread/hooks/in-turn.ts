/**
 * Does something with each entry, one after the other: `each` calls `next` when it is done with one, in the same tick or
 * later. What is done at once stays in its tick, and takes no stack however many entries there are.
 */
export function inTurn<Entry extends object>(
  entries: readonly Entry[],
  each: (entry: Entry, next: () => void) => void,
  done: () => void,
): void {
  const goOn = (start: number): void => {
    for (let at = start; at < entries.length; at++) {
      const entry = entries[at];
      if (entry === undefined) continue;
      let waits = true;
      let early = true;
      each(entry, () => {
        waits = false;
        if (!early) goOn(at + 1);
      });
      early = false;
      if (waits) return;
    }
    done();
  };
  goOn(0);
}
