/** Text that comes in many chunks and is told in pieces. */
export interface GatheredText {
  add(chunk: string): void;
  /** Whether there is something to tell, and the last piece was told long enough ago. */
  isDue(): boolean;
  /** What was not told yet; it counts as told from now on. */
  take(): string;
  /** All that was said since the last `clear`. */
  all(): string;
  /** Number of pieces told since the last `clear`. */
  pieces(): number;
  clear(): void;
}

/** Gathers text; pieces are due every `throttleMs`, at most. */
export function createGatheredText(throttleMs: number, now: () => number): GatheredText {
  let text = '';
  let told = 0;
  let count = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    add(chunk) {
      text += chunk;
    },
    isDue: () => told < text.length && now() - toldAt >= throttleMs,
    take() {
      const piece = text.slice(told);
      told = text.length;
      toldAt = now();
      count++;
      return piece;
    },
    all: () => text,
    pieces: () => count,
    clear() {
      text = '';
      told = 0;
      count = 0;
    },
  };
}
