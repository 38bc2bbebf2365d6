import { cutText } from '../core/cut-text.ts';
import { SkeinError } from '../core/errors.ts';
import { visibleText } from '../core/visible-text.ts';

/** The longest id accepted: longer than any sensible path, short enough for every file system. */
const MAX_ID_LENGTH = 512;
const MAX_SEGMENT_LENGTH = 200;
const SEGMENT = /^[A-Za-z0-9._-]+$/;

/**
 * Checks an item id (contracts, "Item ids"): segments of `A-Z a-z 0-9 . _ -` joined by `/`, no extension, relative,
 * without `.` and `..` segments. Pure: no file is touched.
 *
 * @returns the id, unchanged
 * @throws SkeinError `item_id_refused` saying which rule was broken
 */
export function parseItemId(text: unknown): string {
  if (typeof text !== 'string') throw refused('(not text)', `it is ${describeType(text)}, not text`);
  const reason = findFault(text);
  if (reason !== undefined) throw refused(text, reason);
  return text;
}

function findFault(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.length > MAX_ID_LENGTH) return `it is longer than ${MAX_ID_LENGTH} characters`;
  if (text.includes('\0')) return 'it contains a NUL character';
  if (text.includes('\\')) return 'it contains a backslash; segments are separated by "/"';
  if (text.includes('%')) return 'it contains "%"; encoded characters are not accepted';
  if (text.startsWith('/')) return 'it is absolute; ids are relative to a space';
  return firstFault(text.split('/'));
}

function firstFault(segments: readonly string[]): string | undefined {
  for (const segment of segments) {
    if (segment === '') return 'it has an empty segment';
    if (segment === '.' || segment === '..') return `it has a "${segment}" segment`;
    if (segment.length > MAX_SEGMENT_LENGTH) return `a segment is longer than ${MAX_SEGMENT_LENGTH} characters`;
    if (!SEGMENT.test(segment)) return 'a segment has a character outside A-Z a-z 0-9 . _ -';
  }
  return undefined;
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}

function refused(text: string, reason: string): SkeinError {
  const shown = visibleText(JSON.stringify(cutText(text, 80)));
  return new SkeinError('item_id_refused', `The item id ${shown} is refused: ${reason}`);
}
