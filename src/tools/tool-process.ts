import type { Clock, Timer } from '../core/clock.ts';
import type { EndSignal } from './process-group.ts';
import type { Launch, ToolLauncher } from './tool-launcher.ts';
import type { VerifiedFile } from './unchanged-file.ts';

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

/** How it ended by itself, or for what it did. `printed` is the end of what went to stderr (and, with a channel, stdout). */
export type LaunchEnd =
  | { readonly kind: 'not_started'; readonly message: string }
  | { readonly kind: 'file_changed' }
  | { readonly kind: 'too_much_output'; readonly printed: string }
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly result: string;
      readonly printed: string;
    };

/** How it ended. `lost`: the launcher ended before it could say, and the process was killed for that. */
export type ProcessEnd =
  | LaunchEnd
  | { readonly kind: 'timed_out'; readonly printed: string }
  | { readonly kind: 'lost'; readonly message: string };

/** What a call's process needs from around it. */
export type CallSurroundings = {
  readonly clock: Clock;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly launcher: Pick<ToolLauncher, 'start'>;
  /** Called exactly once, after the process is gone, never in the tick it was started. */
  ended(end: ProcessEnd): void;
};

/** How long the launcher may take to say that a process is gone which it was to kill. */
const ANSWER_MS = 5_000;

/**
 * The process of one call: its time limit, and how it is stopped.
 *
 * Invariants: (1) `ended` is called exactly once, also when the launcher dies or says nothing; (2) no timer outlives the call.
 */
export class ToolProcess {
  readonly #order: ProcessOrder;
  readonly #around: CallSurroundings;
  #launch: Launch | undefined;
  #timer: Timer | undefined;
  #isLate = false;
  #isOver = false;

  constructor(order: ProcessOrder, around: CallSurroundings) {
    this.#order = order;
    this.#around = around;
  }

  /** Starts it; to be called once. */
  start(): void {
    const { clock, launcher } = this.#around;
    this.#timer = clock.setTimer(this.#order.timeoutMs, () => {
      this.#isLate = true;
      this.stop();
    });
    this.#launch = launcher.start(this.#order, (end) => this.#ended(end));
  }

  /** Asks the group to end (SIGTERM) and kills it after the grace time. */
  stop(): void {
    this.#signal('SIGTERM', this.#around.graceMs, () => this.kill());
  }

  /** Kills the group at once. */
  kill(): void {
    // One that is stopped itself, by a tool for example, would keep its calls for ever.
    this.#signal('SIGKILL', ANSWER_MS, () => this.#launch?.giveUp());
  }

  #signal(signal: EndSignal, waitMs: number, next: () => void): void {
    if (this.#isOver) return;
    this.#launch?.signal(signal);
    this.#clearTimer();
    this.#timer = this.#around.clock.setTimer(waitMs, next);
  }

  #ended(end: ProcessEnd): void {
    this.#isOver = true;
    this.#clearTimer();
    const isTimedOut = this.#isLate && end.kind === 'exited';
    this.#around.ended(isTimedOut ? { kind: 'timed_out', printed: end.printed } : end);
  }

  #clearTimer(): void {
    if (this.#timer !== undefined) this.#around.clock.clearTimer(this.#timer);
  }
}
