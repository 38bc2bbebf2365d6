import { expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { createBackOffs, type BackOffs } from '../../host/workers/back-offs.ts';
import type { Caller } from './provider-gate.ts';
import { createProviderGates, type ProviderGates } from './provider-gates.ts';

const P = 'limited';
const ANSWER_MS = 2000;
/** How long the network takes, each way. */
const WAY_MS = 20;
/** The shipped policy of `rate_limited` without its jitter. */
const delayMs = (attempt: number): number => Math.min(60_000, 2000 * 2 ** attempt);

type Limit = {
  /** Calls a second that the provider takes, and how many at once after a rest. */
  readonly rate: number;
  readonly burst: number;
  /** Whether a refusal says when the next call would be taken, in whole seconds. */
  readonly asks: boolean;
};

type Outcome = { readonly seconds: number; readonly refusals: number };

/** So many threads on two workers, each of which makes so many calls one after the other. */
function callAll(limit: Limit, threads: number, callsEach: number): Outcome {
  const clock = createHandClock();
  const workers: ProviderGates[] = [];
  const backOffs: BackOffs = createBackOffs((command) => {
    if (command.type === 'backOff') for (const gates of workers) gates.learn(command);
  });
  for (let worker = 0; worker < 2; worker++) {
    const gates = createProviderGates({
      clock,
      report: (report) => {
        if (report.type === 'providerRefused') clock.setTimer(0, () => backOffs.refused(report));
        if (report.type === 'providerAnswered') clock.setTimer(0, () => backOffs.answered(report));
      },
    });
    workers.push(gates);
  }
  let [left, refilledAt, refusals] = [limit.burst, 0, 0];
  const done: Caller[] = [];
  const isTaken = (): boolean => {
    const now = clock.stopwatch();
    left = Math.min(limit.burst, left + ((now - refilledAt) / 1000) * limit.rate);
    refilledAt = now;
    if (left < 1) return false;
    left--;
    return true;
  };
  const run = (gates: ProviderGates, caller: Caller, calls: number): void => {
    if (calls === 0) return void done.push(caller);
    const call = (): void => void clock.setTimer(WAY_MS, taken);
    const taken = (): void => {
      if (isTaken()) return void clock.setTimer(ANSWER_MS, answered);
      const askedMs = limit.asks ? Math.ceil((1 - left) / limit.rate) * 1000 : undefined;
      refusals++;
      clock.setTimer(WAY_MS, () => {
        gates.refused(P, caller, { delayMs: (attempt) => askedMs ?? delayMs(attempt), askedMs });
        run(gates, caller, calls);
      });
    };
    const answered = (): void => {
      gates.answered(P, caller);
      run(gates, caller, calls - 1);
    };
    if (gates.mayStart(P, caller)) call();
    else gates.wait(P, caller, { go: call, patienceMs: Number.POSITIVE_INFINITY });
  };
  for (let thread = 0; thread < threads; thread++) {
    const gates = workers[thread % workers.length];
    if (gates) run(gates, { providerRound: undefined }, callsEach);
  }
  while (done.length < threads) clock.advance(10);
  return { seconds: clock.stopwatch() / 1000, refusals };
}

/** Seconds as times what the provider would take at the best, and refusals a call, the first crowd apart. */
test.each<[name: string, limit: Limit, threads: number, calls: number, times: number]>([
  ['ten calls a second', { rate: 10, burst: 10, asks: false }, 50, 10, 3],
  ['ten calls a second, and says when to come again', { rate: 10, burst: 10, asks: true }, 50, 10, 1.3],
  ['one call a second', { rate: 1, burst: 5, asks: false }, 20, 5, 1.3],
  ['500 calls a minute', { rate: 8, burst: 60, asks: false }, 100, 5, 1.3],
  ['100 calls a second of 1,000 threads', { rate: 100, burst: 1000, asks: false }, 1000, 3, 1.5],
])('A provider that takes %s is not left alone for long', (_name, limit, threads, calls, times) => {
  const { seconds, refusals } = callAll(limit, threads, calls);
  const best = Math.max((threads * calls - limit.burst) / limit.rate, (calls * ANSWER_MS) / 1000);
  const firstCrowd = Math.max(0, threads - limit.burst);
  expect(seconds / best).toBeLessThan(times);
  expect((refusals - firstCrowd) / (threads * calls)).toBeLessThan(0.6);
});
