import { describe, expect, test } from 'vitest';
import { SECRET } from '../../../test/fixtures/host-bench.ts';
import type { Failure } from '../../core/errors.ts';
import { createRedactor } from '../../core/redactor.ts';
import { createProblems, MOST_KEPT } from './problems.ts';

const problem = (message: string): Failure => ({ code: 'internal', message });

describe('A problem', () => {
  test('that comes before anybody listens is told the first who does, once and before what comes later', async () => {
    const { problems, heard, listen } = open();
    problems.tell(problem('early'));
    problems.tell(problem('early, too'));
    listen('first');
    expect(heard).toEqual([]);
    problems.tell(problem('late'));
    await Promise.resolve();
    listen('second');
    problems.tell(problem('later'));
    await Promise.resolve();
    expect(heard).toEqual(['first: early', 'first: early, too', 'first: late', 'first: later', 'second: later']);
  });

  test('is kept for the next if the first has left again by then', async () => {
    const { problems, heard, listen } = open();
    problems.tell(problem('early'));
    listen('first')();
    await Promise.resolve();
    listen('second');
    await Promise.resolve();
    expect(heard).toEqual(['second: early']);
  });

  test('is kept if it is one of the first, and for nobody once all who listened have left', async () => {
    const { problems, heard, listen } = open();
    for (let no = 1; no <= MOST_KEPT + 1; no++) problems.tell(problem(`${no}`));
    const stop = listen('first');
    await Promise.resolve();
    expect([heard.length, heard.at(-1)]).toEqual([MOST_KEPT, `first: ${MOST_KEPT}`]);
    stop();
    problems.tell(problem('unheard'));
    listen('second');
    await Promise.resolve();
    expect(heard).toHaveLength(MOST_KEPT);
  });

  test('is told without secrets', async () => {
    const { problems, heard, listen } = open();
    problems.tell(problem(`a ${SECRET}`));
    listen('first');
    await Promise.resolve();
    problems.tell(problem(`another ${SECRET}`));
    expect(heard).toEqual(['first: a [redacted]', 'first: another [redacted]']);
  });
});

function open() {
  const problems = createProblems(createRedactor([SECRET]));
  const heard: string[] = [];
  const listen = (name: string) => problems.listen(({ message }) => void heard.push(`${name}: ${message}`));
  return { problems, heard, listen };
}
