import type { Partial } from './context.ts';

/** What the partials of one template may hold in memory, in UTF-16 units of text. */
export const MAX_KEPT_UNITS = 262_144;

/**
 * Partials a template has met, by indent and name, for its next rendering. Inputs decide which are met, so they are kept only
 * up to a bound; others are compiled in each rendering.
 */
export class KeptPartials {
  readonly #partials = new Map<string, Partial>();
  #units = 0;

  get(key: string): Partial | undefined {
    return this.#partials.get(key);
  }

  keep(key: string, partial: Partial, units: number): void {
    if (this.#partials.has(key) || this.#units + units > MAX_KEPT_UNITS) return;
    this.#units += units;
    this.#partials.set(key, partial);
  }
}
