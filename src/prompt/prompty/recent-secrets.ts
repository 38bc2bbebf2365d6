import { createRedactor, LEAST_SECRET, REDACTED, spellingsOf, type Redactor } from '../../core/redactor.ts';

/** Takes the secrets that it was told last out of texts, and what looks like a key. */
export interface RecentSecrets extends Pick<Redactor, 'text'> {
  /** Adds values; those with fewer than 8 characters are left out. */
  add(values: readonly string[]): void;
}

/**
 * Makes one that keeps so many values and forgets the oldest, for what lives as long as the process. Values may be of any length,
 * certificates or whole files: they are looked for one by one, since in one regular expression 2,000 of 1,000 characters take
 * seconds to compile, and 10,000 of each are more than V8 survives. Nothing is made of a value before a text is asked about, so
 * where nobody traces, it costs its place.
 */
export function createRecentSecrets(most: number = Number.POSITIVE_INFINITY): RecentSecrets {
  const recent = new Set<string>();
  const shapes = createRedactor();
  let sought: readonly string[] | undefined;
  return {
    add(values) {
      for (const value of values) {
        if (value.length < LEAST_SECRET) continue;
        if (!recent.delete(value)) sought = undefined;
        recent.add(value);
      }
      for (const oldest of recent) {
        if (recent.size <= most) break;
        recent.delete(oldest);
      }
    },
    text(given) {
      sought ??= longestFirst([...recent].flatMap(spellingsOf));
      let text = given;
      for (const secret of sought) text = text.replaceAll(secret, REDACTED);
      return shapes.text(text);
    },
  };
}

/** One that begins with another must not leave its rest. */
function longestFirst(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted((a, b) => b.length - a.length);
}
