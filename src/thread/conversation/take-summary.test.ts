import { expect, test } from 'vitest';
import { createTiersBench } from '../../../test/fixtures/tiers-bench.ts';
import { layOutRequest } from '../tiers/lay-out-request.ts';
import { checkContext } from './context-pressure.ts';
import { takeSummary } from './take-summary.ts';

const WINDOW = 10_000;
/** Some 9,000 tokens beside a conversation of some 1,500. */
const FILES = { 'a.txt': 'many words\n'.repeat(2450) };

test('In tiers a summary frees what it stands for, and a prompt that is still full hands over', async () => {
  using bench = await createTiersBench({ files: FILES, contextWindow: WINDOW });
  const { thread, session, services } = bench;
  session.files.select('a.txt');
  for (let at = 0; at < 5; at++)
    thread.messages.push({ role: 'user', text: 'go on' }, { role: 'assistant', text: 'x'.repeat(900), toolCalls: [] });
  thread.messages.push({ role: 'user', text: 'more' });
  layOutRequest(bench, '');
  thread.pressedAt = thread.turns;
  expect(takeSummary(bench, 'It said much. '.repeat(10))).toMatchObject({ ok: true });
  const { contextTokens } = thread;
  expect(checkContext(thread, services.config)).toEqual({ type: 'CONTEXT_FULL' });
  layOutRequest(bench, '');
  expect(Math.abs(contextTokens / thread.contextTokens - 1)).toBeLessThan(0.02);
});
