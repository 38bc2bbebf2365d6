import { isRecord } from '../core/record.ts';

/** A JSON Schema that is none of `true` and `false`. */
export type Schema = Readonly<Record<string, unknown>>;

/** A JSON Schema made anew: each schema in it is what `change` makes of it, from within, and itself at last. */
export function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const mapAny = (part: unknown): unknown => (isRecord(part) ? mapSchema(part, change) : part);
  const mapPart = (key: string, value: unknown): unknown => {
    if (WITH_SCHEMAS.has(key)) return Array.isArray(value) ? value.map(mapAny) : mapAny(value);
    if (!WITH_NAMED_SCHEMAS.has(key) || !isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapAny(part)]));
  };
  return change(Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, mapPart(key, value)])));
}

/** Keywords with a schema, or with a list of them. */
const WITH_SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
]);

/** Keywords with schemas by name. */
const WITH_NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);
