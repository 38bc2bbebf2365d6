import type { Extractor, FieldSpec, ParserName } from '../config/extractors.ts';
import { type FieldType, isOfType } from '../config/field-type.ts';
import { resolvePath } from '../core/path.ts';
import { isRecord } from '../core/record.ts';
import type { ParsedItem } from './parsed-item.ts';
import { quote } from './reading.ts';
import { fitValue } from './value-types.ts';

/** Something about a field of an item that is not as its extractor says. */
export type FieldProblem = { readonly field: string; readonly problem: string };

/** The fields of an item by id, and those that do not fit. */
export type FieldReading = {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly problems: readonly FieldProblem[];
};

type Data = Readonly<Record<string, unknown>>;

/** Parsers whose files can only say text: it becomes a number, boolean or list where one is declared. */
const TEXTUAL: ReadonlySet<ParserName> = new Set<ParserName>(['markdown_xml', 'static_bash']);

/**
 * Reads the fields an extractor declares from what a parser found. A value of the wrong type is a problem, and taken all
 * the same if it can be made to fit. That a required field is missing is no problem for reading.
 */
export function readFields(data: Data, extractor: Extractor, extension: string): FieldReading {
  const textual = isTextual(extractor, extension);
  const problems: FieldProblem[] = [];
  const entries = extractor.fields.flatMap((spec): [string, unknown][] => {
    const { value, problem } = readField(spec, data, textual);
    if (problem !== undefined) problems.push({ field: spec.id, problem });
    return value === undefined ? [] : [[spec.id, value]];
  });
  return { fields: Object.fromEntries(entries), problems };
}

/**
 * Checks an item against the schema of its extractor, as it has to be before it is signed (contracts, "Signature"): types,
 * required fields, enums. Files that declare no item of their own have to fulfil nothing.
 */
export function validateFields(
  parsed: Pick<ParsedItem, 'data' | 'extension' | 'declared'>,
  extractor: Extractor,
): readonly FieldProblem[] {
  if (!parsed.declared) return [];
  const textual = isTextual(extractor, parsed.extension);
  return extractor.fields.flatMap((spec) => {
    const { value, problem } = readField(spec, parsed.data, textual);
    if (problem !== undefined) return [{ field: spec.id, problem }];
    const isMissing = spec.required && (value === undefined || value === '');
    return isMissing ? [{ field: spec.id, problem: `it is required, and ${quote(spec.path)} is not there` }] : [];
  });
}

function isTextual({ files }: Extractor, extension: string): boolean {
  const parser = files.find(({ id }) => id === extension)?.parser;
  return parser !== undefined && TEXTUAL.has(parser);
}

type FieldValue = { readonly value: unknown; readonly problem?: string };

function readField(spec: FieldSpec, data: Data, textual: boolean): FieldValue {
  const found = resolvePath(data, spec.path) ?? undefined;
  if (found === undefined) return { value: spec.default };
  const isRight = isOfType(found, spec.type);
  const value = isRight ? found : fit(found, spec.type);
  if (!isRight && (!textual || value === undefined)) {
    return { value: value ?? spec.default, problem: `it is ${describe(found)}; ${EXPECTED[spec.type]} is expected` };
  }
  if (spec.enum === undefined || spec.enum.some((allowed) => allowed === value)) return { value };
  const allowed = spec.enum.map((entry) => JSON.stringify(entry)).join(', ');
  return { value, problem: `it is ${describe(value)}; allowed: ${allowed}` };
}

const EXPECTED: Readonly<Record<FieldType, string>> = {
  string: 'text (in quotes where it could be a number)',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
};

function fit(value: unknown, type: FieldType): unknown {
  const fitted = fitValue(value, type);
  if (fitted.ok) return fitted.value;
  return type === 'array' ? toList(value) : undefined;
}

/** The lists of XML: `a, b` as text, and elements of one name inside another. */
function toList(value: unknown): unknown {
  if (typeof value === 'string') {
    return value
      .split(/[,\n]/)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }
  const [only, second] = isRecord(value) ? Object.values(value) : [];
  if (only === undefined || second !== undefined) return undefined;
  return Array.isArray(only) ? only : [only];
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `the text ${quote(value)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : 'a map';
}
