import type { ThreadNo } from '../../core/ids.ts';
import { createNumberedMap } from '../../core/paged-map.ts';
import { isAtRest } from './at-rest.ts';
import type { EntryMap } from './entry-map.ts';
import type { ThreadEntry, ThreadTable } from './thread-table.ts';

/** The part of a table that lets go of threads at rest, and gets them back. */
export type Resting = Pick<ThreadTable, 'keep' | 'rest' | 'isInLine' | 'inLine' | 'takeFromLine' | 'recall'> & {
  readonly forget: (thread: ThreadNo) => void;
};

/** Makes it; without a way to read threads back, nobody is let go of. */
export function createResting(
  entries: EntryMap,
  readBack: ((thread: ThreadNo) => ThreadEntry | undefined) | undefined,
): Resting {
  /** Of those that were let go of in line, there is nothing but their numbers. */
  const inLine = createNumberedMap<ThreadNo>();
  const recall = (thread: ThreadNo): ThreadEntry | undefined => entries.get(thread) ?? readBack?.(thread);
  return {
    keep(entry) {
      // It stays for as long as recent endings say.
      if (entry.phase === 'ended') return;
      entries.keep(entry);
      inLine.delete(entry.lineage.thread);
    },
    rest(entry) {
      const { thread } = entry.lineage;
      if (!readBack || entries.get(thread) !== entry || !isAtRest(entry)) return;
      if (entry.inLine) inLine.set(thread, thread);
      entries.letGo(entry);
    },
    isInLine: (thread) => inLine.has(thread),
    inLine: () => inLine.values(),
    takeFromLine(thread) {
      try {
        return inLine.has(thread) ? recall(thread) : entries.get(thread);
      } finally {
        inLine.delete(thread);
      }
    },
    recall,
    forget: (thread) => void inLine.delete(thread),
  };
}
