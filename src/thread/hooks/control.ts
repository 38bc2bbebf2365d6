import { z } from 'zod';
import type { HookEvent } from '../../core/hook-events.ts';

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

/**
 * Whether a control result ends the asking. One that lets the thread go on, or means nothing at the event, skips nobody: it
 * counts if no other hook decides (docs/adr/0068-a-hook-that-lets-pass.md).
 */
export function isDecision(event: HookEvent, { action }: Control): boolean {
  switch (action) {
    case 'continue':
      return false;
    case 'skip':
      return event === 'before_tool';
    case 'retry':
      return event === 'error';
    case 'fail':
    case 'abort':
    case 'suspend':
    case 'escalate':
      return event !== 'after_complete';
  }
}
