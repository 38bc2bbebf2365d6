import { costPayload } from '../../core/cost-payload.ts';
import type { OperationResult } from '../../core/operations.ts';
import type { ThreadRow } from '../../core/store.ts';
import type { ThreadSources } from './operation.ts';

/** A thread in a list. */
export type ThreadSummary = OperationResult<'get_chain'>['chain'][number];

/** A thread in a list, as it stands now. */
export function summaryOf(row: ThreadRow, sources: ThreadSources): ThreadSummary {
  const { status, cost } = sources.standing(row);
  return { thread_id: row.threadId, directive: row.directive, status, cost: costPayload(cost) };
}
