import { costPayload } from '../core/cost-payload.ts';
import type { StoredCheckpoint, ThreadRow } from '../core/store.ts';

/**
 * What a state.json says (S2 §6.13): what the registry knows of the thread, and its checkpoint as it is in the database;
 * null before the first one. Times are ISO 8601, money is decimal USD; `checkpoint.state` is as the runtime wrote it.
 */
export function stateText(row: ThreadRow, checkpoint: StoredCheckpoint | undefined): string {
  const { threadId, directive, model, status, suspendReason, cost, updatedAt } = row;
  const facts = {
    thread_id: threadId,
    directive,
    model,
    status,
    suspend_reason: suspendReason ?? null,
    cost: costPayload(cost),
    updated_at: new Date(updatedAt).toISOString(),
    checkpoint: checkpoint ? { ...checkpoint, state: JSON.parse(checkpoint.state) as unknown } : null,
  };
  return `${JSON.stringify(facts, undefined, 2)}\n`;
}
