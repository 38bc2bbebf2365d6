import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../core/clock.ts';
import { withMemoryLimit } from './memory-limit.ts';
import { createOutputTail } from './output-tail.ts';
import { signalGroup } from './process-group.ts';
import { isUnchanged, type VerifiedFile } from './unchanged-file.ts';

/** What to run. */
export type ProcessOrder = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed. */
  readonly input: string;
  /** The tool's file; the process is not started if it has changed since. */
  readonly verified: VerifiedFile;
  /** Where the result comes from: `channel` is fd 3, so that prints cannot spoil it. */
  readonly resultOn: 'stdout' | 'channel';
  readonly timeoutMs: number;
  /** Largest result; prints beside it may be 16 times as long and are not kept. */
  readonly maxOutputBytes: number;
  /** Memory each process of the group may allocate; 0 = no limit. */
  readonly memoryLimitMb: number;
};

/** How it ended. `printed` is the end of what went to stderr (and, with a channel, stdout). */
export type ProcessEnd =
  | { readonly kind: 'not_started'; readonly message: string }
  | { readonly kind: 'file_changed' }
  | { readonly kind: 'timed_out'; readonly printed: string }
  | { readonly kind: 'too_much_output'; readonly printed: string }
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly result: string;
      readonly printed: string;
    };

/** What a process needs from around it. */
export type ProcessSurroundings = {
  readonly clock: Clock;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Called with the pid of a process that has started. */
  started(pid: number): void;
  /** Called exactly once, after the process is gone, never in the tick it was started. */
  ended(end: ProcessEnd): void;
};

const TAIL_BYTES = 8 * 1024;
const PRINT_FACTOR = 16;
/** How long after the process is gone its pipes may stay open: a grandchild that left the group may hold them. */
const DRAIN_MS = 500;

/**
 * One tool process and everything it starts, in a process group of its own.
 *
 * Invariants: (1) `ended` is called exactly once; (2) by then everyone in the group has been
 * killed; (3) memory is bounded by
 * `maxOutputBytes` whatever is printed; (4) no timer outlives the process.
 */
export class ToolProcess {
  readonly #order: ProcessOrder;
  readonly #around: ProcessSurroundings;
  readonly #prints = createOutputTail(TAIL_BYTES);
  readonly #result: Buffer[] = [];
  #resultBytes = 0;
  #printedBytes = 0;
  #child: ChildProcess | undefined;
  #cause: 'timed_out' | 'too_much_output' | undefined;
  #timer: Timer | undefined;
  #exit: { readonly exitCode: number | null; readonly signal: string | null } | undefined;
  #over = false;

  constructor(order: ProcessOrder, around: ProcessSurroundings) {
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
    this.#timer = this.#around.clock.setTimer(this.#order.timeoutMs, () => this.#end('timed_out'));
  }

  /** Asks the group to end (SIGTERM) and kills it after the grace time. */
  stop(): void {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#exit) return;
    signalGroup(pid, 'SIGTERM');
    this.#restartTimer(this.#around.graceMs, () => signalGroup(pid, 'SIGKILL'));
  }

  /** Kills the group at once. */
  kill(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined && !this.#exit) signalGroup(pid, 'SIGKILL');
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
    collect(onChannel ? child.stdio[3] : null, (chunk) => this.#collect(chunk));
  }

  #print(chunk: Buffer): void {
    this.#prints.push(chunk);
    this.#printedBytes += chunk.length;
    if (this.#printedBytes > this.#order.maxOutputBytes * PRINT_FACTOR) this.#end('too_much_output');
  }

  #collect(chunk: Buffer): void {
    this.#resultBytes += chunk.length;
    if (this.#resultBytes > this.#order.maxOutputBytes) this.#end('too_much_output');
    else this.#result.push(chunk);
  }

  #end(cause: 'timed_out' | 'too_much_output'): void {
    if (this.#cause) return;
    this.#cause = cause;
    if (cause === 'timed_out') this.stop();
    else this.kill();
  }

  #exited(child: ChildProcess, exit: { exitCode: number | null; signal: string | null }): void {
    this.#exit = exit;
    // Whatever the tool left running ends with its call. The group id stays ours as long as anyone is in it.
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    // The immediate lets what has already arrived be read, should this thread have been blocked meanwhile.
    this.#restartTimer(DRAIN_MS, () => setImmediate(() => this.#finish()));
  }

  #restartTimer(delayMs: number, fire: () => void): void {
    if (this.#timer !== undefined) this.#around.clock.clearTimer(this.#timer);
    this.#timer = this.#around.clock.setTimer(delayMs, fire);
  }

  #finish(): void {
    const printed = this.#prints.text();
    if (this.#cause) this.#report({ kind: this.#cause, printed });
    else if (this.#exit) {
      this.#report({ kind: 'exited', ...this.#exit, result: Buffer.concat(this.#result).toString('utf8'), printed });
    }
  }

  #notStarted(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#report({ kind: 'not_started', message: `${this.#order.command} in ${this.#order.cwd}: ${reason}` });
  }

  #report(end: ProcessEnd): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#timer !== undefined) this.#around.clock.clearTimer(this.#timer);
    for (const stream of this.#child?.stdio ?? []) stream?.destroy();
    this.#around.ended(end);
  }
}

function spawnGroup({ cwd, env, resultOn, memoryLimitMb, ...words }: ProcessOrder): ChildProcess {
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
