import { describe, expect, test } from 'vitest';
import { specWith } from '../../../test/fixtures/host-bench.ts';
import type { HostQuestion, WorkerReport } from '../../core/protocol.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import { createHostQuestions } from './host-questions.ts';

describe('A question to the host', () => {
  test('is asked with a number of its own, and gets the answer with that number', () => {
    const { ask, questions, reports } = open();
    const [first, second] = [ask(), ask()];
    expect(reports).toEqual([
      { ref: 1, ...QUESTION },
      { ref: 2, ...QUESTION },
    ]);
    questions.answer(2, ok('b'));
    questions.answer(1, ok('a'));
    expect([first.answers, second.answers]).toEqual([[ok('a')], [ok('b')]]);
  });

  test('gets a refusal as a failure', () => {
    const { ask, questions } = open();
    const asked = ask();
    const failure = failed({ code: 'spawns_exceeded', message: 'no more' });
    questions.answer(1, failure);
    expect(asked.answers).toEqual([failure]);
  });

  test('is answered once: what comes later is dropped', () => {
    const { ask, questions } = open();
    const asked = ask();
    const isTaken = [[1, 'first'] as const, [1, 'second'] as const, [99, 'nobody asked'] as const].map(([ref, value]) =>
      questions.answer(ref, ok(value)),
    );
    expect([asked.answers, isTaken]).toEqual([[ok('first')], [true, false, false]]);
  });

  test('is counted while it is open', () => {
    const { ask, questions } = open();
    ask();
    ask();
    expect(questions.open()).toBe(2);
    questions.answer(1, ok(1));
    expect(questions.open()).toBe(1);
  });

  test('may ask another one from its answer', () => {
    const { questions } = open();
    const answers: unknown[] = [];
    questions.ask(QUESTION, () => questions.ask(QUESTION, (answer) => answers.push(answer)));
    questions.answer(1, ok('go on'));
    questions.answer(2, ok('done'));
    expect(answers).toEqual([ok('done')]);
  });
});

describe('A question that is given up', () => {
  test('names the parent if it was to spawn a child: the answer may be on the way', () => {
    const { questions, reports } = open();
    questions.ask({ type: 'spawn', thread: 7, spec: specWith(1) }, () => undefined).abort();
    expect(reports.at(-1)).toEqual({ type: 'abandon', ref: 1, parent: 7 });
  });

  test('is abandoned at the host, once, and never answered', () => {
    const { ask, questions, reports } = open();
    const asked = ask();
    asked.abort();
    asked.abort();
    questions.answer(1, ok('late'));
    expect(asked.answers).toEqual([]);
    expect(reports.filter(({ type }) => type === 'abandon')).toEqual([{ type: 'abandon', ref: 1 }]);
    expect(questions.open()).toBe(0);
  });

  test('after its answer changes nothing', () => {
    const { ask, questions, reports } = open();
    const asked = ask();
    questions.answer(1, ok('there'));
    asked.abort();
    expect(reports.filter(({ type }) => type === 'abandon')).toEqual([]);
  });
});

const QUESTION: HostQuestion = { type: 'orchestrate', thread: 1, operation: 'list_active', input: {} };

function open() {
  const reports: WorkerReport[] = [];
  const questions = createHostQuestions((report) => reports.push(report));
  const ask = () => {
    const answers: Result<unknown>[] = [];
    const running = questions.ask(QUESTION, (answer) => answers.push(answer));
    return { answers, abort: () => running.abort() };
  };
  return { reports, questions, ask };
}
