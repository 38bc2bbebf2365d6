import { integerText } from './big-integer.ts';
import { isData, keysOf, listOf, notData, ownValue } from './own-data.ts';
import type { Run } from './run.ts';

/**
 * A value as it stands in a prompt: `true`, `1` for 1.0, nothing for null and undefined, JSON for lists and maps
 * (contracts, "Values").
 */
export function textOf(value: unknown, run: Run): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return numberText(value);
    case 'boolean':
      return String(value);
    case 'bigint':
      return integerText(value, run);
    case 'undefined':
      return '';
    case 'object':
      return value === null ? '' : jsonOf(value, run);
    default:
      throw run.refuse(`A ${typeof value} can't be written`);
  }
}

/** Up to here a number and its hundredths have so few digits that both are exact. */
const MAX_CENTS = 1e9;

/**
 * A number as `String` writes it. V8 keeps the texts of numbers by bits that halves and quarters have in common, so that
 * theirs are made anew each time; what has two digits behind the point is put together in an eighth of that. It
 * pays for prices and the like alone: without it the Mustache template of `bench/prompty.bench.ts`, with 20 prices that end in
 * a half, renders a quarter fewer times a second, and with prices of all kinds a twelfth.
 */
function numberText(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const cents = Math.round(value * 100);
  // No other decimal of up to 15 digits is the same number, so none that is shorter is what `String` would write.
  if (cents / 100 !== value || cents > MAX_CENTS || cents < 0) return String(value);
  const whole = Math.trunc(cents / 100);
  const rest = cents - whole * 100;
  return rest % 10 === 0 ? `${whole}.${rest / 10}` : `${whole}.${rest < 10 ? '0' : ''}${rest}`;
}

/**
 * A value as JSON in one line, `, ` and `: ` between its parts as Python writes it; with `indent`, in lines. Keys stand in
 * their own order, no character is escaped for HTML.
 */
export function jsonOf(value: unknown, run: Run, indent = 0): string {
  return new JsonWriter(run, indent).write(value);
}

/** Writes one value; what it has written may not exceed the budget of output. */
class JsonWriter {
  readonly #run: Run;
  readonly #indent: number;
  #text = '';
  #depth = 0;

  constructor(run: Run, indent: number) {
    this.#run = run;
    this.#indent = indent;
  }

  write(value: unknown): string {
    this.#value(value);
    return this.#text;
  }

  #value(value: unknown): void {
    if (typeof value === 'object' && value !== null) this.#nested(value);
    else if (typeof value === 'string') this.#string(value);
    else if (typeof value === 'number') this.#put(Number.isFinite(value) ? String(value) : 'null');
    else if (typeof value === 'boolean') this.#put(String(value));
    else if (typeof value === 'bigint') this.#put(integerText(value, this.#run));
    else if (value === undefined || value === null) this.#put('null');
    else throw this.#run.refuse(`A ${typeof value} can't be written`);
  }

  #nested(value: object): void {
    const run = this.#run;
    if (!isData(value)) throw notData(value, run);
    if (this.#depth >= run.nesting) throw run.error('template_nesting_exceeded', 'A value is nested too deep');
    this.#depth += 1;
    const list = listOf(value, run);
    if (list) {
      this.#bracket('[]', list, (element) => this.#value(element));
    } else {
      this.#bracket('{}', keysOf(value, run) ?? [], (key) => {
        this.#string(key);
        this.#put(': ');
        this.#value(ownValue(value, key, run));
      });
    }
    this.#depth -= 1;
  }

  #bracket<Part>([open = '', close = '']: string, parts: readonly Part[], put: (part: Part) => void): void {
    this.#put(open);
    for (const [at, part] of parts.entries()) {
      if (at > 0) this.#put(this.#indent === 0 ? ', ' : ',');
      this.#newLine(this.#depth);
      put(part);
    }
    if (parts.length > 0) this.#newLine(this.#depth - 1);
    this.#put(close);
  }

  #newLine(depth: number): void {
    if (this.#indent > 0) this.#put(`\n${' '.repeat(this.#indent * depth)}`);
  }

  #string(text: string): void {
    this.#run.spend(1 + (text.length >> 3));
    this.#put(this.#run.changed(text, JSON.stringify(text)));
  }

  #put(text: string): void {
    this.#run.spend(3);
    this.#run.reserve(this.#text.length + text.length);
    this.#text += text;
  }
}
