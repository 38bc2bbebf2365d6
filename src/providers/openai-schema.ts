import { isRecord } from '../core/record.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * A tool's input schema as OpenAI takes it: it refuses a whole request for an object that says nothing of its properties,
 * or a list that says nothing of its items. What is added allows what was allowed before.
 */
export function openaiSchema(schema: Schema): Schema {
  const known = filled.get(schema) ?? fill(schema);
  filled.set(schema, known);
  return known;
}

/** Each schema is read once: it is sent with every request of a plan. */
const filled = new WeakMap<Schema, Schema>();

function fill(schema: Schema): Schema {
  const parts = Object.entries(schema).map(([key, value]) => [key, fillPart(key, value)] as const);
  const types = new Set([schema['type']].flat());
  return {
    ...Object.fromEntries(parts),
    ...(types.has('object') && !Object.hasOwn(schema, 'properties') && { properties: {} }),
    ...(types.has('array') && !Object.hasOwn(schema, 'items') && { items: {} }),
  };
}

function fillPart(key: string, value: unknown): unknown {
  if (WITH_SCHEMAS.has(key)) return Array.isArray(value) ? value.map(fillAny) : fillAny(value);
  if (!WITH_NAMED_SCHEMAS.has(key) || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, fillAny(schema)]));
}

/** A schema may be `true` or `false`, too. */
function fillAny(schema: unknown): unknown {
  return isRecord(schema) ? fill(schema) : schema;
}

/** Keywords with a schema, or with a list of them. */
const WITH_SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
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
