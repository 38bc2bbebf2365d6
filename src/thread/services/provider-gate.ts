import { backOffAnswered, NO_BACK_OFF, type BackOff } from '../../core/back-off.ts';
import type { Clock, Timer } from '../../core/clock.ts';

/** Who starts calls; `providerRound` is the round the call may start in, or was started in. */
export type Caller = { providerRound: number | undefined };

/** What a gate is made from; `opened` hears that nobody is held back any more. */
export type ProviderGateOptions = { readonly clock: Clock; readonly opened: () => void };

/** Who waits; `latest`: until when it can, on the process's stopwatch. */
type Waiter = { readonly go: () => void; readonly latest: number };

const MIN_STEP_MS = 10;
const MAX_STEP_MS = 500;

/**
 * One provider's gate in one worker: closed until a moment, then open for a few starts at a time, twice as many with each
 * step, until nobody waits.
 */
export class ProviderGate {
  readonly #clock: Clock;
  readonly #opened: () => void;
  readonly #waiting = new Map<Caller, Waiter>();
  /** Nobody's time is over before. */
  #soonest = Number.POSITIVE_INFINITY;
  #state = NO_BACK_OFF;
  /** `opening`: `#left` more starts in this step. `open`: it only remembers. */
  #phase: 'closed' | 'opening' | 'open' = 'closed';
  #left = 0;
  #batch = 1;
  #stepMs = MIN_STEP_MS;
  #timer: Timer | undefined;

  /** A gate is closed with its first `close`. */
  constructor({ clock, opened }: ProviderGateOptions) {
    this.#clock = clock;
    this.#opened = opened;
  }

  get state(): BackOff {
    return this.#state;
  }

  get isClosed(): boolean {
    return this.#phase === 'closed';
  }

  /** Nobody is held back, and nothing is left to remember. */
  get isOver(): boolean {
    return this.#phase === 'open' && this.#state.streak === 0;
  }

  /** Lets nobody through until `state.until`, and is opened then; those go who can't wait for as long. */
  close(state: BackOff): void {
    this.#state = state;
    this.#phase = 'closed';
    const closedMs = state.until - this.#clock.stopwatch();
    // Long enough that a refusal of one step is heard of before the next.
    this.#stepMs = Math.min(MAX_STEP_MS, Math.max(MIN_STEP_MS, closedMs / 10));
    this.#setTimer(closedMs, () => this.#openStep(1));
    if (state.until >= this.#soonest) this.#sendAway();
  }

  /** The provider has answered, or refused once more: how long the next refusal closes it depends on that. */
  setStreak(streak: number): void {
    this.#state = { ...this.#state, streak };
  }

  /** A call that was started in a round was answered; whether that was news. */
  answered(startedIn: number): boolean {
    const before = this.#state;
    this.#state = backOffAnswered(before, startedIn);
    return this.#state !== before;
  }

  mayStart(caller: Caller): boolean {
    if (this.#phase === 'closed') return false;
    if (caller.providerRound === this.#state.round) return true;
    if (this.#phase === 'opening' && this.#left === 0) return false;
    this.#admit(caller);
    return true;
  }

  wait(caller: Caller, waiter: Waiter): void {
    this.#waiting.set(caller, waiter);
    this.#soonest = Math.min(this.#soonest, waiter.latest);
  }

  leave(caller: Caller): void {
    this.#waiting.delete(caller);
  }

  /** Ends its timer; whoever waits is forgotten. */
  end(): void {
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  #sendAway(): void {
    const { until } = this.#state;
    this.#soonest = Number.POSITIVE_INFINITY;
    // Whoever goes may come back, or have others go.
    const waiting = [...this.#waiting];
    for (const [caller, waiter] of waiting) {
      if (waiter.latest > until) this.#soonest = Math.min(this.#soonest, waiter.latest);
      else if (this.#waiting.get(caller) === waiter) {
        this.#waiting.delete(caller);
        waiter.go();
      }
    }
  }

  #openStep(size: number): void {
    this.#phase = 'opening';
    this.#batch = size;
    this.#left = size;
    this.#setTimer(this.#stepMs, () => this.#nextStep());
    for (const [caller, { go }] of this.#waiting) {
      // Whoever goes may end, or have the gate closed, at once.
      if (this.#left === 0 || this.#phase !== 'opening') return;
      this.#waiting.delete(caller);
      this.#admit(caller);
      go();
    }
  }

  #nextStep(): void {
    if (this.#waiting.size > 0) return this.#openStep(this.#batch * 2);
    this.#timer = undefined;
    this.#phase = 'open';
    this.#opened();
  }

  #admit(caller: Caller): void {
    caller.providerRound = this.#state.round;
    if (this.#phase === 'opening') this.#left--;
  }

  #setTimer(delayMs: number, fire: () => void): void {
    this.end();
    this.#timer = this.#clock.setTimer(Math.max(0, delayMs), fire);
  }
}
