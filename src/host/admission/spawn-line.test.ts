import { expect, test } from 'vitest';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { failed, type Result } from '../../core/result.ts';
import type { SpawnOrder } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { MOST_UNDER_WAY } from './spawn-line.ts';

const REQUEST = { inputs: {}, limits: undefined, model: undefined, parent: undefined, outputSchema: undefined };

/** Asks for so many roots; what a worker is asked for, and how each was answered. */
function spawnMany(count: number) {
  const { host, sent } = createHostBench();
  const answers: Result<ThreadEntry>[] = [];
  for (let at = 0; at < count; at++) {
    const request = { ...REQUEST, directive: `d${at}` };
    const order: SpawnOrder = { request, parent: undefined, done: (answer) => void answers.push(answer) };
    host.tell({ type: 'SPAWN', order });
  }
  const asked = () => sent.flatMap((command) => (command.type === 'prepare' ? [command] : []));
  const refuse = (at: number): void =>
    host.questions.answer(asked()[at]?.ref ?? -1, failed({ code: 'item_not_found', message: 'no' }));
  return { host, answers, asked, refuse };
}

test('roots that are asked for at once wait for each other, first come, first served', () => {
  const { answers, asked, refuse } = spawnMany(MOST_UNDER_WAY + 3);
  expect(asked()).toHaveLength(MOST_UNDER_WAY);
  refuse(0);
  refuse(1);
  expect(answers).toHaveLength(2);
  expect(
    asked()
      .slice(MOST_UNDER_WAY)
      .map(({ request }) => request.directive),
  ).toEqual([`d${MOST_UNDER_WAY}`, `d${MOST_UNDER_WAY + 1}`]);
  for (let at = 2; at < MOST_UNDER_WAY + 3; at++) refuse(at);
  expect(answers).toHaveLength(MOST_UNDER_WAY + 3);
});

test('whoever waits is answered by a runtime that closes, however many they are', () => {
  const { host, answers, asked } = spawnMany(50_000);
  host.tell({ type: 'DRAIN', graceMs: 0 });
  host.questions.close({ code: 'runtime_closed', message: 'It stopped' });
  expect(asked()).toHaveLength(MOST_UNDER_WAY);
  expect(new Set(answers.map((answer) => !answer.ok && answer.failure.code))).toEqual(new Set(['runtime_closed']));
  expect(answers).toHaveLength(50_000);
});
