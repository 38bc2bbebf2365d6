import { types } from 'node:util';
import { cutText } from '../../core/cut-text.ts';
import { RICH_KINDS, type PromptyAgent } from '../../core/prompty-agent.ts';
import { setOwn } from '../../core/record.ts';
import { REDACTED, type Redactor } from '../../core/redactor.ts';
import { hasSecretWord } from '../../core/secret-names.ts';
import { isBoundedInteger } from './engine/big-integer.ts';
import { dataProperty, isData, ownData } from './engine/own-data.ts';
import type { SpanAttributes } from './tracer.ts';
import type { PromptyInputs } from './validate-inputs.ts';

/** Longest text of an attribute, in UTF-16 units. */
const MAX_TEXT = 20_000;
/** Members of all lists and maps that are looked at, and how far inside one another they may be. */
const MAX_MEMBERS = 2000;
const MAX_DEPTH = 10;

/**
 * What a span says of a call: the prompt, its format, and its inputs as JSON, rich ones by their kind alone. Inputs that can't be
 * rendered are described as far as they are data.
 */
export function describeCall(
  { name, template, inputs: declared }: PromptyAgent,
  inputs: PromptyInputs,
): SpanAttributes {
  const rich = new Map(declared.filter(({ kind }) => RICH_KINDS.has(kind)).map((input) => [input.name, input.kind]));
  return {
    'prompty.name': name,
    'prompty.format': template.format.kind,
    'prompty.inputs': JSON.stringify(new PlainCopy(rich).ofInputs(inputs)),
  };
}

/** A rendered text, what it was made of, and what knows secrets. */
export type CallResult = {
  readonly text: string;
  readonly agent: PromptyAgent;
  readonly inputs: PromptyInputs;
  readonly redactor: Pick<Redactor, 'text'>;
};

/**
 * What a span says of a rendered text: nothing where an input is secret by its name or has a secret in it, since a template may
 * have made anything of it.
 */
export function describeResult({ text, agent, inputs, redactor }: CallResult): SpanAttributes {
  const { inputs: declared } = agent;
  const values = ownData(inputs);
  for (const { name, kind, default: fallback } of declared) {
    if (RICH_KINDS.has(kind)) delete values[name];
    else if (!Object.hasOwn(values, name)) setOwn(values, name, fallback);
  }
  const search = new SecretSearch();
  const name = search.nameIn(values);
  if (name !== undefined) return { 'prompty.result': `${REDACTED} (an input has "${clip(name)}")` };
  const said = search.texts.join('\n');
  return { 'prompty.result': redactor.text(said) === said ? text : `${REDACTED} (an input has a secret)` };
}

/** A text as an attribute. */
export function clip(text: string): string {
  return cutText(text, MAX_TEXT);
}

/** A copy without the members whose names say that they are secret, made without running anything of the value's own. */
class PlainCopy {
  readonly #rich: ReadonlyMap<string, string>;
  #members = 0;

  /** `rich`: members of the whole that their kind stands for. */
  constructor(rich: ReadonlyMap<string, string>) {
    this.#rich = rich;
  }

  /** An instance may hold all inputs: of its class nothing is read. */
  ofInputs(inputs: unknown): unknown {
    const isReadable = typeof inputs === 'object' && inputs !== null && !types.isProxy(inputs);
    return isReadable ? this.#ofMembers(inputs, 0) : this.#of(inputs, 0);
  }

  #of(value: unknown, depth: number): unknown {
    if (typeof value === 'bigint') return isBoundedInteger(value) ? String(value) : '<bigint>';
    if (typeof value === 'function' || typeof value === 'symbol') return `<${typeof value}>`;
    if (typeof value !== 'object' || value === null) return value;
    if (!isData(value)) return '<object>';
    if (depth > MAX_DEPTH || this.#members > MAX_MEMBERS) return '…';
    return this.#ofMembers(value, depth);
  }

  #ofMembers(value: object, depth: number): unknown {
    const members = Object.keys(value)
      .slice(0, MAX_MEMBERS)
      .map((key) => [key, this.#member(value, key, depth)] as const);
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  }

  #member(value: object, key: string, depth: number): unknown {
    this.#members += 1;
    if (hasSecretWord(key)) return REDACTED;
    const kind = depth === 0 ? this.#rich.get(key) : undefined;
    return kind === undefined ? this.#of(dataProperty(value, key), depth + 1) : `<${kind}>`;
  }
}

/** Looks for the first name that says that its value is secret, and that has one. Where there is none, `texts` are all it met but indices. */
class SecretSearch {
  readonly texts: string[] = [];
  #left = MAX_SEARCHED;
  #unitsLeft = MAX_SEARCHED_UNITS;
  readonly #seen = new Set<object>();

  nameIn(value: unknown, depth = 0): string | undefined {
    if (typeof value === 'string' || typeof value === 'number') return this.#keep(String(value));
    if (typeof value === 'bigint' && isBoundedInteger(value)) return this.#keep(String(value));
    if (typeof value !== 'object' || value === null || !isData(value) || this.#seen.has(value)) return undefined;
    this.#seen.add(value);
    const keys = Object.keys(value);
    this.#left -= keys.length;
    // What is not looked at may be anything.
    if (this.#left < 0 || depth > MAX_SEARCH_DEPTH) return '…';
    for (const key of keys) {
      const name = this.#nameInMember(value, key, depth + 1);
      if (name !== undefined) return name;
    }
    return undefined;
  }

  #nameInMember(value: object, key: string, depth: number): string | undefined {
    const member = dataProperty(value, key);
    if (Array.isArray(value) && Number(key) < value.length) return this.nameIn(member, depth);
    if (hasSecretWord(key) && isSaid(member)) return key;
    return this.#keep(key) ?? this.nameIn(member, depth);
  }

  #keep(text: string): string | undefined {
    this.texts.push(text);
    this.#unitsLeft -= text.length;
    return this.#unitsLeft < 0 ? '…' : undefined;
  }
}

/** Elements and members, and how far inside one another, that are searched for secrets. */
const MAX_SEARCHED = 250_000;
const MAX_SEARCH_DEPTH = 64;
/** UTF-16 units of all texts that are searched: half of what a template writes, since looking takes longer than writing. */
const MAX_SEARCHED_UNITS = 2_097_152;

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && typeof value !== 'boolean';
}
