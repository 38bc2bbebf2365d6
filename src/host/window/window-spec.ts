import { z } from 'zod';
import type { ThreadNo } from '../../core/ids.ts';
import { spellLimits, type LimitOverrides, type Limits } from '../../core/limits.ts';
import { limitsNow, type LimitSources } from '../rest/limits-now.ts';

/** What a thread was started with, and may use now. */
export type WindowSpec = {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Undefined: they can't be read. */
  readonly limits: Required<LimitOverrides> | undefined;
};

const specSchema = z.object({ inputs: z.record(z.string(), z.unknown()).optional() });

/** Reads what a thread was started with, and its limits with what people have raised since. */
export function readSpec(reader: LimitSources, thread: ThreadNo): WindowSpec {
  const spec: unknown = JSON.parse(reader.spec(thread) ?? '{}');
  const limits = limitsOf(reader, thread);
  return {
    inputs: specSchema.safeParse(spec).data?.inputs ?? {},
    limits: limits && { ...spellLimits(limits), spend_currency: 'USD' },
  };
}

/** Who looks at a damaged thread sees the rest of it. */
function limitsOf(reader: LimitSources, thread: ThreadNo): Limits | undefined {
  try {
    return limitsNow(reader, thread);
  } catch {
    // Damaged.
    return undefined;
  }
}
