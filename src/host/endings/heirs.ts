import type { ThreadNo } from '../../core/ids.ts';
import type { EntryMap } from '../rest/entry-map.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** A thread, or the row of one, as far as it says whose child it is. */
export type BelowParent = { readonly lineage: Pick<ThreadEntry['lineage'], 'parent'> };

/** Whose children a thread's are once it has handed over. */
export interface Heirs {
  /** The parent of a thread, or who took over from that. */
  readonly parentOf: (entry: BelowParent) => ThreadEntry | undefined;
  /** Gives the children of a thread to the one that took over from it. */
  readonly inherit: (heir: ThreadEntry, entry: ThreadEntry) => void;
  readonly forget: (entry: ThreadEntry) => void;
}

/** Makes the part of a table that knows who took over; costs nothing for threads without children. */
export function createHeirs(entries: Pick<EntryMap, 'get'>): Heirs {
  /** By the numbers of those who had children. */
  const heirs = new Map<ThreadNo, ThreadEntry>();
  return {
    parentOf: ({ lineage }) =>
      lineage.parent === undefined ? undefined : (heirs.get(lineage.parent) ?? entries.get(lineage.parent)),
    inherit(heir, entry) {
      entry.successor = heir;
      heir.family = entry.family;
      if (!entry.children?.size) return;
      const own = heir.children;
      // The same set: who goes through it finds those that come since.
      heir.children = entry.children;
      for (const thread of own ?? []) heir.children.add(thread);
      heir.liveChildren += entry.liveChildren;
      heir.heirOf = [...entry.heirOf, entry.lineage.thread];
      for (const thread of heir.heirOf) heirs.set(thread, heir);
      entry.children = undefined;
      entry.liveChildren = 0;
      entry.heirOf = [];
    },
    forget({ heirOf }) {
      for (const thread of heirOf) heirs.delete(thread);
    },
  };
}
