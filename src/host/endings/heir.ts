import { findEntry, type EntrySources } from '../rest/find-entry.ts';
import { latestOf } from '../latest.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** The thread that goes on with what this one began: itself, or the last of those that took over, also in earlier runtimes. */
export function heirOf(entry: ThreadEntry, sources: EntrySources): ThreadEntry {
  let last = latestOf(entry);
  for (let next = nextInLine(last, sources); next; next = nextInLine(last, sources)) last = latestOf(next);
  return last;
}

/** The end of a thread's chain: also of those that went on after an end. */
export function lastInLine(entry: ThreadEntry, sources: EntrySources): ThreadEntry {
  const last = heirOf(entry, sources);
  if (last.phase !== 'ended') return last;
  const end = sources.reader.chain(last.lineage.thread).at(-1);
  return end === undefined || end.thread === last.lineage.thread ? last : findEntry(end.threadId, sources);
}

/** The thread that a thread has handed over to; undefined if it has not. */
export function nextInLine(entry: ThreadEntry, sources: EntrySources): ThreadEntry | undefined {
  if (entry.successor) return entry.successor;
  if (entry.ending?.status !== 'continued') return undefined;
  const row = sources.reader.threadByNo(entry.lineage.thread);
  const next = row?.successor === undefined ? undefined : sources.reader.threadByNo(row.successor);
  return next && findEntry(next.threadId, sources);
}
