import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { SkeinError } from '../../core/errors.ts';
import { faultLine } from '../../core/zod-fault.ts';

const part = z.looseObject({});
const count = z.int().min(0);
const policy = z.enum(['cascade_cancel', 'allow', 'wait']);

/** What the host itself reads of a configuration; the rest is looked at by the workers it is sent to. */
const shape = z.looseObject({
  events: z.looseObject({ eventTypes: z.record(z.string(), z.looseObject({ criticality: z.string() })) }),
  errors: part,
  hooks: part,
  resilience: z.looseObject({
    retry: part,
    limits: z.looseObject({ defaults: z.record(z.string(), z.number()), onExceed: z.string() }),
    coordination: z.looseObject({ cancelSiblingsOnFailure: z.boolean(), completionEventTtlSeconds: z.number() }),
    childPolicy: z.looseObject({ onParentCancel: policy, onParentComplete: policy, onParentError: policy }),
    concurrency: z.looseObject({ maxConcurrentChildren: count, maxTotalThreads: count, maxConcurrentTools: count }),
    checkpoint: z.looseObject({ triggers: part, persistence: part }),
    continuation: part,
    cleanup: part,
  }),
  agent: part,
  mcp: part,
  projectVouches: z.boolean(),
  extractors: part,
  tables: part,
});

/** Looks at a configuration that a worker has parsed. @throws SkeinError `worker_lost` if it is none */
export function checkConfigShape(value: unknown): Config {
  const { error } = shape.safeParse(value);
  // The worker ran the same parser as the host at its start; this is for a worker that answers something else.
  if (!error) return value as Config;
  throw new SkeinError('worker_lost', `A worker answered with no configuration: ${faultLine(error)}`);
}
