import * as z from 'zod';
import type { Limits } from '../core/limits.ts';
import { limitFields } from './limit-fields.ts';
import type { Document } from './merge.ts';
import { policySpec, resolveNamedPolicies, type NamedPolicies } from './retry-policy.ts';
import { parseSection, schemaVersion, section } from './section.ts';

const alwaysTrue = (reason: string): z.ZodOptional<z.ZodLiteral<true>> =>
  z.literal(true, { error: `can only be true: ${reason}` }).optional();

const childPolicy = z.enum(['cascade_cancel', 'allow', 'wait']);

const resilienceSchema = section({
  schema_version: schemaVersion,
  retry: section({
    /** Attempts after the first one, per consecutive failure. */
    max_retries: z.int().min(0),
    policies: z.record(z.string(), policySpec),
  }),
  limits: section({
    defaults: section(limitFields),
    enforcement: section({
      check_before_turn: alwaysTrue('limits are checked before every model call'),
      check_after_turn: alwaysTrue('limits are checked before every model call'),
      /** What happens at a limit when no `limit` hook decides. */
      on_exceed: z.enum(['escalate', 'suspend', 'fail', 'abort']),
    }),
  }),
  checkpoint: section({
    triggers: section({
      pre_turn: z.boolean(),
      post_llm: z.boolean(),
      post_tools: z.boolean(),
      on_error: z.boolean(),
    }),
    persistence: section({
      atomic_write: alwaysTrue('a checkpoint is never written in part'),
      /** `json` writes a `state.json` beside the database. */
      format: z.enum(['sqlite', 'json']),
    }),
  }),
  coordination: section({
    /** What becomes of threads that the end of an earlier runtime has interrupted. */
    on_restart: z.enum(['resume', 'suspend', 'cancel']),
    /** One deadline for all threads of a `wait_threads`. */
    wait_timeout_seconds: z.number().positive(),
    fail_fast: z.boolean(),
    cancel_siblings_on_failure: z.boolean(),
    max_wait_thread_ids: z.int().min(1),
    /** How long a thread waits for others in its worker before it leaves it; null or 0 = for ever. */
    passivate_waiting_seconds: z.number().min(0).nullable(),
    /** How long an ending is kept in memory; later it is read from the store. */
    completion_event_ttl_seconds: z.number().min(0),
    /** Workers that a thread may kill, alone in them, before it fails; and workers lost for no thread's doing in 10 minutes. */
    restart_intensity: z.int().min(1),
    /** How long a worker's event loop may stand still before the worker is replaced; 0 = for ever. */
    worker_heartbeat_seconds: z.number().refine((seconds) => seconds === 0 || seconds >= 1, {
      error: 'must be 0, which is never, or at least 1',
    }),
    /** Heap of a worker; 0 = as Node chooses. */
    worker_memory_mb: z
      .int()
      .refine((mb) => mb === 0 || mb >= 32, { error: 'must be 0, as Node chooses, or at least 32' }),
  }),
  continuation: section({
    enabled: z.boolean(),
    /** Share of the context window from which `context_window_pressure` is raised. */
    pressure_threshold: z.number().gt(0).max(1),
    /** Share of the context window at which the thread hands over to a successor. */
    hard_threshold: z.number().gt(0).max(1),
    /** Most tokens of the conversation that a thread which hands over leaves to its successor. */
    resume_ceiling_tokens: z.int().min(0),
  }).refine(({ pressureThreshold, hardThreshold }) => pressureThreshold <= hardThreshold, {
    error: 'pressure_threshold cannot be above hard_threshold',
  }),
  tool_preload: section({
    enabled: z.boolean(),
    /** Budget for tool definitions, estimated at 4 characters a token (S3). */
    max_tokens: z.int().min(0),
  }),
  child_policy: section({
    on_parent_cancel: childPolicy,
    on_parent_complete: childPolicy,
    on_parent_error: childPolicy,
  }),
  concurrency: section({
    /** Children of one thread that run at the same time. */
    max_concurrent_children: z.int().min(1),
    /** Threads of one runtime that run at the same time; more wait. */
    max_total_threads: z.int().min(1),
    /** Tool calls of one message that run at the same time. */
    max_concurrent_tools: z.int().min(1),
  }),
  cleanup: section({
    archive_after_days: z.number().min(0),
    vacuum_interval_days: z.number().min(0),
  }),
});

type Parsed = z.output<typeof resilienceSchema>;

/** `resilience.yaml` (S2 §4.4): retry, limits, checkpoints, coordination. Seconds where a name says so. */
export type ResilienceConfig = Omit<Parsed, 'retry' | 'limits'> & {
  readonly retry: { readonly maxRetries: number; readonly policies: NamedPolicies };
  readonly limits: { readonly defaults: Limits; readonly onExceed: Parsed['limits']['enforcement']['onExceed'] };
};

/** Parses `resilience.yaml`: default limits become nano-USD, retry policies are resolved. */
export function parseResilience(document: Document, file: string): ResilienceConfig {
  const parsed = parseSection(resilienceSchema, document, file);
  const { spendCurrency: _, ...defaults } = parsed.limits.defaults;
  const policies = resolveNamedPolicies(parsed.retry.policies, { file, path: 'retry.policies' });
  return {
    ...parsed,
    retry: { maxRetries: parsed.retry.maxRetries, policies },
    limits: { defaults, onExceed: parsed.limits.enforcement.onExceed },
  };
}
