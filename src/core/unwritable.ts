import { codeOf } from './code-of.ts';
import { type ErrorPlace, SkeinError } from './errors.ts';

/** `project_unwritable` for an error of the file system, with its code behind the message; anything else as it was thrown. */
export function unwritable(thrown: unknown, message: string, where?: ErrorPlace): unknown {
  const code = codeOf(thrown);
  if (code === undefined || thrown instanceof SkeinError) return thrown;
  return new SkeinError('project_unwritable', `${message} (${code})`, { where, cause: thrown });
}
