import { SkeinError } from './errors.ts';

/** The error for a thread that there is not, or that whoever asks may not know of. */
export function threadNotFound(id: string): SkeinError {
  return new SkeinError('thread_not_found', `Thread not found: ${id}`);
}
