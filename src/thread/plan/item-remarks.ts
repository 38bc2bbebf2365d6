import { SPACE_NAMES, type ItemKind, type SpaceName } from '../../core/item.ts';
import { isRecord, own } from '../../core/record.ts';
import type { ItemCache } from '../../items/item-cache.ts';
import type { HookAction } from '../hooks/hooks.ts';
import type { ThreadWarning } from './start-warnings.ts';

/** An item that a thread uses: the first of its id, or the one in `source`. */
export type UsedItem = { readonly kind: ItemKind; readonly id: string; readonly source?: SpaceName };

/** Collects what the trust policy remarks on items that a thread uses, each remark once. */
export interface ItemRemarks {
  /** Notes an item that was just read. @throws SkeinError if it can't be read any more */
  add(item: UsedItem): void;
  /** What is to be told of the items so far. */
  warnings(): readonly ThreadWarning[];
}

/** Makes an empty collection; `told`: remarks that somebody else tells. */
export function createItemRemarks(items: Pick<ItemCache, 'remarks'>, told: readonly string[]): ItemRemarks {
  let idsByRemark: Map<string, string> | undefined;
  return {
    add({ kind, id, source }) {
      for (const remark of items.remarks(kind, id, source)) (idsByRemark ??= new Map()).set(remark, id);
    },
    warnings: () =>
      [...(idsByRemark ?? [])]
        .filter(([message]) => !told.includes(message))
        .map(([message, where]) => ({ code: 'item_unsigned', message, where })),
  };
}

/** The item whose text the result of a hook's action is; tools are remarked on by space. */
export function usedItem({ attributes, hostFunction }: HookAction, value: unknown): UsedItem | undefined {
  if (hostFunction !== undefined || !isRecord(value) || own(value, 'status') !== 'success') return undefined;
  const { type: kind, item_id: id, data } = value;
  if ((kind !== 'directive' && kind !== 'knowledge') || typeof id !== 'string') return undefined;
  const given = isRecord(data) ? own(data, 'source') : undefined;
  const source = SPACE_NAMES.find((space) => space === (given ?? attributes['source']));
  return { kind, id, ...(source && { source }) };
}
