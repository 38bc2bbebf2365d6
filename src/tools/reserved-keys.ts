import type { Failure } from '../core/errors.ts';

/** Names that no caller and no file may give: the first is the runtime's own word, the second sets a prototype. */
const RESERVED: readonly string[] = ['_thread_context', '__proto__'];

/** Why a value is refused as a whole: a reserved name stands in it, at any depth; undefined if there is none. */
export function findReserved(value: unknown): Failure | undefined {
  // Nearly always there is none, and then nobody wants to know where.
  const path = hasReserved(value) ? findReservedKey(value) : undefined;
  if (path === undefined) return undefined;
  const message = `"${path.slice(0, 200)}" is refused: nobody but the runtime gives that; leave it out`;
  return { code: 'permission_denied', message };
}

function hasReserved(value: unknown): boolean {
  const pending: object[] = [];
  /** Made with the first object inside of another: most inputs are flat. */
  let seen: Set<object> | undefined;
  for (let next = isObject(value) ? value : undefined; next !== undefined; next = pending.pop()) {
    for (const name of RESERVED) if (Object.hasOwn(next, name)) return true;
    for (const inner of Object.values(next)) {
      if (!isObject(inner) || inner === value || seen?.has(inner)) continue;
      seen ??= new Set();
      seen.add(inner);
      pending.push(inner);
    }
  }
  return false;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

type Part = { readonly value: unknown; readonly path: string };

/** Where it stands, as a dotted path. */
function findReservedKey(value: unknown): string | undefined {
  const pending: Part[] = [{ value, path: '' }];
  const seen = new Set<unknown>();
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (!isObject(part.value) || seen.has(part.value)) continue;
    seen.add(part.value);
    for (const [key, inner] of Object.entries(part.value)) {
      const path = part.path === '' ? key : `${part.path}.${key}`;
      if (RESERVED.includes(key)) return path;
      pending.push({ value: inner, path });
    }
  }
  return undefined;
}
