import { resolveLimits } from '../config/limits.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import type { ThreadId } from '../core/ids.ts';
import type { LimitOverrides } from '../core/limits.ts';
import { formatUsd, usdToNano } from '../core/money.ts';
import { failed, ok, type Result } from '../core/result.ts';
import type { StoreResult } from '../core/store.ts';
import { assignThreads } from './admission.ts';
import type { HostContext } from './host-context.ts';
import { standInLine } from './line.ts';
import { resumeEnded } from './resume-ended.ts';
import { reportEmpty } from './report-empty.ts';
import type { ThreadEntry } from './thread-table.ts';

/** A suspended or ended thread that is to go on. */
export type ResumeOrder = {
  readonly entry: ThreadEntry;
  readonly message: string | undefined;
  readonly limits: LimitOverrides | undefined;
  readonly done: (answer: Result<ThreadEntry>) => void;
  /** Its parent has given what a higher `spend` needs. */
  readonly isRaised?: boolean;
};

/** Puts a suspended thread in line, or has an ended one go on in a successor; it is read back from its checkpoint when it gets a slot. */
export function resumeThread(host: HostContext, order: ResumeOrder): void {
  if (order.entry.phase === 'ended') return resumeEnded(host, order);
  const refusal = refuse(host, order);
  if (refusal) return order.done(failed(refusal));
  // A suspension may have given back what the thread could still spend.
  const mayHaveReleased = host.config.budget.releaseSuspended;
  if (!order.isRaised && (mayHaveReleased || order.limits?.spend !== undefined)) {
    return raiseFirst(host, order, order.limits?.spend ?? 0);
  }
  const { entry, message, limits, done } = order;
  entry.phase = 'queued';
  entry.suspendReason = undefined;
  entry.order = { kind: 'resume', message, limits };
  entry.spawnLimit = limits?.spawns ?? entry.spawnLimit;
  standInLine(host, entry);
  done(ok(entry));
  assignThreads(host);
}

function refuse(host: HostContext, { entry, limits, isRaised }: ResumeOrder): Failure | undefined {
  const { phase, cancelReason, resuming, lineage } = entry;
  const refusal = (how: string): Failure => ({
    code: 'invalid_argument',
    message: `Thread ${lineage.threadId} ${how}`,
  });
  if (cancelReason !== undefined) return refusal('is being cancelled');
  if (phase !== 'suspended') return refusal(`is ${phase}; only a suspended one can be resumed`);
  if (resuming && !isRaised) return refusal('is being resumed already');
  return checkLimits(host, limits);
}

/** A higher ceiling is reserved from the parent first: whoever resumes the thread hears now that it does not fit. */
function raiseFirst(host: HostContext, order: ResumeOrder, spend: number): void {
  const { entry, done: answer } = order;
  const { thread, threadId } = entry.lineage;
  const done: ResumeOrder['done'] = (given) => {
    entry.resuming = false;
    answer(given);
  };
  entry.resuming = true;
  host.awaitingStore.add(done);
  host.store.submit({ type: 'raise', thread, ceiling: usdToNano(spend), at: host.clock.now() }, (result) => {
    host.awaitingStore.delete(done);
    const failure = raiseFailure(result, threadId, spend);
    if (failure) done(failed(failure));
    // Meanwhile it may have been cancelled, or the runtime may close: the supervisor looks at it again.
    else host.tell({ type: 'RESUME', order: { ...order, done, isRaised: true } satisfies ResumeOrder });
    reportEmpty(host);
  });
}

function raiseFailure(result: StoreResult, threadId: ThreadId, spend: number): Failure | undefined {
  if (result === true) return undefined;
  if (result.type === 'failed') return result.failure;
  const remaining = 'remaining' in result ? result.remaining : 0;
  const left = formatUsd(remaining);
  const what = spend === 0 ? 'what it had left when it was suspended' : `${spend} USD`;
  const message = `Thread ${threadId} cannot be given ${what}: what its parent has left for it is ${left}`;
  return { code: 'budget_refused', message, detail: { remaining } };
}

/** New limits must be limits: the caller hears of a mistake now, not when the thread gets its turn. */
function checkLimits({ config }: HostContext, limits: LimitOverrides | undefined): Failure | undefined {
  try {
    const { defaults } = config.resilience.limits;
    resolveLimits({ defaults, directive: { id: 'resume', limits: {} }, overrides: limits ?? {} });
    return undefined;
  } catch (thrown) {
    return toFailure(thrown, 'invalid_argument');
  }
}
