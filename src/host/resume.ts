import { resolveLimits } from '../config/limits.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import type { LimitOverrides } from '../core/limits.ts';
import { failed, ok, type Result } from '../core/result.ts';
import { assignThreads } from './admission.ts';
import type { HostContext } from './host-context.ts';
import { ROOT_OWNER } from './slots.ts';
import type { ThreadEntry } from './thread-table.ts';

/** A suspended thread that is to go on. */
export type ResumeOrder = {
  readonly entry: ThreadEntry;
  readonly message: string | undefined;
  readonly limits: LimitOverrides | undefined;
  readonly done: (answer: Result<ThreadEntry>) => void;
};

/** Puts a suspended thread in line; it is read back from its checkpoint when it gets a slot. */
export function resumeThread(host: HostContext, { entry, message, limits, done }: ResumeOrder): void {
  const { threadId } = entry.lineage;
  if (entry.cancelReason !== undefined) {
    return done(failed({ code: 'invalid_argument', message: `Thread ${threadId} is being cancelled` }));
  }
  if (entry.phase !== 'suspended') {
    return done(
      failed({
        code: 'invalid_argument',
        message: `Thread ${threadId} is ${entry.phase}; only a suspended one can be resumed`,
      }),
    );
  }
  const problem = checkLimits(host, limits);
  if (problem) return done(failed(problem));
  entry.phase = 'queued';
  entry.suspendReason = undefined;
  entry.order = { kind: 'resume', message, limits };
  host.slots.enqueue(entry.lineage.parent ?? ROOT_OWNER, entry.lineage.thread);
  done(ok(entry));
  assignThreads(host);
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
