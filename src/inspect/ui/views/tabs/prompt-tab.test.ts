import { h } from 'preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PromptAnswer } from '../../../api.ts';
import { draw } from '../../fixtures/drawn.ts';
import { PromptTab } from './prompt-tab.tsx';

/** Longer than between two readings. */
const LATER_MS = 2_000;

const SYSTEM = { role: 'system', text: 'Be brief.', sources: [], sequence: 1 } as const;
const USER = { role: 'user', text: 'Count to three.', sources: [], sequence: 2 } as const;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('The prompt of a thread that had none yet, or a part of it, is read as the thread goes on, and no more once it is there', async () => {
  const parts: PromptAnswer['parts'][] = [[], [SYSTEM], [SYSTEM, USER]];
  const prompts = (): string[] => drawn.asked.filter((path) => path.endsWith('/prompt'));
  const drawn = draw(h(PromptTab, { id: 't' }), (path) =>
    path.endsWith('/prompt') ? { id: 't', parts: parts[prompts().length - 1] } : undefined,
  );
  const changed = async (): Promise<void> => {
    drawn.change();
    await vi.advanceTimersByTimeAsync(LATER_MS);
  };
  await vi.advanceTimersByTimeAsync(LATER_MS);
  await expect.poll(drawn.text).toBe('Nothing was sent yet.');
  await changed();
  await expect.poll(drawn.text).toContain(SYSTEM.text);
  await changed();
  await expect.poll(drawn.text).toContain(USER.text);
  await changed();
  expect(prompts()).toHaveLength(3);
});
