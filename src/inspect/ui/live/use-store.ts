import { useEffect, useRef, useState } from 'preact/hooks';
import type { Store } from './store.ts';

/** A part of a store's value; the component is drawn again when that part is another one. */
export function useStore<Value, Part>(store: Store<Value>, pick: (value: Value) => Part): Part {
  const part = pick(store.get());
  const shown = useRef({ part, pick });
  shown.current = { part, pick };
  const [, draw] = useState(0);
  useEffect(() => {
    const look = (): void => {
      const { current } = shown;
      if (!Object.is(current.pick(store.get()), current.part)) draw((count) => count + 1);
    };
    // It may have changed since it was drawn.
    look();
    return store.listen(look);
  }, [store]);
  return part;
}
