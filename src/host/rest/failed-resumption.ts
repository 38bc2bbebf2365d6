import type { Failure } from '../../core/errors.ts';
import type { SupervisorEvent } from '../../../machines/supervisor.machine.ts';
import type { HostContext } from '../host-context.ts';
import { writeParked } from './parked-ending.ts';
import { suspension } from './parked-steps.ts';
import type { ThreadEntry } from './thread-table.ts';

/**
 * Suspends a thread that could not be read back. Why it does not go on is in its log then, behind what it was resumed with;
 * the next resumption finds that there. If it can't be written, the thread is suspended all the same.
 */
export function suspendUnread(host: HostContext, entry: ThreadEntry | undefined, failure: Failure): void {
  if (!entry) return;
  const { thread } = entry.lineage;
  const suspended: SupervisorEvent = { type: 'SUSPENDED', thread, reason: 'error', cost: undefined };
  writeParked(host, entry, {
    words: {
      failed: `could not be read back (${failure.message}), nor could that be written down`,
      advice: 'It is suspended: once its log can be written, resume it again',
    },
    write: ({ lastSequence: sequence }) => {
      const { message } = failure;
      const op = suspension({ thread, sequence, at: host.clock.now() }, { suspend_reason: 'error', message });
      return { op, event: suspended };
    },
    undo: () => host.tell(suspended),
  });
}
