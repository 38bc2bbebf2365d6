import * as z from 'zod';
import { camelCase, type CamelCase } from '../core/camel-case.ts';
import { SkeinError, type ErrorPlace } from '../core/errors.ts';

/** An object type with its keys in camelCase; nested objects are sections of their own and stay as they are. */
export type CamelKeys<Fields> = { readonly [Key in keyof Fields as CamelCase<Key>]: Fields[Key] };

/** Schema of one section of a config file. */
export type Section<Shape extends z.ZodRawShape> = z.ZodType<CamelKeys<z.output<z.ZodObject<Shape, z.core.$strict>>>>;

/**
 * A map with exactly these keys: snake_case in the file, camelCase in what it parses to. An unknown key is refused with the
 * list of the allowed ones.
 */
export function section<const Shape extends z.ZodRawShape>(shape: Shape): Section<Shape> {
  return strict(shape).transform((fields) => camelKeys(fields));
}

/** A map with exactly these keys, kept in snake_case: for what stays as it is written (hooks). */
export function strict<const Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown key ${quoted(issue.keys)}; allowed: ${Object.keys(shape).join(', ')}`
        : undefined,
  });
}

/** Version of the format of every config file; any other is refused. */
export const schemaVersion: z.ZodLiteral<'1.0.0'> = z.literal('1.0.0', {
  error: 'unknown schema_version; this release reads "1.0.0" (a text, in quotes)',
});

/** In a file stands the name of a variable, never a secret itself. */
export const variableName = z.string().regex(/^[A-Za-z_]\w*$/, 'the name of an environment variable');

/**
 * Parses a config document.
 *
 * @throws SkeinError `invalid_config` with the path of the first problem; `detail.issues` lists all of them.
 */
export function parseSection<Output>(schema: z.ZodType<Output>, value: unknown, file: string): Output {
  // Compiling a parser takes longer than the one document it would be for.
  const parsed = schema.safeParse(value, { jitless: true });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    path: describePath(value, placeOf(issue)),
    message: issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message,
  }));
  const [first, ...more] = issues;
  const where: ErrorPlace = { file, path: first?.path ?? '' };
  const suffix = more.length > 0 ? ` (and ${more.length} more problems)` : '';
  throw new SkeinError('invalid_config', `${first?.message ?? 'invalid'}${suffix}`, { where, detail: { issues } });
}

/** The map that has an unknown key; a file as a whole has no name, so there it is the key itself. */
function placeOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.slice(0, 1) : issue.path;
}

/** `patterns[http_429].match`: entries of a list are named by their id where they have one. */
function describePath(root: unknown, path: readonly PropertyKey[]): string {
  let text = '';
  let current = root;
  for (const key of path) {
    current = readOwn(current, key);
    if (typeof key !== 'number') text += text === '' ? String(key) : `.${String(key)}`;
    else text += `[${entryName(current) ?? key}]`;
  }
  return text;
}

function entryName(entry: unknown): string | undefined {
  const id = readOwn(entry, 'id') ?? readOwn(entry, 'name');
  return typeof id === 'string' ? id : undefined;
}

function readOwn(parent: unknown, key: PropertyKey): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return undefined;
  return (parent as Readonly<Record<PropertyKey, unknown>>)[key]; // an own property of an object
}

function camelKeys<Fields extends object>(fields: Fields): CamelKeys<Fields> {
  const renamed = Object.entries(fields).map(([key, value]) => [camelCase(key), value] as const);
  return Object.fromEntries(renamed) as CamelKeys<Fields>; // each key renamed as the type says, values unchanged
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(', ');
}
