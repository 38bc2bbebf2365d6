import type { Runtime } from '../index.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';

/** How long running threads may go on after Ctrl-C before they are suspended. */
const GRACE_MS = 2_000;

/** What Ctrl-C does during a run. */
export interface Interrupts {
  /** From now on the first Ctrl-C closes this runtime. */
  closes(runtime: Runtime): void;
  seen(): boolean;
  stop(): void;
}

/** Ctrl-C closes the runtime: its threads end or are suspended, and can go on later. A second one ends the process. */
export function closeOnInterrupt(io: CliIo, say: (line: string) => void): Interrupts {
  let runtime: Runtime | undefined;
  let seen = false;
  const stop = io.onInterrupt(() => {
    if (seen || !runtime) return io.exit(EXIT.interrupted);
    seen = true;
    say(`Closing: what still runs in ${GRACE_MS / 1000} s is suspended. Ctrl-C again ends at once.`);
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
