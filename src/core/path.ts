/** Reads one field of a context; `undefined` when there is none. */
export type FieldReader = (context: unknown) => unknown;

/**
 * The value at a dotted path (S2 §7.3), or `undefined`. Only own properties of maps and indices of lists are followed,
 * so `__proto__`, `constructor` or `length` are missing paths. Give the segments as a list when a key contains a dot.
 */
export function resolvePath(doc: unknown, path: string | readonly string[]): unknown {
  const segments = typeof path === 'string' ? path.split('.') : path;
  let current = doc;
  for (const segment of segments) {
    current = child(current, segment);
    if (current === undefined) return undefined;
  }
  return current;
}

/**
 * Prepares a path for repeated reading. Every field of a context is also found under `event.` (contracts,
 * "Interpolation"), unless the context has a field of that name itself.
 */
export function compilePath(path: string): FieldReader {
  const segments = path.split('.');
  if (segments[0] !== 'event') return (context) => resolvePath(context, segments);
  const withoutAlias = segments.slice(1);
  return (context) => resolvePath(context, segments) ?? resolvePath(context, withoutAlias);
}

/** A value as text: `true`, `42`, JSON for maps and lists, `""` for what is missing (contracts, "Interpolation"). */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : '';
}

const LIST_INDEX = /^(?:0|[1-9]\d{0,9})$/;

function child(parent: unknown, key: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined;
  if (Array.isArray(parent) && !LIST_INDEX.test(key)) return undefined;
  if (!Object.hasOwn(parent, key)) return undefined;
  // Own property of an object of unknown shape; the result stays unknown.
  return (parent as Readonly<Record<string, unknown>>)[key];
}
