import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { LaunchEnd, LaunchOrder } from './launch-messages.ts';
import { withMemoryLimit } from './memory-limit.ts';
import { createOutputTail } from './output-tail.ts';
import { signalGroup, type EndSignal } from './process-group.ts';
import { isUnchanged } from './unchanged-file.ts';

/** What a process needs from around it. */
export type ProcessSurroundings = {
  readonly clock: Clock;
  /** Called with the pid of a process that has started. */
  started(pid: number): void;
  /** Called exactly once, after the process is gone, never in the tick it was started. */
  ended(end: LaunchEnd): void;
};

const PRINT_FACTOR = 16;
/** How long after the process is gone its pipes may stay open: a grandchild that left the group may hold them. */
const DRAIN_MS = 500;

/**
 * A tool's process and everything it starts, in a process group of its own, as the launcher has it.
 *
 * Invariants: (1) `ended` is called exactly once; (2) by then everyone in the group has been killed; (3) memory is bounded by
 * `maxOutputBytes` whatever is printed; (4) no timer outlives the process.
 */
export class LaunchedProcess {
  readonly #order: LaunchOrder;
  readonly #around: ProcessSurroundings;
  readonly #prints = createOutputTail();
  readonly #result: Buffer[] = [];
  #resultBytes = 0;
  #printedBytes = 0;
  #child: ChildProcess | undefined;
  #isTooMuch = false;
  #wasSignalled = false;
  #drain: Timer | undefined;
  #exit: { readonly exitCode: number | null; readonly signal: string | null } | undefined;
  #over = false;

  constructor(order: LaunchOrder, around: ProcessSurroundings) {
    this.#order = order;
    this.#around = around;
  }

  /** Starts it; to be called once. */
  start(): void {
    if (!isUnchanged(this.#order.verified)) {
      queueMicrotask(() => this.#report({ kind: 'file_changed' }));
      return;
    }
    try {
      this.#child = spawnGroup(this.#order);
    } catch (error) {
      queueMicrotask(() => this.#notStarted(error));
      return;
    }
    this.#listen(this.#child);
    if (this.#child.pid === undefined) return;
    this.#around.started(this.#child.pid);
    this.#child.stdin?.end(this.#order.input);
  }

  /** Sends a signal to the group, for as long as it is ours. */
  signal(signal: EndSignal): void {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#exit) return;
    this.#wasSignalled = true;
    signalGroup(pid, signal);
  }

  #listen(child: ChildProcess): void {
    child.on('error', (error) => {
      if (child.pid === undefined) this.#notStarted(error);
    });
    child.on('exit', (exitCode, signal) => this.#exited(child, { exitCode, signal }));
    child.on('close', () => this.#finish());
    // A tool that does not read its input closes the pipe: not our failure.
    child.stdin?.on('error', () => {});
    const onChannel = this.#order.resultOn === 'channel';
    collect(child.stdout, (chunk) => (onChannel ? this.#print(chunk) : this.#collect(chunk)));
    collect(child.stderr, (chunk) => this.#print(chunk));
    // With no file descriptor left there is no `stdio`, whatever the types say.
    const { stdio } = child as { readonly stdio?: ChildProcess['stdio'] };
    collect(onChannel ? stdio?.[3] : null, (chunk) => this.#collect(chunk));
  }

  #print(chunk: Buffer): void {
    this.#prints.push(chunk);
    this.#printedBytes += chunk.length;
    if (this.#printedBytes > this.#order.maxOutputBytes * PRINT_FACTOR) this.#tooMuch();
  }

  #collect(chunk: Buffer): void {
    this.#resultBytes += chunk.length;
    if (this.#resultBytes > this.#order.maxOutputBytes) this.#tooMuch();
    else this.#result.push(chunk);
  }

  #tooMuch(): void {
    // One that is being ended already ends for that.
    if (this.#wasSignalled) return;
    this.#isTooMuch = true;
    this.signal('SIGKILL');
  }

  #exited(child: ChildProcess, exit: { exitCode: number | null; signal: string | null }): void {
    this.#exit = exit;
    // Whatever the tool left running ends with its call. The group id stays ours as long as anyone is in it.
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    // The immediate lets what has already arrived be read, should this thread have been blocked meanwhile.
    this.#drain = this.#around.clock.setTimer(DRAIN_MS, () => setImmediate(() => this.#finish()));
  }

  #finish(): void {
    const printed = this.#prints.text();
    if (this.#isTooMuch) this.#report({ kind: 'too_much_output', printed });
    else if (this.#exit) {
      const result = Buffer.concat(this.#result).toString('utf8');
      this.#report({ kind: 'exited', ...this.#exit, result, printed, wasSignalled: this.#wasSignalled });
    }
  }

  #notStarted(error: unknown): void {
    const reason = messageOf(error);
    this.#report({ kind: 'not_started', message: `${this.#order.command} in ${this.#order.cwd}: ${reason}` });
  }

  #report(end: LaunchEnd): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#drain !== undefined) this.#around.clock.clearTimer(this.#drain);
    for (const stream of this.#child?.stdio ?? []) stream?.destroy();
    this.#around.ended(end);
  }
}

function spawnGroup({ cwd, env, resultOn, memoryLimitMb, ...words }: LaunchOrder): ChildProcess {
  const { command, args } = withMemoryLimit(words, memoryLimitMb);
  const stdio: StdioOptions = resultOn === 'channel' ? ['pipe', 'pipe', 'pipe', 'pipe'] : 'pipe';
  return spawn(command, args, { cwd, env, stdio, detached: true, windowsHide: true });
}

function collect(stream: unknown, take: (chunk: Buffer) => void): void {
  // `stdio[3]` is typed as any stream; a 'pipe' is always a readable socket.
  const readable = stream as Readable | null | undefined;
  readable?.on('data', take);
  // A broken pipe ends the stream; what matters then is how the process ends.
  readable?.on('error', () => {});
}
