import { SkeinError, messageOf } from '../core/errors.ts';

/** The refusal of a file or folder of the project's state that can't be written; `cause`: what the system says of it. */
export function unwritable(file: string, cause: unknown): SkeinError {
  const reason = messageOf(cause);
  return new SkeinError('project_unwritable', `the project's state can't be written: ${reason}`, {
    where: { file },
    cause,
  });
}
