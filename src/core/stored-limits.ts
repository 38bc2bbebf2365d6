import { z } from 'zod';

/** Limits as they are stored, in specs and checkpoints alike, under the key `limits`; `spend` in nano-USD. */
export const storedLimitsSchema = z.object({
  turns: z.number(),
  tokens: z.number(),
  spend: z.number(),
  spawns: z.number(),
  depth: z.number(),
  durationSeconds: z.number(),
});
