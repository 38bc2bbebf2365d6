import { SkeinError } from '../../core/errors.ts';

/** Deepest nesting of inputs. */
const MAX_DEPTH = 100;

/**
 * Refuses what JSON can't hold: inputs are stored with their thread and must come back as they were. Properties that are
 * undefined are left out, as JSON leaves them out.
 *
 * @throws SkeinError `invalid_input` with the path of the first value that does not fit
 */
export function checkPlainData(value: unknown, path: string, depth = 0): void {
  const found = depth > MAX_DEPTH ? 'nested too deep, or a circle' : oddityOf(value);
  if (found !== undefined) {
    throw new SkeinError('invalid_input', `${path} is ${found}; only what JSON can hold may be an input`, {
      where: { path },
    });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (inner !== undefined)
      checkPlainData(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, depth + 1);
  }
}

function oddityOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'object':
      return value === null || Array.isArray(value) || isPlain(value) ? undefined : `a ${value.constructor.name}`;
    default:
      return `a ${typeof value}`;
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
