import { z } from 'zod';

/** Limits as specs and checkpoints hold them, `spend` in nano-USD: a damaged row must not pass for some. */
export const storedLimitsSchema = z.object({
  turns: z.number(),
  tokens: z.number(),
  spend: z.number(),
  spawns: z.number(),
  depth: z.number(),
  durationSeconds: z.number(),
});
