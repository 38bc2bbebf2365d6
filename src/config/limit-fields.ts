import * as z from 'zod';
import { MAX_NANO_USD, nanoToUsd, usdToNano, type NanoUsd } from '../core/money.ts';

/** Decimal USD in a file, nano-USD inside. */
const usd: z.ZodType<NanoUsd> = z
  .number()
  .min(0)
  .max(Math.floor(nanoToUsd(MAX_NANO_USD)))
  .transform((value) => usdToNano(value));

/** The limits by the seeds' names (S2 §1), as a person writes them; `spend` parses to nano-USD. */
export const limitFields = {
  turns: z.int().min(1),
  tokens: z.int().min(1),
  spend: usd,
  spend_currency: z.literal('USD', { error: 'only USD is supported' }),
  spawns: z.int().min(0),
  depth: z.int().min(0),
  duration_seconds: z.number().positive(),
} as const;

/** Name of a limit as a person writes it. */
export type LimitField = keyof typeof limitFields;
