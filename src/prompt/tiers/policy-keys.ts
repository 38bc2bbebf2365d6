import * as z from 'zod';
import type { ItemKey, TierItem } from '../../core/assembly.ts';

/** A key in a stored state. */
export const Key = z.custom<ItemKey>(
  (value) => typeof value === 'string' && /^(?:file|symbol|history|tree):/.test(value),
);

/** The path of a file or symbol key, the id of a history key. */
export function pathOf(key: ItemKey): string {
  return key.slice(key.indexOf(':') + 1);
}

/** Whether a key names a message. */
export function isHistory(key: ItemKey): key is `history:${string}` {
  return key.startsWith('history:');
}

/** Whether a key names a symbol block. */
export function isSymbol(key: ItemKey): key is `symbol:${string}` {
  return key.startsWith('symbol:');
}

/** Whether a key names a file's text. */
export function isFile(key: ItemKey): key is `file:${string}` {
  return key.startsWith('file:');
}

/** Whether a key names the list of all files. */
export function isTree(key: ItemKey): key is `tree:${string}` {
  return key.startsWith('tree:');
}

/** A symbol block before a file, as S1's blocks have them. */
export function symbolsFirst(keys: readonly ItemKey[]): ItemKey[] {
  return [...keys.filter(isSymbol), ...keys.filter((key) => !isSymbol(key))];
}

/** Items by key. */
export function byKey(items: readonly TierItem[]): Map<ItemKey, TierItem> {
  return new Map(items.map((item) => [item.key, item]));
}

/** Whether these messages are still the first of the history, in the same order. */
export function beginsHistory(placed: readonly ItemKey[], items: readonly TierItem[]): boolean {
  const history = items.map(({ key }) => key).filter(isHistory);
  return placed.every((key, at) => history[at] === key);
}
