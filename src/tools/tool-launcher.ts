import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../core/errors.ts';
import { childEnv, type Env } from './child-env.ts';
import type { LaunchCommand, LaunchEnd, LaunchOrder, LaunchReport } from './launch-messages.ts';
import { signalGroup, type EndSignal } from './process-group.ts';

/** How a process ended; `lost`: the launcher ended before it could say so, and what it had told of was killed for that. */
export type LaunchedEnd = LaunchEnd | { readonly kind: 'lost'; readonly message: string };

/**
 * Starts tool processes from a small process of its own, the launcher (ADR 63): starting a process copies the page tables of its
 * parent, and then each page that either of them writes to, which costs a runtime of some hundred MB tens of milliseconds in
 * all of its threads. It is there from the first call on, and keeps its worker alive only while there are calls. When the worker
 * is gone, even by SIGKILL, it kills what it has started, and ends; one that a tool has stopped by then can't.
 */
export interface ToolLauncher {
  /** `ended` is called once, never in the same tick. */
  start(order: LaunchOrder, ended: (end: LaunchedEnd) => void): Launch;
  /** Kills all there is at once. The next start begins anew. */
  close(): void;
}

/** A process on its way. */
export type Launch = {
  signal(signal: EndSignal): void;
  /** Ends a launcher that has not answered the last signal, and with it all that it has started. */
  endIfSilent(): void;
};

/** How to start a launcher: with which Node, and of which environment it gets what every tool gets. */
export type ToolLauncherOptions = { readonly nodePath: string; readonly env: Env };

/** Makes a {@link ToolLauncher}. */
export function createToolLauncher(options: ToolLauncherOptions): ToolLauncher {
  let running: RunningLauncher | undefined;
  return {
    start(order, ended) {
      try {
        // The call is none of its before that: it ends here or there, once.
        if (!running?.isOpen) running = new RunningLauncher(options);
      } catch (thrown) {
        const message = messageOf(thrown);
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

const NOT_STARTED: Launch = { signal: () => undefined, endIfSilent: () => undefined };

type Call = { readonly ended: (end: LaunchedEnd) => void; pid?: number; isSilent?: boolean };

/**
 * A launcher process and the calls it has.
 *
 * Invariants: (1) each call ends once, also when the process does; (2) what a process that is gone had started, as far as it
 * had said so, is killed; (3) it keeps its worker alive only while it has calls.
 */
class RunningLauncher {
  readonly #calls = new Map<number, Call>();
  readonly #process: ChildProcess;
  #last = 0;
  #isClosed = false;

  /** @throws what keeps a process from being started */
  constructor({ nodePath, env }: ToolLauncherOptions) {
    this.#process = spawn(nodePath, [fileURLToPath(import.meta.resolve('#workers/launch-tools.js'))], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: childEnv(env, []),
      cwd: '/',
      // In a group of its own: an interrupt from the terminal must not end it before the tools.
      detached: true,
      windowsHide: true,
    });
    // Sent by `serveLaunches` alone.
    this.#process.on('message', (report) => this.#hear(report as LaunchReport));
    this.#process.on('error', ({ message }) => {
      // Of one that has started only what it was sent can fail: its end is heard of.
      if (this.#process.pid === undefined) this.#over({ kind: 'not_started', message });
    });
    // Once all that it has said is read.
    this.#process.on('disconnect', () =>
      this.#over({ kind: 'lost', message: 'the process that starts tools has ended' }),
    );
  }

  /** Whether it can be told anything. */
  get isOpen(): boolean {
    return this.#process.connected && !this.#isClosed;
  }

  start(order: LaunchOrder, ended: (end: LaunchedEnd) => void): Launch {
    const number = (this.#last += 1);
    const call: Call = { ended };
    this.#calls.set(number, call);
    this.#keepAlive();
    this.#say({ type: 'start', call: number, order });
    return {
      signal: (signal) => {
        call.isSilent = true;
        this.#say({ type: 'signal', call: number, signal });
      },
      endIfSilent: () => {
        if (call.isSilent) this.#giveUp();
      },
    };
  }

  /** It kills what it has, and ends. Not by `disconnect()`, which waits for the rest of a message and then hears no more of them. */
  close(): void {
    this.#isClosed = true;
    // One that a tool has stopped has to go on for that.
    if (process.platform !== 'win32') this.#process.kill('SIGCONT');
    this.#say({ type: 'close' });
  }

  #giveUp(): void {
    this.#isClosed = true;
    this.#process.kill('SIGKILL');
  }

  #hear(report: LaunchReport): void {
    const call = this.#calls.get(report.call);
    if (!call) return;
    switch (report.type) {
      case 'started':
        call.pid = report.pid;
        return;
      case 'signalled':
        call.isSilent = false;
        return;
      case 'ended':
        this.#calls.delete(report.call);
        this.#keepAlive();
        call.ended(report.end);
    }
  }

  /** It is gone, or was never there. */
  #over(end: LaunchedEnd): void {
    // Whoever hears of an end may start the next one.
    this.#isClosed = true;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.#keepAlive();
    for (const { pid, ended } of calls) {
      if (pid !== undefined) signalGroup(pid, 'SIGKILL');
      ended(end);
    }
  }

  #say(command: LaunchCommand): void {
    // What it can't be told it does not need to know: its end is heard of. With no file descriptor left there is no line.
    if (this.#process.connected) this.#process.send(command, () => undefined);
  }

  #keepAlive(): void {
    const verb = this.#calls.size > 0 ? 'ref' : 'unref';
    this.#process[verb]();
    this.#process.channel?.[verb]();
  }
}
