import type { SkeinErrorCode } from '../index.ts';

/** Exit codes of the command line; `skein --help` explains them. */
export const EXIT = { completed: 0, failed: 1, usage: 2, refused: 3, internal: 70, interrupted: 130 } as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code of something that was refused or went wrong before there was a thread. */
export function exitCodeOf(code: SkeinErrorCode): ExitCode {
  if (code === 'invalid_argument') return EXIT.usage;
  return code === 'internal' ? EXIT.internal : EXIT.refused;
}
