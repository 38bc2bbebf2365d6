import { expect, test } from 'vitest';
import type { OperationName } from '../core/operations.ts';
import { answerText } from './threads-text.ts';

const ID = `thread-${'0'.repeat(32)}`;
const COST = { turns: 1, input_tokens: 1, output_tokens: 1, spend: 0 };
const THREAD = { thread_id: ID, directive: 'demo/task', status: 'completed', cost: COST };

test.each<[OperationName, object]>([
  ['list_threads', { threads: [THREAD], more: true, next: ID }],
  ['list_children', { children: [THREAD], next: ID }],
])('%s on a narrow terminal says with a whole id how to go on', (name, answer) => {
  const text = answerText(name, answer, (line) => line.slice(0, 49));
  expect(text).toBe(`${ID}  complete\nThere are more: --after ${ID}\n`);
});

test('Why a thread is suspended is said after its status, and not once more in front', () => {
  const outcome = { success: false, thread_id: ID, status: 'suspended', result: null, error: 'suspended: limit' };
  const text = answerText('resume_thread', { thread_id: ID, outcome }, (line) => line);
  expect(text).toBe(`${ID}  suspended  limit\n`);
});
