import { expect, test } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { showProgress } from './show-progress.ts';

test('a problem that several workers have is told once', () => {
  const lines: string[] = [];
  const stream = { write: (line: string) => lines.push(line) };
  const io = {
    stdout: stream,
    stderr: stream,
    env: {},
    cwd: '/',
    onInterrupt: () => () => undefined,
    exit: () => undefined,
  };
  const show = showProgress(io, systemClock);
  const problem = { code: 'invalid_item', message: 'not signed', where: { file: 'a.md' } } as const;
  show.problem(problem);
  show.problem({ ...problem, where: { file: 'b.md' } });
  show.problem(problem);
  expect(lines).toEqual(['skein: not signed (a.md) [invalid_item]\n', 'skein: not signed (b.md) [invalid_item]\n']);
});
