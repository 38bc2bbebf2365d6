import { h } from 'preact';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApprovalRow, ThreadAnswer } from '../../api.ts';
import { draw } from '../fixtures/drawn.ts';
import { threadRow } from '../fixtures/thread-row.ts';
import type { ThreadTab } from '../model/route.ts';
import { withBatch } from '../model/tree-state.ts';
import { ThreadView } from './thread-view.tsx';

/** Longer than between two readings. */
const LATER_MS = 2_000;

const ANSWER: ThreadAnswer = {
  thread: threadRow('t', { parent: 'p', status: 'suspended' }),
  ancestors: [threadRow('p')],
  budget: [],
  limits: null,
  inputs: {},
  machine: { state: 'suspended', as_of: 'log' },
  chain: [],
  approval: null,
  ending: null,
};

/** A question that the thread asks. */
function question(id: string): ApprovalRow {
  return {
    approval_id: id,
    thread_id: 't',
    directive: 'demo',
    status: 'pending',
    reason: 'approval',
    asked_by: 'hook',
    message: `Question ${id}?`,
    requested_at_ms: 1,
  };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** The page of a thread, on one of its tabs. */
async function thread(tab: ThreadTab, answer: () => ThreadAnswer) {
  const drawn = draw(h(ThreadView, { id: 't', tab, keys: true }), (path) =>
    path === 'threads/t' ? answer() : { events: [] },
  );
  await vi.advanceTimersByTimeAsync(LATER_MS);
  await expect.poll(drawn.text).toContain('Cancel…');
  const readings = (): number => drawn.asked.filter((path) => path === 'threads/t').length;
  return { drawn, readings };
}

describe('The page of a thread', () => {
  test.each<[ThreadTab, string, number]>([
    ['budget', 'p', 1],
    ['budget', 'another', 0],
    ['errors', 'p', 0],
  ])('shows accounts as they stand: on its tab %s a change of %s has it read again %i times', async (...row) => {
    const [tab, changed, again] = row;
    const { drawn, readings } = await thread(tab, () => ANSWER);
    const before = readings();
    const batch = { changed: [threadRow(changed, { tree_spend: 5 })], levels: [] };
    drawn.dashboard.store.set((state) => ({ ...state, tree: withBatch(state.tree, batch) }));
    await vi.advanceTimersByTimeAsync(LATER_MS);
    expect(readings() - before).toBe(again);
  });

  test('asks each question with fields of its own', async () => {
    let asked = 'A';
    const { drawn } = await thread('errors', () => ({ ...ANSWER, approval: question(asked) }));
    await expect.poll(drawn.text).toContain('Question A?');
    const [field] = drawn.find('input');
    drawn.change();
    await vi.advanceTimersByTimeAsync(LATER_MS);
    expect(drawn.find('input')).toEqual([field]);
    asked = 'B';
    drawn.change();
    await vi.advanceTimersByTimeAsync(LATER_MS);
    await expect.poll(drawn.text).toContain('Question B?');
    expect(drawn.find('input')).toHaveLength(1);
    expect(drawn.find('input')[0]).not.toBe(field);
  });
});
