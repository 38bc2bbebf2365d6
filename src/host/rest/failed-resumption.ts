import type { Failure } from '../../core/errors.ts';
import type { EventPayloads } from '../../core/events.ts';
import type { StepOp, StoredThread } from '../../core/store.ts';
import type { SupervisorEvent } from '../../../machines/supervisor.machine.ts';
import type { HostContext } from '../host-context.ts';
import { linesAfter } from '../endings/lines-after.ts';
import { writeParked } from './parked-ending.ts';
import type { ThreadEntry } from './thread-table.ts';

/** A resumption that came to nothing: its worker could not read the thread back. */
export type FailedResumption = {
  readonly message: string | undefined;
  readonly failure: Failure;
};

/**
 * Suspends a thread that could not be read back. What it was resumed with and why it does not go on is in its log then: the
 * next resumption finds it there. If that can't be written either, the thread is suspended all the same.
 */
export function suspendUnread(host: HostContext, entry: ThreadEntry | undefined, failed: FailedResumption): void {
  if (!entry) return;
  const { thread } = entry.lineage;
  const suspended: SupervisorEvent = { type: 'SUSPENDED', thread, reason: 'error', cost: undefined };
  writeParked(host, entry, {
    words: {
      failed: `could not be read back (${failed.failure.message}), nor could that be written down`,
      advice: 'It is suspended: once its log can be written, resume it with the same message',
    },
    write: (stored) => ({ op: stepOf(stored, failed, host.clock.now()), event: suspended }),
    undo: () => host.tell(suspended),
  });
}

function stepOf({ row, lastSequence }: StoredThread, failed: FailedResumption, at: number): StepOp {
  const payload: EventPayloads['thread_suspended'] = { suspend_reason: 'error', message: failed.failure.message };
  const events = [...resumedEvent(failed), { type: 'thread_suspended', payload } as const];
  return {
    type: 'step',
    thread: row.thread,
    at,
    ...linesAfter(lastSequence, { at, events }),
    status: { to: 'suspended', reason: 'error' },
  };
}

function resumedEvent({ message }: FailedResumption) {
  return message === undefined ? [] : [{ type: 'thread_resumed', payload: { message } } as const];
}
