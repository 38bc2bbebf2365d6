import type { ItemKey, TierItem } from '../../core/assembly.ts';

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

/** A symbol block before a file, as S1's blocks have them. */
export function symbolsFirst(keys: readonly ItemKey[]): ItemKey[] {
  return [...keys.filter(isSymbol), ...keys.filter((key) => !isSymbol(key))];
}

/** Items by key. */
export function byKey(items: readonly TierItem[]): Map<ItemKey, TierItem> {
  return new Map(items.map((item) => [item.key, item]));
}
