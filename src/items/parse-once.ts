import type { ItemKind } from '../core/item.ts';
import type { ParsedOf } from './parsed-item.ts';
import type { ParserRouter } from './parser-router.ts';
import type { ReadItem } from './spaces.ts';

type Known = { readonly item: ReadItem; readonly parsed: unknown };

/**
 * Parses a file once for as long as it stays what it is, also when it is asked for by its space and by no space: a worker
 * does both with each thread tool. An item is another object each time, since its source is part of what it is.
 */
export function parseOnce(router: Pick<ParserRouter, 'parse'>): ParserRouter['parse'] {
  const known = new Map<string, Known>();
  return <Kind extends ItemKind>(item: ReadItem & { readonly kind: Kind }): ParsedOf<Kind> => {
    const key = `${item.kind}:${item.space}:${item.id}`;
    const last = known.get(key);
    // Of that kind, by its key.
    if (last && isSame(last.item, item)) return copy(last.parsed as ParsedOf<Kind>);
    const parsed = router.parse(item);
    known.set(key, { item, parsed });
    return parsed;
  };
}

function isSame(known: ReadItem, item: ReadItem): boolean {
  return (
    known.sha256 === item.sha256 &&
    known.stamp.file === item.stamp.file &&
    known.extension === item.extension &&
    known.warnings.join('\n') === item.warnings.join('\n')
  );
}

function copy<Kind extends ItemKind>(parsed: ParsedOf<Kind>): ParsedOf<Kind> {
  return { ...parsed, value: { ...parsed.value } };
}
