import { SkeinError } from '../../core/errors.ts';

/** A JSON Schema as it comes out of a file: an object, or `true`/`false`. */
export type JsonSchema = Readonly<Record<string, unknown>> | boolean;

/** Whether a value is a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property, or undefined: inherited names such as `constructor` are never seen. */
export function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The error for a schema that cannot be used, pointing at the keyword. */
export function badSchema(pointer: string, message: string): SkeinError {
  return new SkeinError('invalid_item', `the input schema cannot be used: ${message}`, { where: { path: pointer } });
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
  const found = ref
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (node, key) => (typeof node === 'object' && node !== null ? own({ ...node }, key) : undefined),
      root,
    );
  if (found === undefined) throw badSchema(pointer, `$ref "${ref}" leads nowhere`);
  return asSchema(found, pointer);
}
