import { messageOf } from '../core/errors.ts';
import { isRecord } from '../core/record.ts';

/** Levels of nesting that are read; deeper text is refused so that recursive readers of the value are safe. */
export const MAX_JSON_DEPTH = 64;

/** JSON text read from an item or a caller, or why it could not be. */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Parses JSON from an untrusted source: at most 64 levels, and no `__proto__` key. Never throws. */
export function readJson(text: string): JsonReading {
  if (depthOf(text) > MAX_JSON_DEPTH) return { ok: false, reason: `nested deeper than ${MAX_JSON_DEPTH} levels` };
  try {
    const value: unknown = JSON.parse(text);
    return hasProtoKey(value) ? { ok: false, reason: 'refused for a key "__proto__"' } : { ok: true, value };
  } catch (error) {
    return { ok: false, reason: `not JSON (${messageOf(error)})` };
  }
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (inString) {
      if (char === '\\') index++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth);
    else if (char === ']' || char === '}') depth--;
  }
  return deepest;
}

function hasProtoKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasProtoKey);
  if (!isRecord(value)) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProtoKey);
}
