import { z } from 'zod';

/** What a hook decides about the thread (S2 §5.1): the answer of `internal/control` or of a host function. */
export const controlSchema = z.looseObject({
  action: z.enum(['retry', 'fail', 'abort', 'continue', 'escalate', 'suspend', 'skip']),
  error: z.string().optional(),
  limit_type: z.string().optional(),
  current_value: z.unknown().optional(),
  suspend_reason: z.string().optional(),
});

/** A parsed control result. */
export type Control = z.infer<typeof controlSchema>;
