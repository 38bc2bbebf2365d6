import { toFailure, type Failure } from '../../core/errors.ts';
import type { ThreadId } from '../../core/ids.ts';
import { formatUsd, nanoToUsd, usdToNano, type NanoUsd } from '../../core/money.ts';
import { failed, ok } from '../../core/result.ts';
import { failureIn, type StoreResult } from '../../core/store.ts';
import type { BudgetOp } from '../../core/store-budget.ts';
import type { ToolOutcome } from '../../core/tool.ts';
import type { InternalCall, InternalCode } from './internal-tool.ts';
import { recordOverspend } from '../steps/overspend.ts';

/** What its file declares. */
type Input = {
  readonly operation: BudgetOp['operation'];
  /** Default, also for the empty text of what an event's context does not have: the hook's own thread. */
  readonly thread_id?: ThreadId | '';
  readonly amount?: number;
  readonly key?: string;
  readonly reservation?: string;
};

/**
 * `internal/budget_ops` (S2 §5.5) on the hook's own thread or one below it, amounts in USD. The runtime reserves and
 * settles every model call itself: this is for what a thread spends elsewhere. The ledger keeps such reservations until
 * they are reported, released, or the thread ends.
 */
export const budgetOps: InternalCode = (call, done) => {
  const op = readOp(call);
  if ('code' in op) return done(failed(op));
  call.services.store.submit(op, (result) => done(answerOf(result, op, call)));
};

function readOp({ thread, services, input }: InternalCall): BudgetOp | Failure {
  // Checked against its file.
  const { operation, thread_id, amount, key, reservation } = input as Input;
  const threadId = thread_id || thread.lineage.threadId;
  const needsAmount = operation === 'reserve' || operation === 'report_actual';
  if (needsAmount && amount === undefined) {
    return { code: 'tool_input_invalid', message: `budget_ops ${operation} needs an amount, in USD` };
  }
  try {
    const nano = needsAmount ? usdToNano(amount ?? 0) : 0;
    const what = { type: 'budget', operation, asker: thread.lineage.thread, threadId, amount: nano } as const;
    return { ...what, key, reservation, at: services.clock.now() };
  } catch (thrown) {
    return { ...toFailure(thrown), code: 'tool_input_invalid' };
  }
}

function answerOf(result: StoreResult, op: BudgetOp, { thread, services }: InternalCall): ToolOutcome {
  if (result === true || result.type !== 'budget') {
    return failed(failureIn(result) ?? { code: 'store_failed', message: 'The ledger did not answer' });
  }
  const { granted, amount, over, remaining } = result;
  if (op.operation === 'report_actual' && over > 0 && !thread.ended) {
    const message = `A hook reported ${formatUsd(amount)}, which is ${formatUsd(over)} more than there was`;
    recordOverspend({ thread, services }, { reserved: Math.max(0, amount - over), actual: amount, message });
  }
  return ok({ success: granted, ...detailOf(op.operation, amount), remaining: nanoToUsd(remaining) });
}

/** As S2 §5.5 names what each operation came to. */
function detailOf(operation: BudgetOp['operation'], amount: NanoUsd): Readonly<Record<string, unknown>> {
  switch (operation) {
    case 'reserve':
      return { reserved: nanoToUsd(amount) };
    case 'report_actual':
      return { reported: nanoToUsd(amount) };
    case 'release':
      return { released: true };
    case 'check_remaining':
      return {};
  }
}
