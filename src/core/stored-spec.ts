import { z } from 'zod';
import type { ThreadNo } from './ids.ts';
import { parseStored } from './parse-stored.ts';
import type { ThreadSpec } from './protocol.ts';
import { storedLimitsSchema } from './stored-limits.ts';

/** What a damaged row could get wrong, so that no thread is started with half of its limits; the rest is as this package wrote it. */
const specSchema = z.looseObject({
  directive: z.string(),
  inputs: z.record(z.string(), z.unknown()),
  limits: storedLimitsSchema,
  model: z.string(),
  fallbacks: z.array(z.string()).optional(),
  warnings: z.array(z.string()),
  capabilities: z.array(z.array(z.string())),
});

/** What a stored thread was started with; undefined: there is nothing stored of that. @throws SkeinError `store_corrupt` */
export function parseSpec(spec: string | undefined, thread: ThreadNo): ThreadSpec {
  return parseStored(spec ?? '', specSchema, `spec of thread ${thread}`) as unknown as ThreadSpec;
}
