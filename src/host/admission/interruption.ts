import type { Failure } from '../../core/errors.ts';
import type { SuspendReason } from '../../core/events.ts';
import { failureIn } from '../../core/store.ts';
import type { HostContext } from '../host-context.ts';
import { suspension } from '../rest/parked-steps.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** A thread that is in no worker, the number of its log's last event, and why it does not go on. */
export type Interruption = {
  readonly entry: ThreadEntry;
  readonly sequence: number;
  readonly reason: SuspendReason;
  readonly message: string;
};

/**
 * Writes down that a running thread was interrupted. Its log says where: a call that had begun is not taken for one that has
 * not (ADR 40). `done` gets what kept it from being written.
 */
export function writeInterruption(
  host: HostContext,
  { entry, sequence, reason, message }: Interruption,
  done: (failure: Failure | undefined) => void,
): void {
  const { thread } = entry.lineage;
  const op = suspension({ thread, sequence, at: host.clock.now() }, { suspend_reason: reason, message });
  host.store.submit(op, (result) => {
    if (result !== true) return done(failureIn(result) ?? NOT_WRITTEN);
    done(undefined);
    host.feed.deliverOwn(entry, op.lines);
  });
}

const NOT_WRITTEN: Failure = { code: 'store_failed', message: 'The interruption of a thread could not be written' };
