import { nanoToUsd } from '../core/money.ts';
import type { StoreResult } from '../core/store.ts';
import type { ToolOutcome } from '../core/tool.ts';
import { failed, ok } from '../core/result.ts';
import type { InternalCode } from './internal-tool.ts';

/**
 * `internal/budget_ops` (S2 §5.5): `check_remaining` of the hook's own thread, in USD. The runtime itself reserves and
 * settles every call and releases what is left; a hook that did so too would be counted twice.
 */
export const budgetOps: InternalCode = ({ thread, services, input }, done) => {
  const { operation, thread_id: asked } = input;
  const { lineage } = thread;
  if (operation !== 'check_remaining') {
    const message = `budget_ops ${String(operation)} is not available: the runtime reserves, reports and releases itself`;
    return done(failed({ code: 'not_available', message }));
  }
  if (asked !== lineage.threadId) {
    const message = `budget_ops looks up the thread of its hook, ${lineage.threadId}, not ${String(asked)}`;
    return done(failed({ code: 'not_available', message }));
  }
  services.store.submit({ type: 'remaining', thread: lineage.thread }, (result) => done(remainingOf(result)));
};

function remainingOf(result: StoreResult): ToolOutcome {
  if (result !== true && result.type === 'remaining') {
    return ok({ success: true, remaining: nanoToUsd(result.remaining) });
  }
  const failure = result !== true && result.type === 'failed' ? result.failure : undefined;
  return failed(failure ?? { code: 'store_failed', message: 'The ledger did not say what is left' });
}
