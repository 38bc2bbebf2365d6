import { z } from 'zod';
import type { ThreadNo } from '../../core/ids.ts';
import { spellLimits, type SpelledLimits } from '../../core/limits.ts';
import { parseStored } from '../../core/parse-stored.ts';
import { attempt } from '../../core/result.ts';
import { limitsNow, type LimitReader } from '../rest/limits-now.ts';

/** What a thread was started with, and may use now. */
export type WindowSpec = {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Undefined: they can't be read. */
  readonly limits: SpelledLimits | undefined;
};

const specSchema = z.object({ inputs: z.record(z.string(), z.unknown()).catch({}) });

/** Reads what a thread was started with, and its limits with what people have raised since. */
export function readSpec(reader: LimitReader, thread: ThreadNo): WindowSpec {
  // Who looks at a damaged thread sees the rest of it.
  const spec = attempt(() => parseStored(reader.spec(thread) ?? '{}', specSchema, 'spec'));
  const limits = attempt(() => limitsNow(reader, thread));
  return {
    inputs: spec.ok ? spec.value.inputs : {},
    limits: limits.ok ? { ...spellLimits(limits.value), spend_currency: 'USD' } : undefined,
  };
}
