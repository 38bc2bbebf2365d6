import { describe, expect, test } from 'vitest';
import { createHandPort, createHandTicks } from '../../../test/fixtures/hand-port.ts';
import type { WorkerCommand, WorkerReport } from '../../core/protocol.ts';
import { createSlices } from '../../core/slices.ts';
import { createGateway } from './gateway.ts';

test('a gateway that is closed hears nothing more, also of what stood in line', () => {
  const port = createHandPort();
  const ticks = createHandTicks();
  let now = 0;
  const slices = createSlices({ sliceMs: 2, now: () => now, schedule: ticks.schedule });
  const heard: WorkerReport[] = [];
  const gateway = createGateway({
    ports: [port],
    slices,
    schedule: ticks.schedule,
    receive(_worker, report) {
      heard.push(report);
      now += 1;
    },
    unsent: () => undefined,
  });
  const report: WorkerReport = { type: 'yield', thread: 1 };
  port.deliver(Array.from({ length: 100 }, () => report));
  ticks.end();
  const before = heard.length;
  gateway.close();
  ticks.endAll();
  port.deliver([report]);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(100);
  expect(heard).toHaveLength(before);
  expect(port.isClosed).toBe(true);
});

describe('Cancellations that are sent in one tick', () => {
  const open = () => {
    const port = createHandPort();
    const ticks = createHandTicks();
    const { schedule } = ticks;
    const slices = createSlices({ sliceMs: 2, now: () => 0, schedule });
    const gateway = createGateway({
      ports: [port],
      slices,
      schedule,
      receive: () => undefined,
      unsent: () => undefined,
    });
    const cancel = (thread: number, reason = 'no'): void =>
      gateway.send(0, { type: 'cancel', threads: [thread], reason });
    return { port, gateway, cancel, end: () => ticks.end() };
  };

  test('for one reason are one command', () => {
    const { port, cancel, end } = open();
    for (const thread of [3, 1, 2]) cancel(thread);
    end();
    expect(port.posted).toEqual([[{ type: 'cancel', threads: [3, 1, 2], reason: 'no' }]]);
  });

  test('stay apart for another reason, and around whatever else is said', () => {
    const { port, gateway, cancel, end } = open();
    cancel(1);
    cancel(2, 'never');
    const leave: WorkerCommand = { type: 'leave', thread: 2 };
    gateway.send(0, leave);
    cancel(3, 'never');
    end();
    cancel(4, 'never');
    end();
    const toldOf = (threads: readonly number[], reason: string) => ({ type: 'cancel', threads, reason });
    expect(port.posted).toEqual([
      [toldOf([1], 'no'), toldOf([2], 'never'), leave, toldOf([3], 'never')],
      [toldOf([4], 'never')],
    ]);
  });

  test('do not wait for the end of a long loop', () => {
    const { port, cancel, end } = open();
    for (let thread = 1; thread <= 1_200; thread++) cancel(thread);
    expect(port.posted).toHaveLength(2);
    end();
    expect(port.posted.flatMap((batch) => batch as { readonly threads: readonly number[] }[])).toMatchObject(
      [500, 500, 200].map((length) => ({ threads: { length } })),
    );
  });
});
