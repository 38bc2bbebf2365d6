import { SkeinError } from '../errors.ts';
import { isRecord, own } from '../record.ts';

/** A JSON Schema as it comes out of a file: an object, or `true`/`false`. */
export type JsonSchema = Readonly<Record<string, unknown>> | boolean;

/** The error for a schema that cannot be used, pointing at the keyword. */
export function badSchema(pointer: string, message: string): SkeinError {
  return new SkeinError('invalid_item', `this JSON Schema cannot be used: ${message}`, { where: { path: pointer } });
}

/**
 * Reads a value that must be a schema.
 *
 * @throws SkeinError `invalid_item` when it is something else.
 */
export function asSchema(value: unknown, pointer: string): JsonSchema {
  if (typeof value === 'boolean' || isRecord(value)) return value;
  throw badSchema(pointer, `expected a schema (an object, true or false), found ${JSON.stringify(value)}`);
}

/**
 * Follows a local reference (`#`, `#/$defs/name`).
 *
 * @throws SkeinError `invalid_item` for a reference that leaves the document or leads nowhere.
 */
export function resolveRef(root: JsonSchema, ref: unknown, pointer: string): JsonSchema {
  if (typeof ref !== 'string' || !(ref === '#' || ref.startsWith('#/'))) {
    throw badSchema(pointer, `$ref ${JSON.stringify(ref)} is not local; write "#/$defs/<name>"`);
  }
  const found = ref.split('/').slice(1).reduce<unknown>(referredIn, root);
  if (found === undefined) throw badSchema(pointer, `$ref "${ref}" leads nowhere`);
  return asSchema(found, pointer);
}

/** A reference is a URI: what may not stand in one is percent-encoded, which not all who write them know. */
function referredIn(node: unknown, part: string): unknown {
  return childOf(node, unescaped(part)) ?? childOf(node, unescaped(decoded(part)));
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not encoded: the name as it is leads nowhere.
    return part;
  }
}

function childOf(node: unknown, key: string): unknown {
  if (Array.isArray(node)) return node[Number(key)];
  return isRecord(node) ? own(node, key) : undefined;
}
