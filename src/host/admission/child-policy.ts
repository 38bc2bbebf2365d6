import { childPolicyAt } from '../../config/child-policy.ts';
import type { TerminalStatus } from '../../core/ending.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** Whether a parent that ends like this takes its children along; `wait` has been dealt with before (contracts, "Child policy"). */
export function takesChildren({ config }: Pick<HostContext, 'config'>, status: TerminalStatus): boolean {
  return childPolicyAt(config, status) === 'cascade_cancel';
}

/** Whether a parent ends like this only after its children. */
export function endsAfterChildren({ config }: Pick<HostContext, 'config'>, status: TerminalStatus): boolean {
  return childPolicyAt(config, status) === 'wait';
}

/** Whether a thread must not go on because of its parent, which has ended or is being cancelled. */
export function isTakenAlong(host: Pick<HostContext, 'config' | 'table'>, entry: ThreadEntry): boolean {
  const parent = host.table.parentOf(entry);
  const status = parent?.ending?.status ?? (parent?.cancelReason === undefined ? undefined : 'cancelled');
  return status !== undefined && takesChildren(host, status);
}
