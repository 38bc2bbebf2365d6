import { SkeinError, type Runtime } from '../index.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';

/** How long running threads may go on after the first signal before they are suspended. */
const GRACE_MS = 2_000;

/** What SIGINT (Ctrl-C) and SIGTERM do while a command has a runtime. */
export interface Interrupts {
  /** From now on the first signal closes this runtime. */
  closes(runtime: Pick<Runtime, 'close'>): void;
  seen(): boolean;
  stop(): void;
}

/** What a command was doing when a signal had closed its runtime before anything ran in it. */
export class InterruptedError extends SkeinError {
  constructor(cause: unknown) {
    super('runtime_closed', 'Interrupted before anything ran', { cause });
  }
}

/**
 * The first signal closes the runtime: its threads end or are suspended, and can go on later. A second one, or one before
 * there is a runtime, ends the process at once; whatever was acknowledged is on disk, as after a crash.
 */
export function closeOnInterrupt(io: Pick<CliIo, 'onInterrupt' | 'exit'>, say: (line: string) => void): Interrupts {
  let runtime: Pick<Runtime, 'close'> | undefined;
  let seen = false;
  const stop = io.onInterrupt(() => {
    if (seen || !runtime) return io.exit(EXIT.interrupted);
    seen = true;
    say(`Closing: what still runs in ${GRACE_MS / 1000} s is suspended. Ctrl-C again ends at once.`);
    // It does not reject; whoever started the runtime closes it as well, and waits.
    void runtime.close({ graceMs: GRACE_MS });
  });
  return {
    closes(started) {
      runtime = started;
    },
    seen: () => seen,
    stop,
  };
}
