import { z } from 'zod';
import { SkeinError } from './errors.ts';

/** As the id of an item, by which an action names it; no segment is `.` or `..`. */
const ID = /^(?!\/|.{513})(?:(?:^|\/)(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]{1,200})+$/;

/** What `input` and `inputSchema` say is looked at where they are used. */
const shape = {
  id: z.string('`id` must be a text').regex(ID, '`id` must be a slash path such as project/deploy'),
  description: z.string('`description` must be a text'),
  input: z.custom((value) => value !== undefined, '`input` must be a schema'),
  inputSchema: z.record(z.string(), z.unknown(), '`inputSchema` must be a JSON Schema').optional(),
  idempotent: z.boolean('`idempotent` must be true or false').optional(),
  run: z.custom((value) => typeof value === 'function', '`run` must be a function of (input, caller)'),
};

const schema = z.strictObject(shape, {
  error: (issue) =>
    issue.code === 'unrecognized_keys'
      ? `there is no ${issue.keys.map((key) => `"${key}"`).join(', ')}; a tool has ${Object.keys(shape).join(', ')}`
      : 'a tool must be an object',
});

/**
 * Checks the shape of a tool that is registered, as a function on the host or by a module: a misspelt `idempotent` would be
 * ignored otherwise. `place` says in the error which tool it is.
 *
 * @throws SkeinError `invalid_argument` naming all that is wrong
 */
export function checkRegisteredTool(tool: unknown, place: string): void {
  const checked = schema.safeParse(tool);
  if (checked.success) return;
  const { id } = z.object({ id: schema.shape.id }).safeParse(tool).data ?? {};
  const problems = checked.error.issues.map(({ message }) => message).join('; ');
  throw new SkeinError('invalid_argument', `${id === undefined ? place : `${place} (${id})`}: ${problems}`);
}
