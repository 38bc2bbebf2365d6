import { cutText } from '../core/cut-text.ts';
import { exactJson, losesDigits } from '../core/exact-json.ts';
import { isRecord, own } from '../core/record.ts';
import { ok, type Result } from '../core/result.ts';
import { refuseInput } from '../core/input-issues.ts';
import type { SchemaIssue } from '../core/json-schema/schema-check.ts';
import { asSchema, resolveRef, type JsonSchema } from '../core/json-schema/schema-walk.ts';

/**
 * Turns the text of `<param>` elements into what the tool's schema declares (contracts, "`<param>` text"): booleans,
 * numbers, null, and JSON objects and arrays. Values that are not text, and names the schema does not declare, stay as
 * they are. Where several types are declared, text is read as the first that fits, `string` last; or first, if `keepTexts`
 * says that a text may be meant as one. What fits none is `tool_input_invalid`, naming every such param.
 */
export function coerceParams(
  schema: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
  { keepTexts = false }: { readonly keepTexts?: boolean } = {},
): Result<Readonly<Record<string, unknown>>> {
  const issues: SchemaIssue[] = [];
  const coerced = Object.entries(params).map(([name, value]) => {
    const types = typeof value === 'string' ? declaredTypes(schema, name) : [];
    const isMeant = types.length === 0 || (keepTexts && types.includes('string'));
    const read = typeof value === 'string' && !isMeant ? readText(value, types) : { value };
    if (!read) issues.push({ path: name, message: `must be ${types.join(' or ')}, found the text ${quote(value)}` });
    return [name, read?.value] as const;
  });
  return issues.length > 0 ? refuseInput(issues) : ok(Object.fromEntries(coerced));
}

function declaredTypes(schema: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const properties = own(schema, 'properties');
  const property = isRecord(properties) ? own(properties, name) : undefined;
  return property === undefined ? [] : typesOf(asSchema(property, `#/properties/${name}`), schema);
}

/** The types a schema names, directly, through its allowed values or through `anyOf`/`oneOf`; empty = any. */
function typesOf(property: JsonSchema, root: JsonSchema): readonly string[] {
  const types = new Set<string>();
  // Grows while it is gone through, and has each schema once, however many lead to it.
  const schemas = new Set([property]);
  for (const schema of schemas) {
    if (typeof schema === 'boolean') continue;
    const named = namedTypes(schema);
    for (const type of named ?? []) types.add(type);
    if (!named) for (const other of standIns(schema, root)) schemas.add(other);
  }
  return [...types];
}

function namedTypes(schema: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const named = own(schema, 'type');
  if (typeof named === 'string') return [named];
  if (Array.isArray(named)) return named.filter((type) => typeof type === 'string');
  if (own(schema, '$ref') !== undefined) return undefined;
  const values = own(schema, 'enum') ?? (Object.hasOwn(schema, 'const') ? [schema['const']] : undefined);
  return Array.isArray(values) ? values.map(jsonType) : undefined;
}

function standIns(schema: Readonly<Record<string, unknown>>, root: JsonSchema): readonly JsonSchema[] {
  const ref = own(schema, '$ref');
  if (ref !== undefined) return [resolveRef(root, ref, '#')];
  const forms = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  return Array.isArray(forms) ? forms.map((form: unknown) => asSchema(form, '#')) : [];
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function readText(text: string, types: readonly string[]): { readonly value: unknown } | undefined {
  const ordered = types.toSorted((left, right) => Number(left === 'string') - Number(right === 'string'));
  for (const type of ordered) {
    const read = readAs(text, type);
    if (read) return read;
  }
  return undefined;
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function readAs(text: string, type: string): { readonly value: unknown } | undefined {
  const bare = text.trim();
  switch (type) {
    case 'string':
      return { value: text };
    case 'boolean':
      return /^(?:true|false)$/i.test(bare) ? { value: bare.toLowerCase() === 'true' } : undefined;
    case 'null':
      return bare === 'null' ? { value: null } : undefined;
    case 'number':
    case 'integer':
      return readNumber(bare, type);
    case 'object':
    case 'array':
      return readJson(bare, type);
    default:
      return undefined;
  }
}

function readNumber(text: string, type: 'number' | 'integer'): { readonly value: number } | undefined {
  const value = Number(text);
  const fits = type === 'integer' ? Number.isSafeInteger(value) : !losesDigits(text);
  return fits && NUMBER.test(text) ? { value } : undefined;
}

function readJson(text: string, type: 'object' | 'array'): { readonly value: unknown } | undefined {
  const value = exactJson(text);
  return jsonType(value) === type ? { value } : undefined;
}

function quote(value: unknown): string {
  return JSON.stringify(cutText(String(value), 60));
}
