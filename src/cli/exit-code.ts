import type { Failure } from '../index.ts';

/** Exit codes of the command line; `skein --help` explains them. */
export const EXIT = { completed: 0, failed: 1, usage: 2, refused: 3, internal: 70, interrupted: 130 } as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const ABOUT: Readonly<Record<keyof typeof EXIT, string>> = {
  completed: 'done; the thread completed, or was suspended by Ctrl-C or SIGTERM',
  failed:
    'the thread ended in an error, was cancelled, or is suspended otherwise; verify, doctor, replay, export: something is wrong; ' +
    "the output can't be written; a runtime did not say whether it did what it was asked to do",
  usage: 'the command line is wrong',
  refused: 'refused before anything was done: unknown or refused item, missing input, project in use, no usable key …',
  internal: 'a bug in Skein',
  interrupted: 'stopped at once by a second Ctrl-C or SIGTERM, or by one before anything ran',
};

/** Every exit code and what it tells. */
export const EXIT_CODES: readonly { readonly code: ExitCode; readonly name: string; readonly about: string }[] =
  Object.entries(EXIT).map(([name, code]) => ({ code, name, about: ABOUT[name as keyof typeof EXIT] })); // its own keys

/** The exit code of something that was refused or went wrong before there was a thread, or after it may have been done. */
export function exitCodeOf({ code, detail }: Pick<Failure, 'code' | 'detail'>): ExitCode {
  if (detail?.['maybe_done'] === true) return EXIT.failed;
  if (code === 'invalid_argument') return EXIT.usage;
  return code === 'internal' ? EXIT.internal : EXIT.refused;
}
