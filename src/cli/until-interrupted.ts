import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';

/** Waits for Ctrl-C; a second one ends the process. */
export async function untilInterrupted(io: CliIo): Promise<ExitCode> {
  const stopped = Promise.withResolvers<ExitCode>();
  const stopListening = io.onInterrupt(stopOnInterrupt(stopped.resolve, io));
  try {
    return await stopped.promise;
  } finally {
    stopListening();
  }
}

/** The first Ctrl-C closes everything in good order, a second one ends the process. */
export function stopOnInterrupt(stop: (code: ExitCode) => void, io: CliIo): () => void {
  let seen = false;
  return () => {
    if (seen) return io.exit(EXIT.interrupted);
    seen = true;
    stop(EXIT.completed);
  };
}
