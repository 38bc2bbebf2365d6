import { useEffect, useState } from 'preact/hooks';

/** As in the style sheets: one column, and rows that a finger can hit. */
const NARROW = '(max-width: 760px)';

/** Whether there is room for one column only. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const changed = (): void => setNarrow(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return isNarrow;
}
