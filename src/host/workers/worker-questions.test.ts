import { expect, test } from 'vitest';
import type { ThreadSpec, WorkerCommand } from '../../core/protocol.ts';
import { failed } from '../../core/result.ts';
import { createWorkerQuestions } from './worker-questions.ts';

const REQUEST = {
  directive: 'demo/task',
  inputs: {},
  limits: undefined,
  model: undefined,
  parent: undefined,
  outputSchema: undefined,
};
const CLOSED = { code: 'runtime_closed', message: 'over' } as const;

test('what is open when the runtime closes fails, once, and what is asked later at once', () => {
  const { questions, answers, ask, sent } = open();
  ask();
  ask();
  questions.answer(1, failed({ code: 'item_not_found', message: 'no' }));
  questions.close(CLOSED);
  questions.answer(2, failed({ code: 'item_not_found', message: 'late' }));
  ask();
  expect(answers).toEqual(['item_not_found', 'runtime_closed', 'runtime_closed']);
  expect(sent.map((command) => command.type === 'prepare' && command.ref)).toEqual([1, 2]);
});

function open() {
  const sent: WorkerCommand[] = [];
  const answers: string[] = [];
  const send = (_worker: number, command: WorkerCommand): void => void sent.push(command);
  const questions = createWorkerQuestions<ThreadSpec>(() => ({
    send,
    broadcast: () => undefined,
    close: () => undefined,
  }));
  const ask = (): void =>
    questions.ask(
      0,
      (ref) => ({ type: 'prepare', ref, request: REQUEST }),
      (answer) => void answers.push(answer.ok ? 'ok' : answer.failure.code),
    );
  return { questions, answers, ask, sent };
}
