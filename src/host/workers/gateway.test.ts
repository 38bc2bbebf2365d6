import { expect, test } from 'vitest';
import { createHandPort, createHandTicks } from '../../../test/fixtures/hand-port.ts';
import type { WorkerReport } from '../../core/protocol.ts';
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
