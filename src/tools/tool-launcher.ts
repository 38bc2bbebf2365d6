import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { toFailure } from '../core/errors.ts';
import { childEnv, type Env } from './child-env.ts';
import type { LaunchCommand, LaunchReport } from './launch-messages.ts';
import { signalGroup, type EndSignal } from './process-group.ts';
import type { ProcessEnd, ProcessOrder } from './tool-process.ts';

/**
 * Starts tool processes from a small process of its own, the launcher: to start one copies the page tables of who starts it,
 * and each page that is written to afterwards, which a runtime of some hundred MB pays with tens of milliseconds in all of its
 * threads (ADR 63). It is there from the first call on and never keeps its worker alive; when that is gone, even by SIGKILL,
 * it kills what it has started and ends.
 */
export interface ToolLauncher {
  /** `ended` is called once, never in the same tick. */
  start(order: ProcessOrder, ended: (end: ProcessEnd) => void): Launch;
  /** Kills all there is at once. The next start begins anew. */
  close(): void;
}

/** A process on its way. */
export type Launch = {
  signal(signal: EndSignal): void;
  /** The launcher does not answer: ends it, and with it all that it has started. */
  giveUp(): void;
};

/** How to start a launcher: with which Node, and of which environment it gets what every tool gets. */
export type ToolLauncherOptions = { readonly nodePath: string; readonly env: Env };

/** Makes a {@link ToolLauncher}. */
export function createToolLauncher(options: ToolLauncherOptions): ToolLauncher {
  let running: RunningLauncher | undefined;
  return {
    start(order, ended) {
      try {
        running ??= new RunningLauncher(options, (gone) => {
          if (running === gone) running = undefined;
        });
      } catch (thrown) {
        const { message } = toFailure(thrown);
        queueMicrotask(() => ended({ kind: 'not_started', message }));
        return NOT_STARTED;
      }
      return running.start(order, ended);
    },
    close() {
      running?.close();
      running = undefined;
    },
  };
}

const NOT_STARTED: Launch = { signal: () => undefined, giveUp: () => undefined };

type Call = { readonly ended: (end: ProcessEnd) => void; pid?: number };

/**
 * A launcher process and the calls it has.
 *
 * Invariants: (1) each call ends once, also when the process does; (2) what a process that is gone had started, as far as it
 * had said so, is killed; (3) it keeps its worker alive only while it has calls.
 */
class RunningLauncher {
  readonly #calls = new Map<number, Call>();
  readonly #gone: (launcher: RunningLauncher) => void;
  readonly #process: ChildProcess;
  #last = 0;

  /** @throws what keeps a process from being started */
  constructor({ nodePath, env }: ToolLauncherOptions, gone: (launcher: RunningLauncher) => void) {
    this.#gone = gone;
    this.#process = spawn(nodePath, [fileURLToPath(import.meta.resolve('#workers/launch-tools.js'))], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: childEnv(env, []),
      cwd: '/',
      // In a group of its own: an interrupt from the terminal must not end it before the tools.
      detached: true,
      windowsHide: true,
    });
    this.#process.on('message', (report) => this.#hear(report as LaunchReport));
    this.#process.on('error', (error) => this.#lost(error.message));
    // Once all that it has said is read.
    this.#process.on('disconnect', () => this.#lost('the process that starts tools has ended'));
  }

  start(order: ProcessOrder, ended: (end: ProcessEnd) => void): Launch {
    const call = (this.#last += 1);
    this.#calls.set(call, { ended });
    this.#keepAlive();
    this.#say({ type: 'start', call, order });
    return {
      signal: (signal) => this.#say({ type: 'signal', call, signal }),
      giveUp: () => void this.#process.kill('SIGKILL'),
    };
  }

  close(): void {
    for (const { pid } of this.#calls.values()) if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    // What it has started since is its own to kill.
    if (this.#process.connected) this.#process.disconnect();
  }

  #hear(report: LaunchReport): void {
    const call = this.#calls.get(report.call);
    if (!call) return;
    if (report.type === 'started') {
      call.pid = report.pid;
      return;
    }
    this.#calls.delete(report.call);
    this.#keepAlive();
    call.ended(report.end);
  }

  #lost(message: string): void {
    this.#gone(this);
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { pid, ended } of calls) {
      if (pid === undefined) ended({ kind: 'not_started', message });
      else {
        signalGroup(pid, 'SIGKILL');
        ended({ kind: 'lost', message });
      }
    }
  }

  #say(command: LaunchCommand): void {
    // What it can't be told it does not need to know: its end is heard of.
    this.#process.send(command, () => undefined);
  }

  #keepAlive(): void {
    const [verb, { channel }] = [this.#calls.size > 0 ? 'ref' : 'unref', this.#process] as const;
    this.#process[verb]();
    channel?.[verb]();
  }
}
