import { h } from 'preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PromptAnswer } from '../../../api.ts';
import { draw } from '../../fixtures/drawn.ts';
import { logEvent } from '../../fixtures/log-event.ts';
import { PromptTab } from './prompt-tab.tsx';

/** Longer than between two readings. */
const LATER_MS = 2_000;

const SYSTEM = { role: 'system', text: 'Be brief.', length: 9, sources: [], sequence: 1 } as const;
const USER = { role: 'user', text: 'Count to three.', length: 15, sources: [], sequence: 2 } as const;

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

test('A part that is cut counts as long as it is, and is shown whole when that is asked for', async () => {
  const cut = { ...SYSTEM, text: 'Be br[44,996 …]', length: 45_000, cut: true } as const;
  const parts = [cut, { ...USER, length: 5_000 }];
  const whole = { event: logEvent(1, 'system_prompt', { text: 'Be brief and all the rest.', layers: [] }) };
  const drawn = draw(h(PromptTab, { id: 't' }), (path) => {
    if (path === 'threads/t/prompt') return { id: 't', parts };
    return path === 'threads/t/events/1' ? whole : undefined;
  });
  await vi.advanceTimersByTimeAsync(LATER_MS);
  await expect.poll(drawn.text).toContain('45,000 characters');
  expect(drawn.text()).toContain('system 90 %user 10 %');
  expect(drawn.find('share').map(({ style }) => style['flexGrow'])).toEqual(['45000', '5000']);
  expect(drawn.text().match(/was cut/g)).toHaveLength(1);
  drawn.press('The text was cut: show it whole');
  await expect.poll(drawn.text).toContain('Be brief and all the rest.');
});
