import { isRecord } from '../core/record.ts';

/** The keywords of a JSON Schema that the strict mode of OpenAI's functions knows. */
const KNOWN = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'description',
  'anyOf',
  'title',
]);

/**
 * Whether a tool's input schema may be sent as strict: every property required, nothing beyond them allowed, and no
 * keyword that strict mode refuses. What does not fit is sent as it is; its inputs are checked here in any case.
 */
export function fitsStrict(schema: Readonly<Record<string, unknown>>): boolean {
  return schema['type'] === 'object' && fits(schema);
}

function fits(schema: unknown): boolean {
  if (!isRecord(schema) || !Object.keys(schema).every((key) => KNOWN.has(key))) return false;
  const { type, properties, items, anyOf } = schema;
  const types = new Set([type].flat());
  if (types.has('object') && !isClosed(schema)) return false;
  if (types.has('array') && items === undefined) return false;
  if (type === undefined && !Array.isArray(anyOf)) return false;
  const parts = [...Object.values(isRecord(properties) ? properties : {}), ...(Array.isArray(anyOf) ? anyOf : [])];
  if (items !== undefined) parts.push(items);
  return parts.every((part) => fits(part));
}

function isClosed({ properties, required, additionalProperties }: Readonly<Record<string, unknown>>): boolean {
  if (additionalProperties !== false || !isRecord(properties)) return false;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.keys(properties).every((name) => needed.includes(name));
}
