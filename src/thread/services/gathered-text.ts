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
export type Gathering = {
  readonly throttleMs: number;
  readonly now: () => number;
  readonly safeEnd: (text: string, from: number) => number;
};

/** Gathers text; pieces are due every `throttleMs`, at most. */
export function createGatheredText(telling: Gathering): GatheredText {
  return new Gathered(telling);
}

/** A class, since every thread has one. */
class Gathered implements GatheredText {
  readonly #telling: Gathering;
  #text = '';
  /** Characters told. */
  #told = 0;
  #count = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  /** When it was last found that nothing may be told: to look takes as long as what is held back, so that not every chunk does. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(telling: Gathering) {
    this.#telling = telling;
  }

  add(chunk: string): void {
    this.#text += chunk;
  }

  isDue(): boolean {
    const { now, throttleMs, safeEnd } = this.#telling;
    const since = Math.max(this.#toldAt, this.#lookedAt);
    if (this.#told >= this.#text.length || now() - since < throttleMs) return false;
    if (safeEnd(this.#text, this.#told) > this.#told) return true;
    this.#lookedAt = now();
    return false;
  }

  take(): string {
    return this.#takeTo(this.#text.length);
  }

  takeSafe(): string {
    return this.#takeTo(this.#telling.safeEnd(this.#text, this.#told));
  }

  all(): string {
    return this.#text;
  }

  pieces(): number {
    return this.#count;
  }

  clear(): void {
    this.#text = '';
    this.#told = 0;
    this.#count = 0;
  }

  #takeTo(end: number): string {
    const piece = this.#text.slice(this.#told, end);
    this.#told = end;
    this.#toldAt = this.#telling.now();
    this.#count++;
    return piece;
  }
}
