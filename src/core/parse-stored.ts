import type { z } from 'zod';
import { SkeinError } from './errors.ts';
import { faultLine } from './zod-fault.ts';

/**
 * Reads JSON that an earlier runtime stored.
 *
 * @throws SkeinError `store_corrupt` when it does not parse: a damaged row must not start half a thread
 */
export function parseStored<Value>(json: string, schema: z.ZodType<Value>, what: string): Value {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new SkeinError('store_corrupt', `The stored ${what} is no JSON`, { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SkeinError('store_corrupt', `The stored ${what} does not parse: ${faultLine(parsed.error)}`);
}
