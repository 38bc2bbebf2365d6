import { setOwn } from '../core/record.ts';

/**
 * A copy that shares no list and no plain object with what is copied, at any depth. What else there is, such as dates and
 * bytes, stays what it is. A flat object costs little more than a spread.
 */
export function ownCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner: unknown) => ownCopy(inner));
  if (!isPlain(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  // Nothing that is inherited has a name to be seen.
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === 'object' && inner !== null) setOwn(copy, key, ownCopy(inner));
  }
  return copy;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
