import { isRecord, own, setOwn } from '../record.ts';
import { asSchema, resolveRef, type JsonSchema } from './schema-walk.ts';

/** References followed for one value, in all and one inside the other; what takes more is refused by the check anyway. */
const MAX_REFERENCES = 10_000;
const MAX_DEPTH = 64;

type Run = { left: number; depth: number };
/** The value with defaults put in. */
type Fill = (value: unknown, run: Run) => unknown;

/**
 * Compiles the function that puts in the `default`s of missing properties, at any depth below `properties`, `items`,
 * `allOf` and `$ref`; undefined for a schema without any. The function changes neither the value nor the schema: where it
 * puts something in, it copies what is around it. A default that is an object is copied, and is taken as it is written
 * (defaults inside it are not looked for).
 */
export function compileDefaults(root: JsonSchema): ((value: unknown) => unknown) | undefined {
  const references = new Map<string, { fill: Fill | undefined }>();

  const compile = (schema: JsonSchema): Fill | undefined => {
    if (typeof schema === 'boolean') return undefined;
    const all = own(schema, 'allOf');
    const ref = own(schema, '$ref');
    const parts = Array.isArray(all) ? all.map((part: unknown) => compile(asSchema(part, '#/allOf'))) : [];
    return inOrder([
      fillProperties(schema, compile),
      fillItems(schema, compile),
      ...parts,
      ref === undefined ? undefined : reference(ref),
    ]);
  };

  /** A reference may lead back to where it stands: what it leads to is known only after that. */
  const reference = (ref: unknown): Fill => {
    const key = String(ref);
    const known = references.get(key) ?? { fill: undefined };
    if (!references.has(key)) {
      references.set(key, known);
      known.fill = compile(resolveRef(root, ref, '#/$ref'));
    }
    return (value, run) => {
      if (!known.fill || run.depth >= MAX_DEPTH || run.left <= 0) return value;
      run.left--;
      run.depth++;
      const filled = known.fill(value, run);
      run.depth--;
      return filled;
    };
  };

  const fill = compile(root);
  return fill && ((value) => fill(value, { left: MAX_REFERENCES, depth: 0 }));
}

function inOrder(fills: readonly (Fill | undefined)[]): Fill | undefined {
  const [first, ...others] = fills.filter((fill) => fill !== undefined);
  if (others.length === 0) return first;
  return (value, run) => others.reduce((filled, fill) => fill(filled, run), first?.(value, run));
}

type Compile = (schema: JsonSchema) => Fill | undefined;
type Property = { readonly key: string; readonly fill: Fill | undefined; readonly owner: unknown };

function fillProperties(schema: Readonly<Record<string, unknown>>, compile: Compile): Fill | undefined {
  const declared = own(schema, 'properties');
  if (!isRecord(declared)) return undefined;
  const properties = Object.entries(declared)
    .map(([key, property]): Property => {
      const fill = compile(asSchema(property, `#/properties/${key}`));
      return { key, fill, owner: isRecord(property) && Object.hasOwn(property, 'default') ? property : undefined };
    })
    .filter(({ fill, owner }) => fill !== undefined || owner !== undefined);
  if (properties.length === 0) return undefined;
  return (value, run) => {
    if (!isRecord(value)) return value;
    const filled: Record<string, unknown> = { ...value };
    for (const { key, fill, owner } of properties) {
      const isGiven = Object.hasOwn(value, key);
      if (isGiven && fill) setOwn(filled, key, fill(value[key], run));
      else if (!isGiven && isRecord(owner)) setOwn(filled, key, copyOf(owner['default']));
    }
    return filled;
  };
}

function copyOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value;
}

function fillItems(schema: Readonly<Record<string, unknown>>, compile: Compile): Fill | undefined {
  const item = own(schema, 'items');
  const fill = isRecord(item) ? compile(item) : undefined;
  if (!fill) return undefined;
  return (value, run) => (Array.isArray(value) ? value.map((one: unknown) => fill(one, run)) : value);
}
