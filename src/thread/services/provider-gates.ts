import { backOffAfter, isNews, NO_BACK_OFF, type BackOff } from '../../core/back-off.ts';
import type { Clock } from '../../core/clock.ts';
import type { WorkerCommand, WorkerReport } from '../../core/protocol.ts';
import { ProviderGate, type Caller } from './provider-gate.ts';

/** What a refused call asks for. */
export type Refusal = {
  /** Milliseconds for the `attempt`-th refusal of the provider in a row, from 0; undefined = don't wait. */
  readonly delayMs: (attempt: number) => number | undefined;
  /** What the answer itself asked for, in milliseconds. */
  readonly askedMs: number | undefined;
};

/** How a caller waits: `go` is called when it may start, or when it would have to wait for longer than `patienceMs` from now on. */
export type Patience = { readonly go: () => void; readonly patienceMs: number };

/**
 * The gates of this worker's providers: after a 429 nobody calls the provider before its back-off is over, and then they
 * start a few at a time (contracts, "Retry": back-off is shared per provider over all workers).
 *
 * Owns: which gates are closed here, and who waits at them. Doesn't own: what other workers hear, which is the host's.
 *
 * Invariants:
 * 1. There is no gate for a provider that refuses nothing: a call then costs the look at an empty map.
 * 2. While a gate is closed no call starts; one that was started before belongs to an earlier round.
 * 3. A thread that waits costs one entry of a map, and no timer of its own; it can leave at any time.
 */
export interface ProviderGates {
  /** Whether the caller may start. It keeps that right until its call is over or the gate closes again. */
  mayStart(provider: string, caller: Caller): boolean;
  /** Milliseconds until calls of the provider may start again; undefined = they may. */
  closedFor(provider: string): number | undefined;
  /** Refusals of the provider in a row before the last one. */
  earlierRefusals(provider: string): number;
  /** Has a caller that may not start wait for its turn, as long as it can; it is told to go once, unless it leaves. */
  wait(provider: string, caller: Caller, patience: Patience): void;
  leave(provider: string, caller: Caller): void;
  /** A call was refused; milliseconds until another may be started. */
  refused(provider: string, caller: Caller, refusal: Refusal): number | undefined;
  /** A call was answered. */
  answered(provider: string, caller: Caller): void;
  /** What the host says, whose count holds for all workers. */
  learn(command: Extract<WorkerCommand, { type: 'backOff' }>): void;
  close(): void;
}

/** What gates are made from. */
export type ProviderGatesOptions = {
  readonly clock: Clock;
  readonly report: (report: WorkerReport) => void;
};

/** Makes the gates of a worker. */
export function createProviderGates({ clock, report }: ProviderGatesOptions): ProviderGates {
  const gates = new Map<string, ProviderGate>();
  let lastRound = 0;

  const closeGate = (provider: string, state: BackOff): void => {
    lastRound = Math.max(lastRound, state.round);
    const gate = gates.get(provider) ?? new ProviderGate({ clock, opened: () => dropIfOver(provider) });
    gates.set(provider, gate);
    gate.close(state);
  };
  const dropIfOver = (provider: string): void => {
    if (gates.get(provider)?.isOver) gates.delete(provider);
  };

  return {
    mayStart: (provider, caller) => gates.size === 0 || (gates.get(provider)?.mayStart(caller) ?? true),
    closedFor: (provider) => closedFor(gates.get(provider), clock.stopwatch()),
    earlierRefusals: (provider) => Math.max(0, (gates.get(provider)?.state.streak ?? 0) - 1),
    wait(provider, caller, { go, patienceMs }) {
      const gate = gates.get(provider);
      if (gate) gate.wait(caller, { go, latest: clock.stopwatch() + patienceMs });
      else go();
    },
    leave: (provider, caller) => (gates.size > 0 ? gates.get(provider)?.leave(caller) : undefined),
    refused(provider, caller, { delayMs, askedMs }) {
      const startedIn = caller.providerRound ?? 0;
      caller.providerRound = undefined;
      const before = gates.get(provider)?.state ?? { ...NO_BACK_OFF, round: lastRound };
      const isNew = isNews(before, { startedIn });
      const wait = isNew ? delayMs(before.streak) : askedMs;
      const until = clock.stopwatch() + (wait ?? 0);
      if (wait !== undefined && (isNew || until > before.until)) {
        closeGate(provider, backOffAfter(before, { startedIn, until }));
        report({ type: 'providerRefused', provider, startedIn, until });
      }
      return closedFor(gates.get(provider), clock.stopwatch());
    },
    answered(provider, caller) {
      const startedIn = caller.providerRound;
      caller.providerRound = undefined;
      if (startedIn === undefined || !gates.get(provider)?.answered(startedIn)) return;
      report({ type: 'providerAnswered', provider, startedIn });
      dropIfOver(provider);
    },
    learn({ provider, round, streak, until }) {
      const gate = gates.get(provider);
      const known = gate?.state ?? NO_BACK_OFF;
      lastRound = Math.max(lastRound, round);
      if (known.round > round) return;
      if (streak > 0 && (known.round < round || until > known.until))
        return closeGate(provider, { round, streak, until });
      gate?.setStreak(streak);
      dropIfOver(provider);
    },
    close() {
      for (const gate of gates.values()) gate.end();
      gates.clear();
    },
  };
}

/** Whole milliseconds: events tell of them. */
function closedFor(gate: ProviderGate | undefined, now: number): number | undefined {
  return gate?.isClosed ? Math.max(0, Math.ceil(gate.state.until - now)) : undefined;
}
