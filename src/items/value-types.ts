import type { ValueType } from '../core/item.ts';
import { isRecord } from '../core/record.ts';
import { readJson } from './safe-json.ts';

/** A value that was made to fit a declared type, or what was expected instead. */
export type Fitted = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly expected: string };

const TYPE_NAMES: ReadonlyMap<string, ValueType> = new Map([
  ['string', 'string'],
  ['str', 'string'],
  ['text', 'string'],
  ['integer', 'integer'],
  ['int', 'integer'],
  ['number', 'number'],
  ['float', 'number'],
  ['boolean', 'boolean'],
  ['bool', 'boolean'],
  ['array', 'array'],
  ['list', 'array'],
  ['object', 'object'],
  ['dict', 'object'],
]);

/** The type a person wrote, common synonyms included (`int`, `bool`, `list` …); undefined if it is none. */
export function readTypeName(text: string): ValueType | undefined {
  return TYPE_NAMES.get(text.trim().toLowerCase());
}

const EXPECTED: Readonly<Record<ValueType, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list (or a JSON list as text)',
  object: 'an object (or a JSON object as text)',
  any: 'any value',
};

/**
 * Makes a value fit a declared type: text that spells a number, a boolean or JSON becomes that value, a number or
 * boolean given for text becomes text. Everything else has to be of the type already.
 */
export function fitValue(value: unknown, type: ValueType): Fitted {
  const fitted = FITTERS[type](value);
  return fitted === undefined ? { ok: false, expected: EXPECTED[type] } : { ok: true, value: fitted };
}

/** The number a text spells in decimal notation, or undefined; never NaN or infinite. */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 64 || !/^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}

/** The boolean a text spells (`true false yes no 1 0`), or undefined. */
export function readBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === 'yes' || word === '1') return true;
  if (word === 'false' || word === 'no' || word === '0') return false;
  return undefined;
}

/** Each gives the value in the wanted type, or undefined when it does not fit. */
const FITTERS: Readonly<Record<ValueType, (value: unknown) => unknown>> = {
  string: (value) =>
    typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : typeof value === 'string'
        ? value
        : undefined,
  integer: (value) => {
    const number = toNumber(value);
    return Number.isSafeInteger(number) ? number : undefined;
  },
  number: toNumber,
  boolean: (value) => (typeof value === 'boolean' ? value : typeof value === 'string' ? readBoolean(value) : undefined),
  array: (value) => {
    const list = fromText(value);
    return Array.isArray(list) ? list : undefined;
  },
  object: (value) => {
    const object = fromText(value);
    return isRecord(object) ? object : undefined;
  },
  any: (value) => value,
};

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'string') return readNumber(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const json = readJson(value);
  return json.ok ? json.value : undefined;
}
