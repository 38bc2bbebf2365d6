import { z } from 'zod';
import { SkeinError, messageOf } from './errors.ts';

/**
 * The side of a schema that is asked of a model: what goes in, before transforms and defaults. `what` names it in the error.
 *
 * @throws SkeinError `invalid_argument` for one that contradicts itself, as by two schemas with one id
 */
export function jsonSchemaOf(schema: z.ZodType, what: string): Readonly<Record<string, unknown>> {
  try {
    // What has none there is anything to a model: the schema itself checks what comes.
    return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  } catch (cause) {
    const message = messageOf(cause);
    throw new SkeinError('invalid_argument', `The schema of ${what} has no JSON Schema: ${message}`, { cause });
  }
}
