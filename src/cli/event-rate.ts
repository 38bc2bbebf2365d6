/** Events per second over the last seconds. */
export interface EventRate {
  /** Notes how many events there have been by now, in milliseconds of the stopwatch. */
  sample(total: number, atMs: number): void;
  perSecond(): number;
}

const WINDOW_MS = 2_000;

/** Makes a rate that looks back two seconds. */
export function createEventRate(): EventRate {
  const samples: { readonly total: number; readonly at: number }[] = [];
  return {
    sample(total, atMs) {
      samples.push({ total, at: atMs });
      while (samples.length > 2 && (samples[1]?.at ?? atMs) <= atMs - WINDOW_MS) samples.shift();
    },
    perSecond() {
      const [first] = samples;
      const last = samples.at(-1);
      if (!first || !last || last.at <= first.at) return 0;
      return ((last.total - first.total) * 1000) / (last.at - first.at);
    },
  };
}
