import { childPolicyAt } from '../../config/child-policy.ts';
import type { TerminalStatus } from '../../core/ending.ts';
import type { ThreadMachineEvent } from '../../../machines/thread.machine.ts';
import type { Effect } from './effects.ts';
import type { Services } from '../services/services.ts';
import { stopWork } from './stop-work.ts';
import type { Thread } from '../thread.ts';

/**
 * What a thread that is to end early is sent if its child policy says `wait`: an end that is held until its children have
 * ended. A child may be on its way while tool calls run: whether there is any is known to the host alone.
 */
export function afterChildren(thread: Thread, services: Services, event: ThreadMachineEvent): ThreadMachineEvent {
  if (event.type !== 'FAIL' && event.type !== 'CANCEL') return event;
  const mayHaveChildren = thread.spawned > 0 || thread.toolRun !== undefined;
  if (!mayHaveChildren || thread.joined) return event;
  return waitsForChildren(services, event.type === 'FAIL' ? 'error' : 'cancelled')
    ? { type: 'HOLD_END', end: event }
    : event;
}

/** Whether a thread that ends like this ends after its children: by the policy in force, as in the host, not by its own config. */
export function waitsForChildren({ latest }: Services, status: TerminalStatus): boolean {
  return childPolicyAt(latest().config, status) === 'wait';
}

/**
 * Keeps the end for later, on disk too: a thread that is suspended or lost meanwhile does not go on with its work when it
 * is resumed. Asks the host to say when the last child has ended.
 */
export const holdEnding: Effect = (thread, services, event) => {
  if (event.type !== 'HOLD_END') return;
  stopWork(thread, services, event.end);
  thread.heldEnd = event.end;
  thread.checkpointDue = true;
  services.journal.commit(thread, {}, () => undefined);
  services.report({ type: 'join', thread: thread.lineage.thread });
};
