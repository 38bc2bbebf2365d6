import type { IndexedFile } from './symbol-task.ts';

/** Whether a value that was read back is a file of the index. Checked by hand: there are thousands at every start. */
export function isIndexedFile(value: unknown): value is IndexedFile {
  if (typeof value !== 'object' || value === null) return false;
  // Any object may be asked for any field.
  const fields = value as Readonly<Record<string, unknown>>;
  return (
    TEXTS.every((name) => typeof fields[name] === 'string') &&
    isOptionalText(fields['problem']) &&
    isLinks(fields['links'])
  );
}

const TEXTS = ['path', 'stamp', 'content', 'block', 'hash', 'names', 'uses'];

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isLinks(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((link) => Array.isArray(link) && link.every((way) => typeof way === 'string'))
  );
}
