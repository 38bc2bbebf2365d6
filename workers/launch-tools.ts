import { systemClock } from '../src/core/clock.ts';
import type { LaunchCommand, LaunchReport } from '../src/tools/launch-messages.ts';
import { serveLaunches } from '../src/tools/serve-launches.ts';

/**
 * The process that starts tool processes for a worker (ADR 63). It loads little, since each page of it is one that a start
 * copies. It ends with its line, and not by a signal that a service manager sends to everybody: whoever it works for may still wait.
 */
const launches = serveLaunches({
  clock: systemClock,
  say: (report: LaunchReport) => void process.send?.(report),
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('message', (command) => launches.receive(command as LaunchCommand));
process.on('disconnect', () => {
  launches.killAll();
  process.exit();
});
