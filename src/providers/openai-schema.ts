import { currentSchema } from './current-schema.ts';
import { mapSchema, type Schema } from './map-schema.ts';

/**
 * A tool's input schema as OpenAI takes it: it refuses a whole request for an object that says nothing of its properties,
 * or a list that says nothing of its items. What is added allows what was allowed before.
 */
export function openaiSchema(schema: Schema): Schema {
  const known = filled.get(schema) ?? mapSchema(currentSchema(schema), fill);
  filled.set(schema, known);
  return known;
}

/** Each schema is read once: it is sent with every request of a plan. */
const filled = new WeakMap<Schema, Schema>();

function fill(schema: Schema): Schema {
  const types = new Set([schema['type']].flat());
  return {
    ...schema,
    ...(types.has('object') && !Object.hasOwn(schema, 'properties') && { properties: {} }),
    ...(types.has('array') && !Object.hasOwn(schema, 'items') && { items: {} }),
  };
}
