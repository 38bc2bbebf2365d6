import { safeEnd } from './redact-tail.ts';
import { attempt } from './result.ts';
import { SECRET_HINTS, SECRET_SHAPES } from './secret-shapes.ts';
import { spellingsOf, toSpelling, type Spelling } from './secret-spelling.ts';

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
  /**
   * A text, plain or JSON, without secrets. JSON stays JSON: a secret is replaced inside of its string. A value that could be a
   * number is not looked for in the numbers of JSON: a time may hold its digits. What is JSON counts as such, whoever has said it.
   */
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
  const text = (given: string): string => (patterns.hint.test(given) ? withoutSecrets(given, patterns) : given);
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
    safeEnd: (given, from) => safeEnd(given, from, patterns),
  };
  redactor.add(values);
  return redactor;
}

/** `spellings`: of the known values; `numeric`: the known values that could be numbers, or a part of one; `others`: all but these. */
type Patterns = {
  readonly spellings: readonly Spelling[];
  readonly hint: RegExp;
  readonly secret: RegExp;
  readonly numeric: RegExp | undefined;
  readonly others: RegExp;
};

/** Two looks: a cheap one for texts without secrets, which are nearly all, and a thorough one for the rest. */
function compile(known: ReadonlySet<string>): Patterns {
  // The longest first: one that begins with another must not leave its rest.
  const values = [...new Set([...known].flatMap(spellingsOf))].toSorted((a, b) => b.length - a.length);
  const spellings = values.map(toSpelling);
  const numeric = spellings.filter(({ text }) => isNumeric(text)).map(({ source }) => source);
  const others = spellings.filter(({ text }) => !isNumeric(text)).map(({ source }) => source);
  const all = spellings.map(({ source }) => source);
  return {
    spellings,
    hint: new RegExp([...SECRET_HINTS, ...all].join('|')),
    secret: new RegExp([...all, ...SECRET_SHAPES].join('|'), 'g'),
    numeric: numeric.length > 0 ? new RegExp(numeric.join('|'), 'g') : undefined,
    others: new RegExp([...others, ...SECRET_SHAPES].join('|'), 'g'),
  };
}

function withoutSecrets(text: string, { numeric, others }: Patterns): string {
  const clean = text.replace(others, replacement);
  if (!numeric || clean.search(numeric) === -1) return clean;
  if (isDocument(clean)) return inStrings(clean, numeric);
  // A log has one document on each line, a stream as well, with a name before it. Of other lines nothing is spared.
  return clean
    .split('\n')
    .map((line) =>
      isDocument(line.replace(/^data: ?/, '')) ? inStrings(line, numeric) : line.replace(numeric, REDACTED),
    )
    .join('\n');
}

function isDocument(text: string): boolean {
  return /^\s*[[{]/.test(text) && attempt(() => JSON.parse(text)).ok;
}

/** Takes values out of the strings of JSON. No expression finds them: it would run out of stack in one of many megabytes. */
function inStrings(json: string, values: RegExp): string {
  let clean = '';
  let told = 0;
  for (let start = json.indexOf('"'); start !== -1; start = json.indexOf('"', told)) {
    const end = endOfString(json, start + 1) + 1;
    clean += json.slice(told, start) + json.slice(start, end).replace(values, REDACTED);
    told = end;
  }
  return clean + json.slice(told);
}

/**
 * Where the quote stands that ends a string of JSON, which is the first that follows an even number of backslashes; or the end of
 * the text. No expression: it would run out of stack in long ones.
 */
export function endOfString(json: string, from: number): number {
  for (let quote = json.indexOf('"', from); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === '\\') before--;
    if ((quote - before) % 2 === 0) return quote;
  }
  return json.length;
}

const NUMERIC = /^[-+.\deE]+$/;

/** Whether a value is made of what numbers of JSON are made of. */
export function isNumeric(value: string): boolean {
  return NUMERIC.test(value);
}

function spanOf({ index, 0: found, groups }: RegExpExecArray): readonly [start: number, end: number] {
  return [index + (groups?.['scheme']?.length ?? 0), index + found.length];
}

function replacement(...[, scheme]: readonly unknown[]): string {
  return typeof scheme === 'string' ? `${scheme}${REDACTED}` : REDACTED;
}
