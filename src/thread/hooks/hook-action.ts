import type { Timer } from '../../core/clock.ts';
import { toFailure } from '../../core/errors.ts';
import type { HookEvent } from '../../core/hook-events.ts';
import { failed, type Result } from '../../core/result.ts';
import type { RunningTool } from '../../core/tool.ts';
import type { Control } from './control.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { carryOut, type HookCallback } from './hook-call.ts';
import type { Hook, HookAction } from './hooks.ts';

/** An action of a hook that is to be carried out. */
export type HookActionOrder = InWorker & {
  readonly event: HookEvent;
  readonly hook: Hook;
  readonly action: HookAction;
  /** The event's context, which the params are filled from. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Number of hooks that led to it, itself included. */
  readonly depth: number;
  /** Told when nothing but other threads is waited for, where that alone does not say whether the thread needs its slot. */
  readonly waits?: HookWaits | undefined;
  /** The event's own way to carry out an action, if it has one for this action. */
  readonly own: ((order: HookActionOrder) => HookActionStart | undefined) | undefined;
};

/** Begins a wait of a hook for other threads; what it returns ends it. */
export type HookWaits = () => () => void;

/** Starts an action. */
export type HookActionStart = (callback: HookCallback) => RunningTool | undefined;

/** What an action gave: the result of a primary action, or what a function or an internal tool returned. */
export type HookAnswer = {
  readonly value: unknown;
  /** Only `internal/control` and functions of the host decide anything (contracts, "Control results"). */
  readonly control: Control | undefined;
};

/** Called with what an action gave. */
export type HookDone = (answer: Result<HookAnswer>) => void;

/**
 * Carries out an action of a hook, with the rights of the file that declares it. `done` is called once: in the same tick if
 * nobody else is needed, else until the hook's timeout; and not at all once the thread does not wait for it any more
 * (`thread.hookActions`).
 */
export function startHookAction(order: HookActionOrder, done: HookDone): void {
  new PendingAction(order, done).start();
}

/** Events whose hooks run beside what the thread does: it keeps its slot while they wait. */
const BESIDE: ReadonlySet<HookEvent> = new Set(['child_started', 'child_ended']);

/**
 * One action until it is done.
 *
 * 1. `done` is called at most once, and never after `abort`.
 * 2. What `done` throws in the same tick is its caller's; in a later one it ends its thread alone, as what an effect throws does.
 * 3. No timer outlives it.
 */
class PendingAction implements RunningTool {
  readonly #order: HookActionOrder;
  readonly #done: HookDone;
  #running: RunningTool | undefined;
  #timer: Timer | undefined;
  #early = true;
  #earlyAnswer: Result<HookAnswer> | undefined;
  #over = false;
  /** False when the host ends the wait at the timeout: the slot, too, comes back with its answer. */
  #timed = true;
  #waited: (() => void) | undefined;

  constructor(order: HookActionOrder, done: HookDone) {
    this.#order = order;
    this.#done = done;
  }

  start(): void {
    const { thread, services, event, hook } = this.#order;
    try {
      const isBeside = BESIDE.has(event);
      const done = (answer: Result<HookAnswer>): void => this.#finish(answer);
      const callback = { done, waits: () => this.#waits(), isBeside };
      const own = this.#order.own?.(this.#order);
      this.#running = own ? own(callback) : carryOut(this.#order, callback);
    } catch (thrown) {
      this.#finish(failed(toFailure(thrown, 'hook_failed')));
    }
    this.#early = false;
    if (this.#earlyAnswer) this.#done(this.#earlyAnswer);
    if (this.#over) return;
    (thread.hookActions ??= new Set()).add(this);
    if (this.#timed) this.#timer = services.clock.setTimer(hook.timeoutMs, () => this.#expire());
  }

  #finish(answer: Result<HookAnswer>): void {
    if (this.#over) return;
    this.#end();
    if (this.#early) {
      // Not from in here: what `done` throws is no failure of the action.
      this.#earlyAnswer = answer;
      return;
    }
    const { thread, services, event } = this.#order;
    thread.hookActions?.delete(this);
    // A thread that has ended meanwhile has no use for the answer, nor for hooks after this one.
    if (thread.ended && event !== 'after_complete') return;
    try {
      this.#done(answer);
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (thread.ended) services.report({ type: 'problem', failure });
      else thread.send({ type: 'FAIL', failure });
    }
  }

  #waits(): void {
    this.#timed = false;
    this.#stopTimer();
    const { thread, services, event, waits } = this.#order;
    if (waits) this.#waited = waits();
    else if (!BESIDE.has(event)) services.report({ type: 'yield', thread: thread.lineage.thread });
  }

  #expire(): void {
    this.#running?.abort();
    const message = `It took longer than ${this.#order.hook.timeoutMs} ms`;
    this.#finish(failed({ code: 'deadline_exceeded', message }));
  }

  abort(): void {
    this.#end();
    this.#running?.abort();
  }

  #end(): void {
    this.#over = true;
    this.#waited?.();
    this.#stopTimer();
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.#order.services.clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }
}
