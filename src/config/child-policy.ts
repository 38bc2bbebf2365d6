import type { TerminalStatus } from '../core/ending.ts';
import type { Config } from './config.ts';

/** What becomes of the children of a thread that ends like this. */
export type ChildPolicy = Config['resilience']['childPolicy']['onParentCancel'];

/** What the configuration says of the children of a thread that ends like this (contracts, "Child policy"). */
export function childPolicyAt({ resilience }: Config, status: TerminalStatus): ChildPolicy {
  const { onParentCancel, onParentError, onParentComplete } = resilience.childPolicy;
  return status === 'cancelled' ? onParentCancel : status === 'error' ? onParentError : onParentComplete;
}
