import type { Clock } from '../core/clock.ts';
import type { LaunchCommand, LaunchReport } from './launch-messages.ts';
import { LaunchedProcess } from './launched-process.ts';

/** What the launcher needs: a clock, and its line to the worker that it starts processes for. */
export type LaunchLine = {
  readonly clock: Clock;
  readonly say: (report: LaunchReport) => void;
  /** Called when all is killed. */
  readonly end: () => void;
};

/** The processes of a launcher. */
export interface Launches {
  receive(command: LaunchCommand): void;
  /** Kills them all, and ends: nobody is there any more who would hear of their ends. */
  close(): void;
}

/** Starts processes as it is told. */
export function serveLaunches({ clock, say, end }: LaunchLine): Launches {
  const launched = new Map<number, LaunchedProcess>();
  const close = (): void => {
    for (const child of launched.values()) child.signal('SIGKILL');
    end();
  };
  return {
    receive(command) {
      if (command.type === 'close') return close();
      const { call } = command;
      if (command.type === 'signal') {
        launched.get(call)?.signal(command.signal);
        // Also of one that has ended: this says that the launcher is alive.
        return say({ type: 'signalled', call });
      }
      const child = new LaunchedProcess(command.order, {
        clock,
        started: (pid) => say({ type: 'started', call, pid }),
        ended(how) {
          launched.delete(call);
          say({ type: 'ended', call, end: how });
        },
      });
      launched.set(call, child);
      child.start();
    },
    close,
  };
}
