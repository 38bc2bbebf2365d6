import { createClassifier } from '../../src/config/classify.ts';
import { resolveLimits } from '../../src/config/limits.ts';
import { retryDelayMs } from '../../src/config/retry.ts';
import {
  awayAfter,
  cancelledSiblings,
  cancelledWithParent,
  childrenAtOnce,
  heap,
  interrupted,
  remembered,
  stillness,
  threadsAtOnce,
  unexplainedLosses,
} from './hosts-at-work.ts';
import { replaced, SCHEMA_VERSION, stateOf, type Row, type State } from './row.ts';
import { filesBeside, tidied } from './stores-at-work.ts';
import {
  attempts,
  callsAtOnce,
  checkpoints,
  endAtLimit,
  handedOver,
  palette,
  underPressure,
  wait,
} from './workers-at-work.ts';

/** Errors whose patterns name the policies. */
function delays({ documents: { layers } }: State): unknown {
  const patterns = ['exponential', 'fixed', 'rate_limited'].map((policy) => ({
    id: policy,
    category: 'transient',
    match: { path: 'error.code', op: 'eq', value: policy },
    retry_policy: policy,
  }));
  const document = layers.resilience[0]?.document ?? {};
  const { config } = stateOf('resilience', document, { error_classification: { patterns } });
  const classify = createClassifier(config.errors);
  return patterns.map(({ id }) => {
    const { policy } = classify({ error: { code: id } });
    return [{}, { 'retry-after': '7' }, { 'x-wait': '9' }].flatMap((headers) =>
      [0, 1, 9].map((attempt) => retryDelayMs(policy, attempt, { headers, now: 0 })),
    );
  });
}

const limits = ({ config }: State): unknown =>
  resolveLimits({ defaults: config.resilience.limits.defaults, directive: { id: 'demo', limits: {} } }).limits;

const limit = (name: string): Row => ({ path: `limits.defaults.${name}`, sees: limits });

/** A policy that bears a type's name is of that type. */
const named = (name: string): Row => ({
  path: `retry.policies.${name}.type`,
  change: (document) => replaced(document, `retry.policies.${name}`, () => ({ type: 'none' })),
  refused: /must be of that type/,
});

export const RESILIENCE_ROWS: readonly Row[] = [
  SCHEMA_VERSION,
  { path: 'retry.max_retries', sees: attempts },
  named('exponential'),
  named('fixed'),
  {
    path: 'retry.policies.rate_limited.type',
    change: (document) => replaced(document, 'retry.policies.rate_limited', () => ({ type: 'fixed', delay: 3 })),
    sees: delays,
  },
  {
    path: 'retry.policies.rate_limited.fallback.policy',
    change: (document) => replaced(document, 'retry.policies.rate_limited.fallback', () => 'fixed'),
    sees: delays,
  },
  { path: 'retry.policies.exponential.base', sees: delays },
  { path: 'retry.policies.exponential.max_delay', sees: delays },
  { path: 'retry.policies.fixed.delay', sees: delays },
  { path: 'retry.policies.rate_limited.header', to: () => 'x-wait', sees: delays },
  { path: 'retry.policies.rate_limited.fallback.base', sees: delays },
  ...['turns', 'tokens', 'spend', 'spawns', 'depth', 'duration_seconds'].map(limit),
  { path: 'limits.defaults.spend_currency', to: () => 'EUR', refused: /only USD/ },
  { path: 'limits.enforcement.on_exceed', to: () => 'fail', sees: endAtLimit },
  { path: 'coordination.on_restart', to: () => 'cancel', sees: interrupted },
  { path: 'coordination.wait_timeout_seconds', sees: wait },
  { path: 'coordination.fail_fast', sees: wait },
  { path: 'coordination.max_wait_thread_ids', to: () => 1, sees: wait },
  { path: 'coordination.cancel_siblings_on_failure', sees: cancelledSiblings },
  { path: 'coordination.restart_intensity', sees: unexplainedLosses },
  { path: 'coordination.worker_heartbeat_seconds', sees: stillness },
  { path: 'coordination.worker_memory_mb', to: () => 64, sees: heap },
  { path: 'coordination.passivate_waiting_seconds', to: () => 5, sees: awayAfter },
  { path: 'coordination.completion_event_ttl_seconds', to: () => 800, sees: remembered },
  { path: 'tool_preload.enabled', sees: palette },
  { path: 'tool_preload.max_tokens', to: () => 10, sees: palette },
  {
    path: 'child_policy.*',
    to: (policy) => (policy === 'allow' ? 'cascade_cancel' : 'allow'),
    sees: cancelledWithParent,
  },
  { path: 'cleanup.*', sees: tidied },
  { path: 'concurrency.max_total_threads', sees: threadsAtOnce },
  { path: 'concurrency.max_concurrent_children', sees: childrenAtOnce },
  { path: 'concurrency.max_concurrent_tools', sees: callsAtOnce },
  { path: 'checkpoint.triggers.*', sees: checkpoints },
  { path: 'checkpoint.persistence.format', to: () => 'json', sees: filesBeside },
  { path: 'continuation.enabled', sees: underPressure },
  { path: 'continuation.pressure_threshold', to: () => 0.88, sees: underPressure },
  { path: 'continuation.hard_threshold', to: () => 0.82, sees: underPressure },
  { path: 'continuation.resume_ceiling_tokens', to: () => 100, sees: handedOver },
];
