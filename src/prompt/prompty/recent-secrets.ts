import { createRedactor, LEAST_SECRET, type Redactor } from '../../core/redactor.ts';

/** Takes the secrets that it was told last out of texts. */
export interface RecentSecrets extends Pick<Redactor, 'text'> {
  /** Adds values; those with fewer than 8 characters are left out. */
  add(values: readonly string[]): void;
}

/**
 * Makes one that keeps so many values and forgets the oldest, for what lives as long as the process. Nothing is compiled before a
 * text is asked about, so where nobody traces, a value costs its place.
 */
export function createRecentSecrets(most: number): RecentSecrets {
  const recent = new Set<string>();
  let redactor: Redactor | undefined;
  return {
    add(values) {
      for (const value of values) {
        if (value.length < LEAST_SECRET) continue;
        if (!recent.delete(value)) redactor = undefined;
        recent.add(value);
      }
      for (const oldest of recent) {
        if (recent.size <= most) break;
        recent.delete(oldest);
      }
    },
    text: (text) => (redactor ??= createRedactor([...recent])).text(text),
  };
}
