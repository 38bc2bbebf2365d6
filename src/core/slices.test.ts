import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { threadCpuUs } from '../../bench/thread-cpu.ts';
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

  test('handle nothing more in a turn in which a slice was handled', () => {
    const { deliver, heard, ticks } = open({ costMs: 1 });
    deliver(0, 20);
    const first = heard.length;
    ticks.end();
    expect(heard).toHaveLength(first);
  });

  test('bound what many small batches of one turn take, whichever lines they stand in', () => {
    const { deliver, heard, perTurn } = open({ costMs: 1 });
    for (let from = 0; from < 60; from += 3) deliver(from, from + 3, from % 2);
    expect(heard.length).toBeLessThanOrEqual(8);
    expect(Math.max(...perTurn())).toBeLessThanOrEqual(8);
    expect(heard).toHaveLength(60);
  });

  test('handle a few items of a line before all that waits in another', () => {
    const { deliver, heard, ticks } = open({ costMs: 1 });
    deliver(0, 10_000, 0);
    deliver(-4, 0, 1);
    for (let turn = 0; turn < 4; turn++) ticks.end();
    expect(heard).toEqual(expect.arrayContaining([-4, -3, -2, -1]));
  });

  test('handle at once what comes after everything was handled', () => {
    const { deliver, heard, ticks } = open({ costMs: 1 });
    deliver(0, 40);
    ticks.endAll();
    deliver(40, 41);
    expect(heard).toEqual(upTo(41));
  });

  test('take no longer for a batch the more of them wait', () => {
    const { deliver, heard, perTurn } = open({ costMs: 0.1 });
    const cpuOf = (batches: number): number => {
      const start = threadCpuUs();
      for (let at = 0; at < batches; at++) deliver(at, at + 1);
      perTurn();
      return (threadCpuUs() - start) / batches;
    };
    cpuOf(4_000);
    const short = cpuOf(4_000);
    expect(cpuOf(64_000)).toBeLessThan(10 * short);
    expect(heard).toHaveLength(72_000);
  });

  test('come to rest when all is done, though the clock goes on', () => {
    const ticks = createHandTicks();
    let now = 0;
    const line = createSlices({ sliceMs: 5, now: () => (now += 0.1), schedule: ticks.schedule }).line();
    line(upTo(20), () => undefined);
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

  test('take turns also when handling an item puts another one into its own line', () => {
    const heard: string[] = [];
    const slices = createSlices({ sliceMs: 5, now: () => 0, schedule: () => undefined });
    const [own, other] = [slices.line(), slices.line()];
    const again = (left: number): void => {
      heard.push('own');
      // From within, so that both lines stand while the first slice is on.
      if (left === 40) other(upTo(40), () => heard.push('other'));
      if (left > 0) own([left - 1], again);
    };
    own([40], again);
    const turns = heard.filter((line, index) => line !== heard[index - 1]).length;
    expect(heard).toHaveLength(81);
    expect(turns).toBe(11);
  });

  test('keep the order of each line and lose nothing whatever arrives when', () => {
    const steps = fc.array(fc.oneof(fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 2 })), fc.constant('tick' as const)));
    fc.assert(
      fc.property(steps, (sequence) => {
        const { deliver, heard, ticks } = open({ costMs: 0.5 });
        const sent = [0, 0, 0];
        for (const step of sequence) {
          if (step === 'tick') ticks.end();
          else {
            const [count, line] = step;
            const from = sent[line] ?? 0;
            deliver(LINE * line + from, LINE * line + from + count, line);
            sent[line] = from + count;
          }
        }
        ticks.endAll();
        const heardOf = (line: number): number[] => heard.filter((item) => Math.floor(item / LINE) === line);
        expect(sent.map((_, line) => heardOf(line).map((item) => item - LINE * line))).toEqual(sent.map(upTo));
      }),
    );
  });
});

/** Between the first items of two lines. */
const LINE = 1_000_000;

type Settings = {
  /** What handling one item costs. */
  readonly costMs: number;
  /** One that can't be handled. */
  readonly bad?: number;
};

function open({ costMs, bad }: Settings) {
  const ticks = createHandTicks();
  const heard: number[] = [];
  let now = 0;
  const slices = createSlices({ sliceMs: 5, now: () => now, schedule: ticks.schedule });
  const lines = Array.from({ length: 3 }, () => slices.line());
  const receive = (item: number): void => {
    if (item === bad) throw new Error('bad item');
    heard.push(item);
    now += costMs;
  };
  return {
    ticks,
    heard,
    deliver: (from: number, to: number, line = 0): void =>
      lines[line]?.(
        Array.from({ length: to - from }, (_, index) => from + index),
        receive,
      ),
    /** Ends turns until nothing is left: how many items each of them has handled. */
    perTurn: (): number[] => {
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
