import { h } from 'preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { draw } from '../../fixtures/drawn.ts';
import { MachineTab } from './machine-tab.tsx';

/** Longer than between two readings. */
const LATER_MS = 2_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('A chart that could not be read is read as the thread goes on, and no more once it is there', async () => {
  let isThere = false;
  const chart = { states: { created: {} } };
  const view = h(MachineTab, { id: 't', machine: { state: 'created', as_of: 'log' } });
  const drawn = draw(view, (path) => (path === 'machines' && isThere ? { thread: chart, supervisor: {} } : undefined));
  const charts = (): string[] => drawn.asked.filter((path) => path === 'machines');
  const changed = async (): Promise<void> => {
    drawn.change();
    await vi.advanceTimersByTimeAsync(LATER_MS);
  };
  await vi.advanceTimersByTimeAsync(LATER_MS);
  await expect.poll(drawn.text).toContain('The machine can’t be shown');
  isThere = true;
  await changed();
  await expect.poll(drawn.text).not.toContain('The machine');
  await changed();
  expect(charts()).toHaveLength(2);
});
