import { NO_BACK_OFF, type BackOff } from '../core/back-off.ts';
import type { Clock, Timer } from '../core/clock.ts';

/** Who starts calls; `providerRound` is the round the call may start in, or was started in. */
export type Caller = { providerRound: number | undefined };

/**
 * One provider's gate in one worker: closed until a moment, then open for a few starts at a time, twice as many with each
 * step, until nobody waits.
 */
export interface ProviderGate {
  readonly state: () => BackOff;
  readonly isClosed: () => boolean;
  /** Whether nothing is held back any more and nothing is left to remember. */
  readonly isOver: () => boolean;
  /** Lets nobody through until `state.until`, and is then opened again. */
  close(state: BackOff): void;
  /** The provider has answered, or refused once more: how long the next refusal closes it depends on that. */
  setStreak(streak: number): void;
  mayStart(caller: Caller): boolean;
  wait(caller: Caller, go: () => void): void;
  leave(caller: Caller): void;
  /** Ends its timer; whoever waits is forgotten. */
  end(): void;
}

const MIN_STEP_MS = 10;
const MAX_STEP_MS = 500;

/** Makes a gate that is closed with its first `close`; `opened` hears that nobody is held back any more. */
export function createProviderGate(clock: Clock, opened: () => void): ProviderGate {
  const waiting = new Map<Caller, () => void>();
  let state = NO_BACK_OFF;
  // `opening`: `left` more starts in this step. `open`: it only remembers.
  let phase: 'closed' | 'opening' | 'open' = 'closed';
  let left = 0;
  let batch = 1;
  let stepMs = MIN_STEP_MS;
  let timer: Timer | undefined;

  const clear = (): void => {
    if (timer !== undefined) clock.clearTimer(timer);
    timer = undefined;
  };
  const startIn = (delayMs: number, fire: () => void): void => {
    clear();
    timer = clock.setTimer(Math.max(0, delayMs), fire);
  };
  const admit = (caller: Caller): void => {
    caller.providerRound = state.round;
    if (phase === 'opening') left--;
  };
  const openStep = (size: number): void => {
    phase = 'opening';
    batch = size;
    left = size;
    startIn(stepMs, nextStep);
    for (const [caller, go] of waiting) {
      // Whoever goes may end, or close the gate, at once.
      if (left === 0 || phase !== 'opening') return;
      waiting.delete(caller);
      admit(caller);
      go();
    }
  };
  const nextStep = (): void => {
    if (waiting.size > 0) return openStep(batch * 2);
    timer = undefined;
    phase = 'open';
    opened();
  };

  return {
    state: () => state,
    isClosed: () => phase === 'closed',
    isOver: () => phase === 'open' && state.streak === 0,
    close(next) {
      state = next;
      phase = 'closed';
      const closedMs = state.until - clock.now();
      // Long enough that a refusal of one step is heard of before the next.
      stepMs = Math.min(MAX_STEP_MS, Math.max(MIN_STEP_MS, closedMs / 10));
      startIn(closedMs, () => openStep(1));
    },
    setStreak(streak) {
      state = { ...state, streak };
    },
    mayStart(caller) {
      if (phase === 'closed') return false;
      if (caller.providerRound === state.round) return true;
      if (phase === 'opening' && left === 0) return false;
      admit(caller);
      return true;
    },
    wait: (caller, go) => void waiting.set(caller, go),
    leave: (caller) => void waiting.delete(caller),
    end: clear,
  };
}
