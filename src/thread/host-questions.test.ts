import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import type { HostQuestion, WorkerReport } from '../core/protocol.ts';
import { failed, ok, type Result } from '../core/result.ts';
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
    questions.answer(1, ok('first'));
    questions.answer(1, ok('second'));
    questions.answer(99, ok('nobody asked'));
    expect(asked.answers).toEqual([ok('first')]);
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

describe('A question with a timeout', () => {
  test('fails when the host does not answer in time, and tells the host not to bother', () => {
    const { ask, clock, reports, questions } = open();
    const asked = ask(100);
    clock.advance(99);
    expect(asked.answers).toEqual([]);
    clock.advance(1);
    expect(asked.answers).toMatchObject([{ ok: false, failure: { code: 'deadline_exceeded' } }]);
    expect(reports.at(-1)).toEqual({ type: 'abandon', ref: 1 });
    expect(questions.open()).toBe(0);
  });

  test('drops an answer that comes after it', () => {
    const { ask, clock, questions } = open();
    const asked = ask(100);
    clock.advance(100);
    questions.answer(1, ok('late'));
    expect(asked.answers).toHaveLength(1);
  });

  test('leaves no timer behind when it is answered', () => {
    const { ask, clock, questions } = open();
    const asked = ask(100);
    questions.answer(1, ok('in time'));
    expect(clock.pending()).toBe(0);
    clock.advance(1000);
    expect(asked.answers).toEqual([ok('in time')]);
  });

  test('leaves no timer behind when it is given up, and is not answered by the timeout', () => {
    const { ask, clock, reports } = open();
    const asked = ask(100);
    asked.abort();
    expect(clock.pending()).toBe(0);
    clock.advance(1000);
    expect(asked.answers).toEqual([]);
    expect(reports.filter(({ type }) => type === 'abandon')).toHaveLength(1);
  });
});

describe('A question that is given up', () => {
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

const QUESTION: HostQuestion = { type: 'orchestrate', thread: 1, operation: 'get_status', threadId: 'thread-1' };

function open() {
  const clock = createHandClock();
  const reports: WorkerReport[] = [];
  const questions = createHostQuestions((report) => reports.push(report), clock);
  const ask = (timeoutMs?: number) => {
    const answers: Result<unknown>[] = [];
    const running = questions.ask(QUESTION, (answer) => answers.push(answer), timeoutMs);
    return { answers, abort: () => running.abort() };
  };
  return { clock, reports, questions, ask };
}
