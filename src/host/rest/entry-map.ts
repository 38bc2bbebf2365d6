import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import { createIdMap, createNumberedMap } from '../../core/paged-map.ts';
import type { ThreadEntry } from './thread-table.ts';

/**
 * The entries of threads, by number and id. One that is kept is there until it is deleted. One at rest is there for as long
 * as anybody else holds it (a handle, a wait, its child): so there is never a second entry of a thread while somebody
 * works with the first.
 */
export interface EntryMap {
  get(thread: ThreadNo): ThreadEntry | undefined;
  /** Any text may be asked for; what is no id is not in it. */
  byId(id: string): ThreadEntry | undefined;
  keep(entry: ThreadEntry): void;
  letGo(entry: ThreadEntry): void;
  delete(entry: ThreadEntry): void;
  values(): Iterable<ThreadEntry>;
  size(): number;
}

/** Refers to an entry without holding it. */
export type Reference = { readonly deref: () => ThreadEntry | undefined };

/** Makes an empty map; `referTo` makes the references to entries at rest. */
export function createEntryMap(referTo: (entry: ThreadEntry) => Reference): EntryMap {
  const kept = createNumberedMap<ThreadEntry>();
  const resting = createNumberedMap<Reference>();
  const ids = createIdMap<ThreadNo>();
  const collected = new FinalizationRegistry<Place>(({ thread, threadId }) => {
    // It may have been read back meanwhile.
    if (get(thread)) return;
    resting.delete(thread);
    ids.delete(threadId);
  });
  const get = (thread: ThreadNo): ThreadEntry | undefined => kept.get(thread) ?? resting.get(thread)?.deref();
  return {
    get,
    byId(id) {
      const thread = ids.get(id);
      return thread === undefined ? undefined : get(thread);
    },
    keep(entry) {
      const { thread, threadId } = entry.lineage;
      if (kept.has(thread)) return;
      kept.set(thread, entry);
      ids.set(threadId, thread);
      if (resting.delete(thread)) collected.unregister(entry);
    },
    letGo(entry) {
      const { thread, threadId } = entry.lineage;
      if (!kept.delete(thread)) return;
      resting.set(thread, referTo(entry));
      collected.register(entry, { thread, threadId }, entry);
    },
    delete(entry) {
      const { thread, threadId } = entry.lineage;
      kept.delete(thread);
      resting.delete(thread);
      ids.delete(threadId);
      collected.unregister(entry);
    },
    *values() {
      yield* kept.values();
      for (const reference of resting.values()) {
        const entry = reference.deref();
        if (entry) yield entry;
      }
    },
    size: () => kept.size() + resting.size(),
  };
}

type Place = { readonly thread: ThreadNo; readonly threadId: ThreadId };
