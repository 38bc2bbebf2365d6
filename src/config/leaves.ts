import type { Document } from './merge.ts';

/** A part of a document, and its path: `patterns[http_429].retry_policy.base`. */
export type Part = { readonly path: string; readonly value: unknown };

/**
 * The values of a document by their paths, in order: everything that is no map or list, and empty maps and lists. Entries
 * of a list are named by their `id` or `name` where each has its own, else by their place.
 */
export function leavesOf(document: Document): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>();
  const visit = ({ path, value }: Part): void => {
    const parts = partsOf({ path, value });
    if (parts.length === 0) leaves.set(path, value);
    for (const part of parts) visit(part);
  };
  for (const part of partsOf({ path: '', value: document })) visit(part);
  return leaves;
}

/** The parts of a map or list; none of anything else. */
export function partsOf({ path, value }: Part): readonly Part[] {
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value;
    const names = namesOf(entries);
    return entries.map((entry, at) => ({ path: `${path}[${names?.[at] ?? at}]`, value: entry }));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([key, part]) => ({ path: joined(path, key), value: part }));
}

/** A key that would look like a path is put in brackets and quotes. */
function joined(path: string, key: string): string {
  if (!/^[^.[\]"\s]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

function namesOf(entries: readonly unknown[]): readonly string[] | undefined {
  return ['id', 'name'].map((key) => ownNames(entries, key)).find((names) => names !== undefined);
}

function ownNames(entries: readonly unknown[], key: string): readonly string[] | undefined {
  const names = entries.flatMap((entry) => textAt(entry, key) ?? []);
  return names.length === entries.length && new Set(names).size === names.length ? names : undefined;
}

function textAt(entry: unknown, key: string): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const found: unknown = Object.getOwnPropertyDescriptor(entry, key)?.value;
  return typeof found === 'string' ? found : undefined;
}
