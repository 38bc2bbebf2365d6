import type { Clock, Timer } from '../core/clock.ts';
import type { LaunchOrder } from './launch-messages.ts';
import type { EndSignal } from './process-group.ts';
import type { Launch, LaunchedEnd, ToolLauncher } from './tool-launcher.ts';

/** What to run, and for how long at most. */
export type ProcessOrder = LaunchOrder & { readonly timeoutMs: number };

/** How it ended. */
export type ProcessEnd =
  | LaunchedEnd
  | {
      readonly kind: 'timed_out';
      /** What it had given until then. */
      readonly result: string;
      readonly printed: string;
    };

/** What a call's process needs from around it. */
export type CallSurroundings = {
  readonly clock: Clock;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly launcher: Pick<ToolLauncher, 'start'>;
  /** Called exactly once, after the process is gone, never in the tick it was started. */
  ended(end: ProcessEnd): void;
};

/** How long the launcher may take to say that it has killed a process. */
const ANSWER_MS = 5_000;

/**
 * The process of one call: its time limit, and how it is stopped.
 *
 * Invariants: (1) `ended` is called exactly once, also when the launcher dies or says nothing, unless the process can't be
 * killed; (2) no timer outlives the call.
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
    const { timeoutMs, ...order } = this.#order;
    this.#timer = clock.setTimer(timeoutMs, () => {
      this.#isLate = true;
      this.stop();
    });
    this.#launch = launcher.start(order, (end) => this.#ended(end));
  }

  /** Asks the group to end (SIGTERM) and kills it after the grace time. */
  stop(): void {
    this.#signal('SIGTERM', this.#around.graceMs, () => this.kill());
  }

  /** Kills the group at once. */
  kill(): void {
    this.#signal('SIGKILL', ANSWER_MS, () => {
      // A launcher that is stopped itself, by a tool for example, would keep its calls for ever.
      this.#launch?.endIfSilent();
      this.kill();
    });
  }

  #signal(signal: EndSignal, waitMs: number, next: () => void): void {
    if (this.#isOver) return;
    this.#launch?.signal(signal);
    this.#clearTimer();
    this.#timer = this.#around.clock.setTimer(waitMs, next);
  }

  #ended(end: LaunchedEnd): void {
    this.#isOver = true;
    this.#clearTimer();
    // One that ended by itself has its result, even if its pipes were open for longer than its time.
    const isTimedOut = this.#isLate && end.kind === 'exited' && end.wasSignalled;
    this.#around.ended(isTimedOut ? { kind: 'timed_out', result: end.result, printed: end.printed } : end);
  }

  #clearTimer(): void {
    if (this.#timer !== undefined) this.#around.clock.clearTimer(this.#timer);
  }
}
