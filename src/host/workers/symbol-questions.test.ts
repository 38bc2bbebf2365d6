import { expect, test } from 'vitest';
import type { Result } from '../../core/result.ts';
import type { SymbolTasks } from '../../core/symbol-tasks.ts';
import { createSymbolQuestions, type SymbolQuestions } from './symbol-questions.ts';

function ask(questions: SymbolQuestions, task: string): Promise<Result<string>> {
  const { promise, resolve } = Promise.withResolvers<Result<string>>();
  questions.ask(task, resolve);
  return promise;
}

test('a worker that could not be started is started by a later question, and once', async () => {
  let loads = 0;
  let closed = 0;
  const tasks: SymbolTasks = { run: async (task) => `${task}!`, close: async () => void closed++ };
  const questions = createSymbolQuestions(async () => {
    loads += 1;
    if (loads === 1) throw new Error('No file may be opened');
    return tasks;
  });
  expect(await ask(questions, 'a')).toMatchObject({ ok: false, failure: { message: 'No file may be opened' } });
  expect(await Promise.all([ask(questions, 'b'), ask(questions, 'c')])).toMatchObject([
    { value: 'b!' },
    { value: 'c!' },
  ]);
  expect(loads).toBe(2);
  await questions.close();
  expect(closed).toBe(1);
});

test('a worker that does not start while the runtime ends does not keep it from ending', async () => {
  const questions = createSymbolQuestions(async () => {
    throw new Error('No file may be opened');
  });
  const answer = ask(questions, 'a');
  await questions.close();
  expect(await answer).toMatchObject({ ok: false });
});

test('a question that comes after the end starts no worker', async () => {
  let loads = 0;
  const questions = createSymbolQuestions(() => Promise.reject(new Error(`load ${++loads}`)));
  await questions.close();
  expect(await ask(questions, 'a')).toMatchObject({ ok: false, failure: { code: 'runtime_closed' } });
  expect(loads).toBe(0);
});
