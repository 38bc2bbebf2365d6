import { mapSchema, type Schema } from './map-schema.ts';

/** Says of itself that it is a schema of an object, whatever else it says. */
type ObjectSchema = { readonly type: 'object' };

/**
 * A tool's input schema as providers take it, in the words of JSON Schema 2020-12: they refuse a whole request for a
 * tuple as drafts before wrote it, or a schema that does not say that it is one of an object, as all of them are.
 */
export function currentSchema(schema: Schema): ObjectSchema {
  const known = current.get(schema) ?? renewAll(schema);
  current.set(schema, known);
  return known;
}

/** Each schema is read once: it is sent with every request of a plan. */
const current = new WeakMap<Schema, ObjectSchema>();

/** What it says of its draft is no longer so. */
function renewAll(schema: Schema): ObjectSchema {
  const { $schema: _, ...renewed } = mapSchema(schema, renew);
  return { ...renewed, type: 'object' };
}

function renew(schema: Schema): Schema {
  const ref = schema['$ref'];
  if (typeof ref === 'string') return { ...schema, $ref: ref.replaceAll(INTO_A_TUPLE, '/prefixItems') };
  const { items: places, additionalItems, ...rest } = schema;
  if (!Array.isArray(places)) return withoutEmptyTuple(schema);
  const items = additionalItems !== undefined && { items: additionalItems };
  return withoutEmptyTuple({ ...rest, prefixItems: places, ...items });
}

/** A list of places has one at least. */
function withoutEmptyTuple(schema: Schema): Schema {
  const { prefixItems, ...rest } = schema;
  return Array.isArray(prefixItems) && prefixItems.length === 0 ? rest : schema;
}

/** The step of a reference from a tuple to one of its places. */
const INTO_A_TUPLE = /\/items(?=\/\d+(?:\/|$))/g;
