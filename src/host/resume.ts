import { SkeinError } from '../core/errors.ts';
import type { LimitOverrides } from '../core/limits.ts';
import type { StoreReader, ThreadRow } from '../core/store.ts';
import { failed, ok, type Result } from '../core/result.ts';
import { assignThreads } from './admission.ts';
import type { HostContext } from './host-context.ts';
import { ROOT_OWNER } from './slots.ts';
import { newEntry, type ThreadEntry, type ThreadTable } from './thread-table.ts';

/** A suspended thread that is to go on. */
export type ResumeOrder = {
  readonly entry: ThreadEntry;
  readonly message: string | undefined;
  readonly limits: LimitOverrides | undefined;
  readonly done: (answer: Result<ThreadEntry>) => void;
};

/** Puts a suspended thread in line; it is read back from its checkpoint when it gets a slot. */
export function resumeThread(host: HostContext, { entry, message, limits, done }: ResumeOrder): void {
  if (entry.phase !== 'suspended') {
    const { threadId } = entry.lineage;
    return done(
      failed({
        code: 'invalid_argument',
        message: `Thread ${threadId} is ${entry.phase}; only a suspended one can be resumed`,
      }),
    );
  }
  entry.phase = 'queued';
  entry.suspendReason = undefined;
  entry.order = { kind: 'resume', message, limits };
  host.slots.enqueue(entry.lineage.parent ?? ROOT_OWNER, entry.lineage.thread);
  done(ok(entry));
  assignThreads(host);
}

/**
 * The entry of a thread by its id: from memory, or, for one that an earlier runtime left, from its row.
 *
 * @throws SkeinError `thread_not_found`
 */
export function findEntry(id: string, { table, reader }: { table: ThreadTable; reader: StoreReader }): ThreadEntry {
  const known = table.byId(id);
  if (known) return known;
  const row = rowOf(id, reader);
  if (!row) throw new SkeinError('thread_not_found', `There is no thread ${id} in this project`);
  const { thread, threadId, parent, root } = row;
  const parentRow = parent === undefined ? undefined : reader.threadByNo(parent);
  const lineage = { thread, threadId, parent, parentId: parentRow?.threadId, root };
  const entry = row.ending === undefined ? table.add(lineage, undefined) : newEntry(lineage, undefined);
  entry.phase = row.ending === undefined ? 'suspended' : 'ended';
  entry.suspendReason = row.suspendReason;
  entry.ending = row.ending === undefined ? undefined : (JSON.parse(row.ending) as ThreadEntry['ending']);
  return entry;
}

function rowOf(id: string, reader: StoreReader): ThreadRow | undefined {
  // Any text may be asked for; one that is no id is in no row.
  return reader.thread(id as ThreadRow['threadId']);
}
