import { costPayload } from '../../core/cost-payload.ts';
import { readEnding, type Ending } from '../../core/ending.ts';
import type { ThreadId } from '../../core/ids.ts';
import { NO_COST, type Cost } from '../../core/limits.ts';
import type { ThreadOutcome } from '../../core/operations.ts';
import type { ThreadRow } from '../../core/store.ts';
import { threadOutcome } from '../../core/thread-outcome.ts';
import { notThere } from '../rest/recall.ts';
import type { Operation, ThreadSources } from './operation.ts';
import { successorsOf } from './stored-threads.ts';

/** Results and cost of threads as they stand, in the order asked; of a thread that handed over, those of the last one. */
export const aggregateResults: Operation<'aggregate_results'> = ({ input, find, sources }) => {
  const costs = new Map<ThreadId, Cost>();
  const results = input.thread_ids.map((id): ThreadOutcome => {
    const row = find(id);
    if (!row) return threadOutcome(notThere(id));
    const last = successorsOf(sources.reader, row).at(-1) ?? row;
    const ending = readEnding(last.ending);
    const cost = ending?.cost ?? sources.standing(last).cost;
    costs.set(last.threadId, cost);
    return { ...outcomeOf(row, { last, ending }, sources), cost: costPayload(cost) };
  });
  const total = [...costs.values()].reduce(addCost, NO_COST);
  return { success: results.every(({ success }) => success), results, total: costPayload(total) };
};

type Last = { readonly last: ThreadRow; readonly ending: Ending | undefined };

function outcomeOf(asked: ThreadRow, { last, ending }: Last, sources: ThreadSources): ThreadOutcome {
  const { status, suspendReason } = sources.standing(last);
  const outcome = threadOutcome({
    threadId: asked.threadId,
    // A thread that stands in line is on its way.
    status: status === 'created' ? 'running' : status,
    ending,
    ...(status === 'suspended' && { suspendReason }),
    ...(last !== asked && { continuedAs: last.threadId }),
  });
  return { ...outcome, status };
}

function addCost(sum: Cost, cost: Cost): Cost {
  return {
    turns: sum.turns + cost.turns,
    inputTokens: sum.inputTokens + cost.inputTokens,
    outputTokens: sum.outputTokens + cost.outputTokens,
    spend: sum.spend + cost.spend,
    cacheReadTokens: (sum.cacheReadTokens ?? 0) + (cost.cacheReadTokens ?? 0),
    cacheWriteTokens: (sum.cacheWriteTokens ?? 0) + (cost.cacheWriteTokens ?? 0),
  };
}
