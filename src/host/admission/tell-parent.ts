import type { ChildStarted } from '../../core/protocol.ts';
import type { HostContext } from '../host-context.ts';
import { latestOf } from '../latest.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { whenBack } from '../workers/absence.ts';

/**
 * Tells a parent, or who took over from it, of a child that it has not asked for, or whose question it has given up. One that is
 * in no worker finds it when it is read back.
 */
export function tellParentOfChild(host: HostContext, parent: ThreadEntry, child: AdmittedChild): void {
  const now = latestOf(parent);
  whenBack(host, now, () => host.gateway.send(now.worker, startOfChild(now, child)));
}

type AdmittedChild = Pick<ThreadEntry, 'lineage' | 'directive'>;

/** What a parent is told of a child that was admitted. */
export function startOfChild(parent: ThreadEntry, { lineage, directive }: AdmittedChild): ChildStarted {
  const { thread } = parent.lineage;
  const { threadId: childId, continues } = lineage;
  const started = { type: 'childStarted', thread, childId, directive } as const;
  return continues === undefined ? started : { ...started, continues };
}
