import { expect, test } from 'vitest';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { refuseUnsent } from './unsent.ts';

test('A thread that was asked for with what cannot travel is refused to its caller', () => {
  const { host, sent, problems } = createHostBench();
  const answers: unknown[] = [];
  const request = { directive: 'a', inputs: {}, limits: undefined, model: undefined, parent: undefined } as const;
  host.questions.ask(
    0,
    (ref) => ({ type: 'prepare', ref, request: { ...request, outputSchema: undefined } }),
    (answer) => void answers.push(answer),
  );
  for (const command of sent) refuseUnsent(host, command);
  expect(answers).toMatchObject([{ ok: false, failure: { code: 'invalid_argument' } }]);
  expect(problems).toEqual([]);
});

test('Another command that cannot travel is a problem', () => {
  const { host, problems } = createHostBench();
  refuseUnsent(host, { type: 'joined', thread: 1 });
  expect(problems).toMatchObject([{ code: 'internal', message: expect.stringContaining('joined') }]);
});
