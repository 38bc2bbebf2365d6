import { resolveLimits, type ParentLimits } from '../../config/limits.ts';
import { toFailure } from '../../core/errors.ts';
import { packSpec, splitSpec } from '../../core/packed-spec.ts';
import type { ThreadSpec } from '../../core/protocol.ts';
import { failed } from '../../core/result.ts';
import type { ThreadRow } from '../../core/store.ts';
import { parseSpec } from '../../core/stored-spec.ts';
import { admitThread } from '../admission/admission.ts';
import { tellParentOfChild } from '../admission/tell-parent.ts';
import { findEntry } from './find-entry.ts';
import { heirOf } from '../endings/heir.ts';
import type { HostContext } from '../host-context.ts';
import { limitsNow } from './limits-now.ts';
import type { ResumeOrder } from './resume.ts';
import type { ThreadEntry } from './thread-table.ts';

/**
 * Goes on with a thread that has ended: a linked successor with its conversation, model and rights, and with an account of
 * its own (ADR 21). Its limits are those of the ended thread, with what the order changes; a child's can't be more than what
 * its parent has, and counts as one more child. All of that, and what it is told, is in its row when it is acknowledged.
 */
export function resumeEnded(host: HostContext, order: ResumeOrder): void {
  try {
    const row = host.reader.threadByNo(order.entry.lineage.thread);
    if (!row) return order.done(failed({ code: 'thread_not_found', message: 'The thread is not there any more' }));
    const parent = parentOf(host, order.entry);
    if (parent?.phase === 'ended') return order.done(failed(orphaned(order.entry)));
    const spec = packSpec(splitSpec(specOf(host, { row, parent, order })));
    admitThread(host, {
      spec,
      parent,
      resumes: order.entry,
      done(answer) {
        if (answer.ok && parent) tellParentOfChild(host, parent, asNew(answer.value));
        order.done(answer);
      },
    });
  } catch (thrown) {
    order.done(failed(toFailure(thrown)));
  }
}

/** Unlike one that took over from a running child it is one more. */
function asNew({ lineage, directive }: ThreadEntry): Pick<ThreadEntry, 'lineage' | 'directive'> {
  const { continues: _, ...own } = lineage;
  return { lineage: own, directive };
}

function parentOf(host: HostContext, { lineage }: ThreadEntry): ThreadEntry | undefined {
  return lineage.parentId === undefined ? undefined : heirOf(findEntry(lineage.parentId, host), host);
}

function orphaned({ lineage }: ThreadEntry): { readonly code: 'thread_ended'; readonly message: string } {
  const message = `Thread ${lineage.threadId} can't go on: its parent ${lineage.parentId} has ended, and nothing is below it any more`;
  return { code: 'thread_ended', message };
}

type Resumed = { readonly row: ThreadRow; readonly parent: ThreadEntry | undefined; readonly order: ResumeOrder };

function specOf(host: HostContext, { row, parent, order }: Resumed): ThreadSpec {
  const { message: _, ...before } = parseSpec(host.reader.spec(row.thread), row.thread);
  const { message } = order;
  const { limits } = resolveLimits({
    defaults: before.limits,
    directive: { id: before.directive, limits: {} },
    ...(order.limits !== undefined && { overrides: order.limits }),
    ...(parent && { parent: capOf(host, parent) }),
  });
  return { ...before, limits, warnings: [], ...(message !== undefined && { message }) };
}

/** All that is left may be its own: the parent asked for this one, not for a share. */
function capOf({ reader }: HostContext, { lineage }: ThreadEntry): ParentLimits {
  const { max = 0, committed = 0 } = reader.ledger(lineage.thread) ?? {};
  return { limits: limitsNow(reader, lineage.thread), remaining: max - committed, spawnsLeft: 0 };
}
