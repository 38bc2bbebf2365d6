import { asSchema, isRecord, own, resolveRef } from './schema-walk.ts';
import type { JsonSchema } from './schema-walk.ts';

/** Nesting at which {@link fillDefaults} stops: deeper inputs are refused by the check anyway. */
const MAX_DEPTH = 64;

/**
 * The value with the `default`s of missing properties put in, at any depth below `properties`, `items`, `allOf` and
 * `$ref`. Neither the value nor the schema is changed; a default that is an object is copied, and is taken as it is
 * written (defaults inside it are not looked for).
 */
export function fillDefaults(root: JsonSchema, value: unknown): unknown {
  return fill(root, value, { root, depth: 0 });
}

type Spot = { readonly root: JsonSchema; readonly depth: number };

function fill(schema: JsonSchema, value: unknown, spot: Spot): unknown {
  if (typeof schema === 'boolean' || spot.depth > MAX_DEPTH) return value;
  const deeper = { root: spot.root, depth: spot.depth + 1 };
  return parts(schema, spot.root).reduce<unknown>(
    (filled, part) => fill(part, filled, deeper),
    fillItems(schema, fillProperties(schema, value, deeper), deeper),
  );
}

/** The schemas that describe the same value. */
function parts(schema: Readonly<Record<string, unknown>>, root: JsonSchema): readonly JsonSchema[] {
  const all = own(schema, 'allOf');
  const ref = own(schema, '$ref');
  const listed = Array.isArray(all) ? all.map((part: unknown) => asSchema(part, '#/allOf')) : [];
  return ref === undefined ? listed : [...listed, resolveRef(root, ref, '#/$ref')];
}

function fillProperties(schema: Readonly<Record<string, unknown>>, value: unknown, spot: Spot): unknown {
  const declared = own(schema, 'properties');
  if (!isRecord(value) || !isRecord(declared)) return value;
  const filled = new Map(Object.entries(value));
  for (const [key, property] of Object.entries(declared)) {
    const given = filled.get(key);
    if (filled.has(key)) filled.set(key, fill(asSchema(property, `#/properties/${key}`), given, spot));
    else if (isRecord(property) && Object.hasOwn(property, 'default')) {
      filled.set(key, structuredClone(property['default']));
    }
  }
  return Object.fromEntries(filled);
}

function fillItems(schema: Readonly<Record<string, unknown>>, value: unknown, spot: Spot): unknown {
  const item = own(schema, 'items');
  if (!Array.isArray(value) || !isRecord(item)) return value;
  return value.map((one: unknown) => fill(item, one, spot));
}
