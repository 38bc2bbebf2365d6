import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Extractors } from '../config/extractors.ts';
import type { ItemKind } from '../core/item.ts';
import type { ParsedItem, ParsedOf } from './parsed-item.ts';
import type { ParserRouter } from './parser-router.ts';
import type { ReadItem } from './spaces.ts';

/** Lies beside the system space: a line with a digest, one with the items' names and digests, and one of JSON for each. */
export const PARSED_ITEMS_FILE = 'parsed-items.jsonl';

/** Where the build's items are, and what it has read them by. */
export type ShippedItems = { readonly systemDir: string; readonly extractors: Extractors };

/** An item of the package, and what it is parsed to. */
export type ShippedItem = { readonly item: ReadItem; readonly parsed: ParsedItem };

/**
 * Parses as the router does, but takes what the build has parsed (ADR 60) for items of the system space that are what they
 * were then. Whatever is not there, or has changed, is parsed.
 */
export function withParsedItems(router: ParserRouter, shipped: ShippedItems): ParserRouter {
  let known: ReadonlyMap<string, string> | undefined;
  return {
    extensionsOf: router.extensionsOf,
    parse<Kind extends ItemKind>(item: ReadItem & { readonly kind: Kind }): ParsedOf<Kind> {
      if (item.space !== 'system' || item.warnings.length > 0) return router.parse(item);
      known ??= readParsedItems(shipped);
      const json = known.get(keyOf(item));
      if (json === undefined) return router.parse(item);
      // The build has written it of this very text, since its digest is that; another object each time, as from the router.
      return placed(JSON.parse(json) as ParsedOf<Kind>, item.stamp.file);
    },
  };
}

/** The text of the file for items of the system space. One that is not alone under its id is left out. */
export function parsedItemsText(items: readonly ShippedItem[], extractors: Extractors): string {
  const alone = items.filter(({ item }) => item.warnings.length === 0);
  const keys = JSON.stringify(alone.map(({ item }) => keyOf(item)));
  // Where they lie here is nobody's concern.
  const lines = [keys, ...alone.map(({ parsed }) => JSON.stringify(placed(parsed, '')))].join('\n');
  return `${digestOf(lines, extractors)}\n${lines}\n`;
}

/** JSON by key; empty if there is nothing, or it is not what the build has written for these extractors. */
function readParsedItems({ systemDir, extractors }: ShippedItems): ReadonlyMap<string, string> {
  const [digest, ...lines] = textOf(join(systemDir, PARSED_ITEMS_FILE)).trimEnd().split('\n');
  if (digest !== digestOf(lines.join('\n'), extractors)) return new Map();
  const [keys = '[]', ...parsed] = lines;
  // The build has written them, since they are of that digest.
  return new Map((JSON.parse(keys) as readonly string[]).map((key, at) => [key, parsed[at] ?? 'null']));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The sources have none, and no item needs it.
    return '';
  }
}

/** Another text, or another way to read it, is another item. */
function keyOf({ kind, id, extension, sha256 }: ReadItem): string {
  return `${kind} ${id} ${extension} ${sha256}`;
}

/** The same in another place. */
function placed<Kind extends ItemKind>(parsed: ParsedOf<Kind>, file: string): ParsedOf<Kind> {
  const value = 'file' in parsed.value ? { ...parsed.value, file } : parsed.value;
  return { ...parsed, file, value };
}

/** Against accidents: who may write into the package may change its code as well. */
function digestOf(lines: string, extractors: Extractors): string {
  return hash('sha256', `${JSON.stringify(extractors)}\n${lines}`);
}
