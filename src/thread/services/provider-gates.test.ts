import { describe, expect, test } from 'vitest';
import { createHandClock, type HandClock } from '../../../test/conformance/hand-clock.ts';
import type { WorkerReport } from '../../core/protocol.ts';
import type { Caller } from './provider-gate.ts';
import { createProviderGates, type ProviderGates } from './provider-gates.ts';

const P = 'anthropic';
const caller = (): Caller => ({ providerRound: undefined });
const once = (ms: number) => ({ delayMs: () => ms, askedMs: undefined });
const doubling = { delayMs: (attempt: number) => 1000 * 2 ** attempt, askedMs: undefined };

type Bench = { readonly gates: ProviderGates; readonly clock: HandClock; readonly reports: WorkerReport[] };

function bench(): Bench {
  const clock = createHandClock();
  const reports: WorkerReport[] = [];
  return { gates: createProviderGates({ clock, report: (report) => void reports.push(report) }), clock, reports };
}

/** Lets `count` callers wait and notes when each went. */
function crowd({ gates, clock }: Bench, count: number): { readonly callers: Caller[]; readonly wentAt: number[] } {
  const callers = Array.from({ length: count }, caller);
  const wentAt: number[] = [];
  for (const one of callers) {
    expect(gates.mayStart(P, one)).toBe(false);
    gates.wait(P, one, { go: () => wentAt.push(clock.now()), patienceMs: Number.POSITIVE_INFINITY });
  }
  return { callers, wentAt };
}

describe('A gate', () => {
  test('lets everybody through, and remembers nobody, while nothing is refused', () => {
    const { gates, clock, reports } = bench();
    const one = caller();
    expect(gates.mayStart(P, one)).toBe(true);
    expect([one.providerRound, clock.pending(), reports]).toEqual([undefined, 0, []]);
  });

  test('is closed by the first refusal until its delay is over, for this provider only', () => {
    const { gates, clock } = bench();
    expect(gates.refused(P, caller(), once(1000))).toBe(1000);
    clock.advance(999);
    expect([gates.mayStart(P, caller()), gates.mayStart('openai', caller())]).toEqual([false, true]);
    clock.advance(1);
    expect(gates.mayStart(P, caller())).toBe(true);
  });

  test('is told of in whole milliseconds, whatever the stopwatch says', () => {
    const clock = createHandClock();
    // Each look takes a little.
    let looked = 0;
    const stopwatch = (): number => clock.stopwatch() + 0.3 * ++looked;
    const gates = createProviderGates({ clock: { ...clock, stopwatch }, report: () => undefined });
    expect(gates.refused(P, caller(), once(2000))).toBe(2000);
  });

  test('lets those who wait go one, two, four at a time, in the order they came, with one timer for all', () => {
    const made = bench();
    made.gates.refused(P, caller(), once(1000));
    const { wentAt } = crowd(made, 10);
    expect(made.clock.pending()).toBe(1);
    made.clock.advance(2000);
    expect(wentAt).toEqual([1000, 1100, 1100, 1200, 1200, 1200, 1200, 1300, 1300, 1300]);
  });

  test('makes newcomers wait behind the others while it opens', () => {
    const made = bench();
    made.gates.refused(P, caller(), once(1000));
    crowd(made, 2);
    made.clock.advance(1000);
    expect(made.gates.mayStart(P, caller())).toBe(false);
    made.clock.advance(1000);
    expect(made.gates.mayStart(P, caller())).toBe(true);
  });

  test('keeps a place for whoever may start until the gate is closed again', () => {
    const { gates, clock } = bench();
    gates.refused(P, caller(), once(1000));
    clock.advance(1000);
    const first = caller();
    expect([gates.mayStart(P, first), gates.mayStart(P, caller()), gates.mayStart(P, first)]).toEqual([
      true,
      false,
      true,
    ]);
    gates.refused(P, { providerRound: 1 }, once(1000));
    expect(gates.mayStart(P, first)).toBe(false);
  });

  test('is left by who is cancelled while he waits: nobody calls for him', () => {
    const made = bench();
    made.gates.refused(P, caller(), once(1000));
    const { callers, wentAt } = crowd(made, 3);
    made.gates.leave(P, callers[0] ?? caller());
    made.clock.advance(2000);
    expect(wentAt).toEqual([1000, 1100]);
  });

  test('stops letting go when one that went is refused at once', () => {
    const made = bench();
    made.gates.refused(P, caller(), once(1000));
    const went: Caller[] = [];
    for (let at = 0; at < 4; at++) {
      const one = caller();
      const go = (): void => {
        went.push(one);
        if (went.length === 2) made.gates.refused(P, one, once(5000));
      };
      made.gates.wait(P, one, { go, patienceMs: Number.POSITIVE_INFINITY });
    }
    made.clock.advance(4000);
    expect(went).toHaveLength(2);
    made.clock.advance(5000);
    expect(went).toHaveLength(4);
  });

  test('is forgotten, with its timer, once a call was answered and nobody waits', () => {
    const { gates, clock, reports } = bench();
    gates.refused(P, caller(), once(1000));
    clock.advance(1000);
    const first = caller();
    gates.mayStart(P, first);
    gates.answered(P, first);
    clock.advance(10_000);
    expect([clock.pending(), gates.mayStart(P, first), first.providerRound]).toEqual([0, true, undefined]);
    expect(reports.at(-1)).toEqual({ type: 'providerAnswered', provider: P, startedIn: 1 });
  });
});

describe('The delay', () => {
  test("grows with the provider's refusals in a row, not with those of a thread", () => {
    const { gates, clock } = bench();
    const delays = [0, 1, 2].map(() => {
      const one = caller();
      gates.mayStart(P, one);
      const delay = gates.refused(P, one, doubling) ?? 0;
      clock.advance(delay);
      return delay;
    });
    expect(delays).toEqual([1000, 2000, 4000]);
  });

  test('is the same for all calls that were in flight together', () => {
    const { gates, clock } = bench();
    gates.refused(P, caller(), doubling);
    clock.advance(300);
    expect([gates.refused(P, caller(), doubling), gates.refused(P, caller(), doubling)]).toEqual([700, 700]);
  });

  test('is longer if one of them was told so by the server', () => {
    const { gates, clock } = bench();
    gates.refused(P, caller(), doubling);
    clock.advance(300);
    expect(gates.refused(P, caller(), { ...doubling, askedMs: 5000 })).toBe(5000);
    clock.advance(4999);
    expect(gates.mayStart(P, caller())).toBe(false);
  });

  test('counts no round of which a call was answered, though the answer came after its end', () => {
    const { gates, clock, reports } = bench();
    const [slow, second, third] = [caller(), caller(), caller()];
    gates.refused(P, caller(), doubling);
    clock.advance(1000);
    gates.mayStart(P, slow);
    clock.advance(100);
    gates.mayStart(P, second);
    expect(gates.refused(P, second, doubling)).toBe(2000);
    gates.answered(P, slow);
    expect(reports.at(-1)).toEqual({ type: 'providerAnswered', provider: P, startedIn: 1 });
    clock.advance(2000);
    gates.mayStart(P, third);
    expect(gates.refused(P, third, doubling)).toBe(2000);
  });

  test('begins anew after an answer', () => {
    const { gates, clock } = bench();
    gates.refused(P, caller(), doubling);
    clock.advance(1000);
    const [first, second] = [caller(), caller()];
    gates.mayStart(P, first);
    gates.answered(P, first);
    clock.advance(1000);
    gates.mayStart(P, second);
    expect(gates.refused(P, second, doubling)).toBe(1000);
  });

  test('is none where the policy is not to wait', () => {
    const { gates, reports } = bench();
    expect(gates.refused(P, caller(), { delayMs: () => undefined, askedMs: undefined })).toBeUndefined();
    expect([gates.mayStart(P, caller()), reports]).toEqual([true, []]);
  });
});

describe('What the host says', () => {
  const closed = { type: 'backOff', provider: P, round: 1, streak: 1, until: 1000 } as const;

  test('closes the gate here although the refusal was heard elsewhere', () => {
    const made = bench();
    made.gates.learn(closed);
    const { wentAt } = crowd(made, 1);
    made.clock.advance(1000);
    expect(wentAt).toEqual([1000]);
    expect(made.reports).toEqual([]);
  });

  test('does not close it again when it is the echo of what was heard here', () => {
    const made = bench();
    made.gates.refused(P, caller(), once(1000));
    const { wentAt } = crowd(made, 2);
    made.clock.advance(1000);
    made.gates.learn(closed);
    made.clock.advance(100);
    expect(wentAt).toEqual([1000, 1100]);
  });

  test('of an older round changes nothing', () => {
    const made = bench();
    made.gates.learn({ ...closed, round: 3, until: 500 });
    made.gates.learn({ ...closed, round: 2, until: 9000 });
    made.clock.advance(500);
    expect(made.gates.mayStart(P, caller())).toBe(true);
  });

  test('ends the row of refusals for every worker', () => {
    const made = bench();
    made.gates.learn(closed);
    made.clock.advance(1200);
    made.gates.learn({ ...closed, streak: 0 });
    expect(made.gates.refused(P, caller(), doubling)).toBe(1000);
    // A round that nobody has seen: the host counts on.
    expect(made.reports).toEqual([{ type: 'providerRefused', provider: P, startedIn: 0, until: 2200 }]);
    expect(made.gates.mayStart(P, { providerRound: 1 })).toBe(false);
  });
});
