import { safeEnd } from './redact-tail.ts';
import { SECRET_HINTS, SECRET_SHAPES } from './secret-shapes.ts';

/** What stands in place of a secret. */
export const REDACTED = '[redacted]';

/** Characters of a secret that is looked for: a shorter one would be found in texts that have nothing to do with it. */
export const LEAST_SECRET = 8;

/**
 * Takes secrets out of what leaves memory: values that are known to be secret, wherever they stand, and what looks like a key
 * of a known issuer (docs/adr/0036-recordings-keys-redaction.md). What it returns is the text it was given if there is none.
 *
 * Owns: the known values. They are added and never forgotten, since a key that was replaced may still be in flight.
 */
export interface Redactor {
  /** Adds known values; those with fewer than 8 characters are left out. */
  add(values: readonly string[]): void;
  /** A text, plain or JSON, without secrets. JSON stays JSON: a secret is replaced inside of its string. */
  text(text: string): string;
  /** Where secrets stand in a text: their beginnings and ends, in order. */
  spans(text: string): readonly (readonly [start: number, end: number])[];
  /** Plain data without secrets; for what is rare, since it is encoded to be looked through. */
  data<Data>(data: Data): Data;
  /**
   * For a text that is told in pieces: up to where it may be told now, from `from` on. What follows could be the beginning of a
   * secret whose rest is still to come.
   */
  readonly safeEnd: (text: string, from: number) => number;
}

/** Makes a redactor that knows these values. */
export function createRedactor(values: readonly string[] = []): Redactor {
  const known = new Set<string>();
  let patterns = compile(known);
  const text = (given: string): string =>
    patterns.hint.test(given) ? given.replace(patterns.secret, replacement) : given;
  const redactor: Redactor = {
    add(more) {
      const before = known.size;
      for (const value of more) if (value.length >= LEAST_SECRET) known.add(value);
      if (known.size > before) patterns = compile(known);
    },
    text,
    spans: (given) => (patterns.hint.test(given) ? [...given.matchAll(patterns.secret)].map(spanOf) : []),
    data<Data>(data: Data): Data {
      const json = JSON.stringify(data) as string | undefined; // of nothing at all there is no JSON
      const clean = json === undefined ? json : text(json);
      // The same data, with other texts in it.
      return clean === undefined || clean === json ? data : (JSON.parse(clean) as Data);
    },
    safeEnd: (given, from) => safeEnd(given, from, { values: known, secret: patterns.secret }),
  };
  redactor.add(values);
  return redactor;
}

type Patterns = { readonly hint: RegExp; readonly secret: RegExp };

/** Two looks: a cheap one for texts without secrets, which are nearly all, and a thorough one for the rest. */
function compile(known: ReadonlySet<string>): Patterns {
  // The longest first: one that begins with another must not leave its rest.
  const values = [...new Set([...known].flatMap(spellingsOf))].toSorted((a, b) => b.length - a.length).map(literally);
  return {
    hint: new RegExp([...SECRET_HINTS, ...values].join('|')),
    secret: new RegExp([...values, ...SECRET_SHAPES].join('|'), 'g'),
  };
}

/** A value as it stands in a text, in JSON, in JSON inside of JSON, and in a URL. */
export function spellingsOf(value: string): readonly string[] {
  const inJson = escapeJson(value);
  return [value, inJson, escapeJson(inJson), encodeURIComponent(value.toWellFormed())];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

function spanOf({ index, 0: found, groups }: RegExpExecArray): readonly [start: number, end: number] {
  return [index + (groups?.['scheme']?.length ?? 0), index + found.length];
}

function replacement(...[, scheme]: readonly unknown[]): string {
  return typeof scheme === 'string' ? `${scheme}${REDACTED}` : REDACTED;
}
