import { escapeMarkup } from '../../core/escape-markup.ts';
import { RICH_KINDS, type PromptyAgent } from '../../core/prompty-agent.ts';
import { LEAST_SECRET, REDACTED } from '../../core/redactor.ts';
import { dataProperty, isData, ownData } from './engine/own-data.ts';
import type { SpanAttributes } from './tracer.ts';
import type { PromptyInputs } from './validate-inputs.ts';

/** Longest text of an attribute, in UTF-16 units. */
const MAX_TEXT = 20_000;
/** Members of all lists and maps that are looked at, and how far inside one another they may be. */
const MAX_MEMBERS = 2000;
const MAX_DEPTH = 10;
/** Names that say that their value is nobody's business. */
const SECRET_NAME = /secret|password|api_?key|token|auth(?!or)|credential|cookie/i;

/** What a span says of a call: the prompt, its format, and its inputs as JSON, rich ones by their kind alone. */
export function describeCall(
  { name, template, inputs: declared }: PromptyAgent,
  inputs: PromptyInputs,
): SpanAttributes {
  const rich = new Map(declared.filter(({ kind }) => RICH_KINDS.has(kind)).map((input) => [input.name, input.kind]));
  const shown = Object.entries(ownData(inputs)).map(
    ([key, value]) => [key, rich.has(key) ? `<${rich.get(key)}>` : value] as const,
  );
  return {
    'prompty.name': name,
    'prompty.format': template.format.kind,
    'prompty.inputs': JSON.stringify(new PlainCopy().of(Object.fromEntries(shown))),
  };
}

/** What a span says of a rendered text: inputs that are nobody's business are not in it either. */
export function describeResult(text: string, inputs: PromptyInputs): SpanAttributes {
  const copy = new PlainCopy();
  copy.of(ownData(inputs));
  const secrets = copy.secrets.flatMap((secret) => [secret, escapeMarkup(secret)]);
  return { 'prompty.result': secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text) };
}

/** A text as an attribute. */
export function clip(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`;
}

/** A copy without the members whose names say that they are secret, made without running anything of the value's own. */
class PlainCopy {
  /** The texts that were left out, unless they are too short to be told from others. */
  readonly secrets: string[] = [];
  #members = 0;

  of(value: unknown, depth = 0): unknown {
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'function' || typeof value === 'symbol') return `<${typeof value}>`;
    if (typeof value !== 'object' || value === null) return value;
    if (!isData(value)) return '<object>';
    if (depth > MAX_DEPTH || this.#members > MAX_MEMBERS) return '…';
    const members = Object.keys(value)
      .slice(0, MAX_MEMBERS)
      .map((key) => [key, this.#member(value, key, depth)] as const);
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  }

  #member(value: object, key: string, depth: number): unknown {
    this.#members += 1;
    const member = dataProperty(value, key);
    if (!SECRET_NAME.test(key)) return this.of(member, depth + 1);
    if (typeof member === 'string' && member.length >= LEAST_SECRET) this.secrets.push(member);
    return REDACTED;
  }
}
