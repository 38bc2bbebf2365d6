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
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'undefined':
      return '';
    case 'object':
      return value === null ? '' : jsonOf(value, run);
    default:
      throw run.refuse(`A ${typeof value} can't be written`);
  }
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
  #units = 0;
  #depth = 0;

  constructor(run: Run, indent: number) {
    this.#run = run;
    this.#indent = indent;
  }

  write(value: unknown): string {
    if (typeof value === 'object' && value !== null) return this.#nested(value);
    if (typeof value === 'string') return this.#paid(JSON.stringify(value));
    if (typeof value === 'number') return this.#paid(Number.isFinite(value) ? String(value) : 'null');
    if (typeof value === 'boolean' || typeof value === 'bigint') return this.#paid(String(value));
    if (value === undefined || value === null) return this.#paid('null');
    throw this.#run.refuse(`A ${typeof value} can't be written`);
  }

  #nested(value: object): string {
    const run = this.#run;
    if (!isData(value)) throw notData(value, run);
    if (this.#depth >= run.nesting) throw run.error('template_nesting_exceeded', 'A value is nested too deep');
    this.#depth += 1;
    const list = listOf(value, run);
    const written = list
      ? this.#bracket('[]', list.map((element) => this.write(element)))
      : this.#bracket('{}', (keysOf(value, run) ?? []).map((key) => this.#entry(key, ownValue(value, key, run))));
    this.#depth -= 1;
    return written;
  }

  #entry(key: string, value: unknown): string {
    return `${this.#paid(JSON.stringify(key))}: ${this.write(value)}`;
  }

  #bracket(brackets: '[]' | '{}', parts: readonly string[]): string {
    const [open = '', close = ''] = brackets;
    if (parts.length === 0) return brackets;
    if (this.#indent === 0) return open + parts.join(', ') + close;
    const inner = `\n${' '.repeat(this.#indent * (this.#depth))}`;
    const outer = `\n${' '.repeat(this.#indent * (this.#depth - 1))}`;
    return open + inner + parts.join(`,${inner}`) + outer + close;
  }

  #paid(text: string): string {
    this.#units += text.length + 2 + this.#indent * this.#depth;
    this.#run.reserve(this.#units);
    this.#run.read(text);
    return text;
  }
}
