import { SkeinError, type SkeinErrorCode } from '../../core/errors.ts';
import { heirOf } from '../endings/heir.ts';
import { findEntry, type EntrySources } from '../rest/find-entry.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * The parent of a thread that the embedder asks for: the one it names, or who took over from that.
 *
 * @throws SkeinError `thread_not_found`; `thread_ended`; `invalid_argument`: it does not run
 */
export function parentOfSpawn(id: string, sources: EntrySources): ThreadEntry {
  const parent = heirOf(findEntry(id, sources), sources);
  const { phase, worker, absence, lineage } = parent;
  if (worker >= 0 || absence) return parent;
  const code: SkeinErrorCode = phase === 'ended' ? 'thread_ended' : 'invalid_argument';
  throw new SkeinError(code, `Thread ${lineage.threadId} is ${phase}: only a running thread can be a parent`);
}
