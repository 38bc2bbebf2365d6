import type { ThreadNo } from '../../core/ids.ts';
import { isTakenAlong } from '../admission/child-policy.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry, ThreadTable } from '../rest/thread-table.ts';

/**
 * A thread and those below it that are being cancelled and have not ended: who cancels waits for all of them, since they
 * end in several workers. Also those that a cancellation in slices has not reached. They are looked for as they are asked for:
 * who has ended meanwhile is not among them. O(1) for each, O(children) once for each that has any.
 */
export function* beingCancelled(
  host: Pick<HostContext, 'config' | 'table'>,
  entry: ThreadEntry,
): Generator<ThreadEntry, undefined> {
  const levels: Level[] = [];
  for (let one: ThreadEntry | undefined = entry; one; one = nextOf(levels, host.table)) {
    const isMeant = one.cancelReason !== undefined || isTakenAlong(host, one);
    if (isMeant && one.phase !== 'ended') yield one;
    // What a policy spares goes on, with everything below it.
    if (isMeant || one.phase === 'ended') levels.push({ parent: one, left: [...(one.children ?? [])] });
  }
}

/** Children of a thread that have not been looked at. */
type Level = { readonly parent: ThreadEntry; readonly left: ThreadNo[] };

/** The last child first: it ends last, and who waits for it finds most of the others ended. */
function nextOf(levels: Level[], table: ThreadTable): ThreadEntry | undefined {
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const thread = level.left.pop();
    if (thread === undefined) levels.pop();
    const child = thread !== undefined && level.parent.children?.has(thread) ? table.recall(thread) : undefined;
    if (child) return child;
  }
  return undefined;
}
