import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandTicks } from '../../test/fixtures/hand-port.ts';
import { createSlices } from './slices.ts';

describe('Slices', () => {
  test('handle a batch that fits into a turn at once', () => {
    const { deliver, heard } = open({ costMs: 0.1 });
    deliver(0, 20);
    expect(heard).toEqual(upTo(20));
  });

  test('leave what is too much for a turn to the next ones', () => {
    const { deliver, heard, perTurn } = open({ costMs: 1 });
    deliver(0, 100);
    expect(Math.max(...perTurn())).toBeLessThanOrEqual(8);
    expect(heard).toEqual(upTo(100));
  });

  test('bound what many small batches of one turn take, whoever they come from', () => {
    const { deliver, heard, perTurn } = open({ costMs: 1 });
    for (let from = 0; from < 60; from += 3) deliver(from, from + 3);
    expect(heard.length).toBeLessThanOrEqual(8);
    expect(Math.max(...perTurn())).toBeLessThanOrEqual(8);
    expect(heard).toEqual(upTo(60));
  });

  test('handle at once what comes after everything was handled', () => {
    const { deliver, heard, ticks } = open({ costMs: 1 });
    deliver(0, 40);
    ticks.endAll();
    deliver(40, 41);
    expect(heard).toEqual(upTo(41));
  });

  test('come to rest when all is done, though the clock goes on', () => {
    const ticks = createHandTicks();
    let now = 0;
    const slices = createSlices({ sliceMs: 5, now: () => (now += 0.1), schedule: ticks.schedule });
    slices.handle(upTo(20), () => undefined);
    for (let turn = 0; turn < 3; turn++) ticks.end();
    expect(ticks.waiting()).toBe(0);
  });

  test('schedule nothing while time stands still, as it does in a simulation', () => {
    const { deliver, heard, ticks } = open({ costMs: 0 });
    deliver(0, 1_000);
    expect(heard).toEqual(upTo(1_000));
    expect(ticks.waiting()).toBe(0);
  });

  test('go on with the rest when handling one item throws', () => {
    const { deliver, heard, ticks } = open({ costMs: 0, bad: 1 });
    expect(() => deliver(0, 4)).toThrow('bad item');
    ticks.endAll();
    deliver(4, 5);
    ticks.endAll();
    expect(heard).toEqual([0, 2, 3, 4]);
  });

  test('keep order and lose nothing whatever arrives when', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat({ max: 60 }), fc.constant('tick' as const))), (steps) => {
        const { deliver, heard, ticks } = open({ costMs: 0.5 });
        let sent = 0;
        for (const step of steps) {
          if (step === 'tick') ticks.end();
          else deliver(sent, (sent += step));
        }
        ticks.endAll();
        expect(heard).toEqual(upTo(sent));
      }),
    );
  });
});

type Settings = {
  /** What handling one item costs. */ readonly costMs: number;
  /** One that can't be handled. */ readonly bad?: number;
};

function open({ costMs, bad }: Settings) {
  const ticks = createHandTicks();
  const heard: number[] = [];
  let now = 0;
  const slices = createSlices({ sliceMs: 5, now: () => now, schedule: ticks.schedule });
  const receive = (item: number): void => {
    if (item === bad) throw new Error('bad item');
    heard.push(item);
    now += costMs;
  };
  return {
    ticks,
    heard,
    deliver: (from: number, to: number) => slices.handle(upTo(to).slice(from), receive),
    /** Ends turns until nothing is left: how many items each of them has handled. */
    perTurn() {
      const handled: number[] = [];
      for (let before = heard.length; ticks.waiting() > 0; before = heard.length) {
        ticks.end();
        handled.push(heard.length - before);
      }
      return handled;
    },
  };
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
