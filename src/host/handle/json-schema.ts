import { z } from 'zod';
import { SkeinError, toFailure } from '../../core/errors.ts';

/**
 * The side of a schema that is asked of a model: what goes in, before transforms and defaults. `what` names it in the error.
 *
 * @throws SkeinError `invalid_argument` for a schema that has no JSON Schema
 */
export function jsonSchemaOf(schema: z.ZodType, what: string): Readonly<Record<string, unknown>> {
  try {
    return z.toJSONSchema(schema, { io: 'input' });
  } catch (cause) {
    const { message } = toFailure(cause);
    throw new SkeinError('invalid_argument', `The schema of ${what} has no JSON Schema: ${message}`, { cause });
  }
}
