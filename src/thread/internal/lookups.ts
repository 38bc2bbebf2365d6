import { costPayload } from '../../core/cost-payload.ts';
import { costOf } from '../cost.ts';
import type { InternalCode } from './internal-tool.ts';

/** `internal/classifier` (S2 §5.3): what error_classification.yaml says about an error. */
export const classifier: InternalCode = ({ services, input }, done) => {
  const { error, status_code, headers } = input;
  const { category, retryable, code, policy } = services.classify({ error, status_code, headers });
  done({ ok: true, value: { category, retryable, code, retry_policy: policy } });
};

/** `internal/limit_checker` (S2 §5.4): whether a value has reached its limit, and what is done about it then. */
export const limitChecker: InternalCode = ({ services, input }, done) => {
  // Its file says that they are numbers.
  const { limit_type, current_value, max_value } = input as Readonly<Record<string, number>>;
  if (Number(current_value) < Number(max_value)) return done({ ok: true, value: { success: true, exceeded: false } });
  const limits = { limit_type, current: current_value, max: max_value };
  const action = services.config.resilience.limits.onExceed;
  done({ ok: true, value: { success: true, exceeded: true, ...limits, action } });
};

/** `internal/cancel_checker`: whether the thread has been asked to stop. */
export const cancelChecker: InternalCode = ({ thread }, done) => {
  done({ ok: true, value: { success: true, cancelled: thread.cancelReason !== undefined } });
};

/** `internal/cost_tracker`: what the thread has used. */
export const costTracker: InternalCode = ({ thread }, done) => {
  done({ ok: true, value: { success: true, cost: costPayload(costOf(thread)) } });
};
