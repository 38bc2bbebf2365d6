import type { ItemKind } from '../core/item.ts';
import { keepLast } from './keep-last.ts';
import type { ParsedOf } from './parsed-item.ts';
import type { ParserRouter } from './parser-router.ts';
import type { ReadItem } from './spaces.ts';

/** What was parsed, as a text, and to what. The item itself, with all of its file, is not held. */
type Known = { readonly version: string; readonly parsed: unknown };

/** How many items are kept: more than a project has. */
export const MAX_KEPT_ITEMS = 10_000;

/**
 * Parses a file once for as long as it stays what it is, also when it is asked for by its space and by no space: a worker
 * does both with each thread tool. An item is another object each time, since its source is part of what it is. Of more than
 * `max` the oldest goes first.
 */
export function parseOnce(router: Pick<ParserRouter, 'parse'>, max = MAX_KEPT_ITEMS): ParserRouter['parse'] {
  const known = new Map<string, Known>();
  return <Kind extends ItemKind>(item: ReadItem & { readonly kind: Kind }): ParsedOf<Kind> => {
    const key = `${item.kind}:${item.space}:${item.id}`;
    const version = versionOf(item);
    const last = known.get(key);
    // Of that kind, by its key.
    if (last?.version === version) return copy(last.parsed as ParsedOf<Kind>);
    const parsed = router.parse(item);
    keepLast(known, { key, value: { version, parsed }, max });
    return parsed;
  };
}

function versionOf({ sha256, stamp, extension, warnings }: ReadItem): string {
  return JSON.stringify([sha256, stamp.file, extension, warnings]);
}

function copy<Kind extends ItemKind>(parsed: ParsedOf<Kind>): ParsedOf<Kind> {
  return { ...parsed, value: { ...parsed.value } };
}
