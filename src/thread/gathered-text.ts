/** Text that comes in many chunks and is told in pieces. */
export interface GatheredText {
  add(chunk: string): void;
  /** Whether there is something to tell, and the last piece was told long enough ago. */
  isDue(): boolean;
  /** What was not told yet; it counts as told from now on. */
  take(): string;
  /** The same without what could be the beginning of a secret whose rest is still to come. */
  takeSafe(): string;
  /** All that was said since the last `clear`. */
  all(): string;
  /** Number of pieces told since the last `clear`. */
  pieces(): number;
  clear(): void;
}

/** Milliseconds between pieces, at least; the clock; and up to where a text may be told from an index on. */
export type Telling = {
  readonly throttleMs: number;
  readonly now: () => number;
  readonly safeEnd: (text: string, from: number) => number;
};

/** Gathers text; pieces are due every `throttleMs`, at most. */
export function createGatheredText({ throttleMs, now, safeEnd }: Telling): GatheredText {
  let text = '';
  let told = 0;
  let count = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  const takeTo = (end: number): string => {
    const piece = text.slice(told, end);
    told = end;
    toldAt = now();
    count++;
    return piece;
  };
  return {
    add(chunk) {
      text += chunk;
    },
    isDue: () => told < text.length && now() - toldAt >= throttleMs && safeEnd(text, told) > told,
    take: () => takeTo(text.length),
    takeSafe: () => takeTo(safeEnd(text, told)),
    all: () => text,
    pieces: () => count,
    clear() {
      text = '';
      told = 0;
      count = 0;
    },
  };
}
