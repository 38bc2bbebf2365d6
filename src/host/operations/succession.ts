import type { OperationRefusal } from '../../core/operations.ts';
import type { ThreadRow } from '../../core/store.ts';
import { refused } from './operation.ts';

/** Has a linked successor take over from a thread: not available in this version (contracts, "Not yet there"). */
export function continueInSuccessor({ threadId }: ThreadRow): OperationRefusal {
  return refused('not_available', `Thread ${threadId} would need a successor, which is not available in this version`);
}
