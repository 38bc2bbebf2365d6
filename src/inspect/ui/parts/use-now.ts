import { useEffect, useState } from 'preact/hooks';

/** The time, in milliseconds since the epoch; the component is drawn again when another second has begun. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
