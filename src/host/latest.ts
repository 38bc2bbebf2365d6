import type { ThreadEntry } from './rest/thread-table.ts';

/** The thread that goes on with this one's work now: itself, or the last of those that took over. */
export function latestOf(entry: ThreadEntry): ThreadEntry {
  let last = entry;
  while (last.successor) last = last.successor;
  return last;
}
