/** First in, first out, O(1) at any length. What was taken is not held on to. */
export interface Fifo<Item> {
  push(item: Item): void;
  peek(): Item | undefined;
  shift(): Item | undefined;
  size(): number;
}

/** How many emptied places are kept before the array is cut. */
const CUT_AT = 1024;

/** Makes an empty queue. */
export function createFifo<Item>(): Fifo<Item> {
  const items: (Item | undefined)[] = [];
  let taken = 0;
  return {
    push: (item) => void items.push(item),
    peek: () => items[taken],
    shift() {
      const item = items[taken];
      if (item === undefined) return undefined;
      items[taken] = undefined;
      taken++;
      if (taken >= CUT_AT) {
        items.splice(0, taken);
        taken = 0;
      }
      return item;
    },
    size: () => items.length - taken,
  };
}
