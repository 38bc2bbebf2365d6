import { systemClock } from '../src/core/clock.ts';
import type { LaunchCommand } from '../src/tools/launch-messages.ts';
import { serveLaunches } from '../src/tools/serve-launches.ts';

/**
 * The process that starts tool processes for a worker (ADR 63). It loads little, since each page that it has is one more to copy
 * at every start. It ends with its line, and not by a signal that a service manager sends to everybody: whoever it works
 * for may still wait.
 */
const launches = serveLaunches({
  clock: systemClock,
  // With a callback, since a line that is gone would be an uncaught error without: nobody is left who would hear it, and what
  // has been started is killed when the line says so itself, below.
  say: (report) => void process.send?.(report, () => undefined),
  end: () => process.exit(),
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// Sent by `RunningLauncher` alone.
process.on('message', (command) => launches.receive(command as LaunchCommand));
process.on('disconnect', () => launches.close());
