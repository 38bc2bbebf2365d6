import { messageOf, SkeinError } from '../../core/errors.ts';
import { setOwn } from '../../core/record.ts';
import { attempt } from '../../core/result.ts';
import { refusedAs } from './argument-types.ts';

/** Deepest nesting of inputs. */
const MAX_DEPTH = 100;

/**
 * A copy of what JSON can hold: inputs are stored with their thread and must come back as they were given, whatever becomes of
 * the caller's own objects. Properties that are undefined are left out, as JSON leaves them out.
 *
 * @throws SkeinError `invalid_input` with the path of the first value that does not fit, or with what reading one has thrown
 */
export function plainCopyOf(value: unknown, path: string): unknown {
  try {
    return copyOf(value, path, 0);
  } catch (cause) {
    if (cause instanceof SkeinError) throw cause;
    throw new SkeinError('invalid_input', `${path} can't be read: ${messageOf(cause)}`, { where: { path }, cause });
  }
}

/** Nothing would be found in a Map, nor behind the accessors of a class. @throws SkeinError `invalid_argument` */
export function checkPlain(what: string, given: object): void {
  if (!isPlain(given)) throw refusedAs(what, 'an object of names and values', classOf(given));
}

function copyOf(value: unknown, path: string, depth: number): unknown {
  const found = depth > MAX_DEPTH ? 'nested too deep, or a circle' : oddityOf(value);
  if (found !== undefined) {
    throw new SkeinError('invalid_input', `${path} is ${found}; only what JSON can hold may be an input`, {
      where: { path },
    });
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return listCopy(value, path, depth);
  const copy: Record<string, unknown> = {};
  // What oddityOf has let pass has names and values.
  const given = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(given)) {
    const inner = given[key];
    if (inner !== undefined) setOwn(copy, key, isSimple(inner) ? inner : copyOf(inner, `${path}.${key}`, depth + 1));
  }
  return copy;
}

/** Holes and what is undefined are null, as in JSON. */
function listCopy(list: readonly unknown[], path: string, depth: number): unknown[] {
  return Array.from(list, (inner, at) =>
    inner === undefined || isSimple(inner) ? (inner ?? null) : copyOf(inner, `${path}[${at}]`, depth + 1),
  );
}

/** Most values are: they need no path. */
function isSimple(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function oddityOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'object':
      return value === null || Array.isArray(value) || isPlain(value) ? undefined : classOf(value);
    default:
      return `a ${typeof value}`;
  }
}

/** Objects of another realm, as of `node:vm`, have another prototype, which is that of nothing else. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf');
}

/** Anything may stand where its class should. */
function classOf(value: object): string {
  const name = attempt((): unknown => value.constructor.name);
  const isNamed = name.ok && typeof name.value === 'string' && name.value !== 'Object';
  return isNamed ? `a ${name.value}` : 'no plain object';
}
