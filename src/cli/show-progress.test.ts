import { expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { systemClock } from '../core/clock.ts';
import type { ThreadEvent } from '../index.ts';
import { showProgress } from './show-progress.ts';

/** A terminal, or a file, and what was written to it. */
function stderr(isTTY: boolean) {
  const lines: string[] = [];
  const stream = { isTTY, columns: 200, rows: 24, write: (line: string) => lines.push(line) };
  const io = {
    stdout: stream,
    stderr: stream,
    env: {},
    cwd: '/',
    onInterrupt: () => () => undefined,
    exit: () => undefined,
  };
  return { io, lines };
}

test('a problem that several workers have is told once', () => {
  const { io, lines } = stderr(false);
  const show = showProgress(io, systemClock);
  const problem = { code: 'invalid_item', message: 'not signed', where: { file: 'a.md' } } as const;
  show.problem(problem);
  show.problem({ ...problem, where: { file: 'b.md' } });
  show.problem(problem);
  expect(lines).toEqual(['skein: not signed (a.md) [invalid_item]\n', 'skein: not signed (b.md) [invalid_item]\n']);
});

test.each([
  ['forward', 5],
  ['back', -5],
])(
  'a clock that is moved %s by hours (%i) is not seen in how long a run took, nor in its events a second',
  (_, hours) => {
    const { io, lines } = stderr(true);
    const clock = createHandClock();
    const show = showProgress(io, clock);
    const event: ThreadEvent = {
      thread_id: `thread-${'1'.padStart(32, '0')}`,
      sequence: 1,
      event_type: 'thread_resumed',
      timestamp: new Date(0).toISOString(),
      payload: {},
      criticality: 'critical',
    };
    for (const setBy of [0, hours * 3_600_000, 0]) {
      clock.set(setBy);
      show.event(event);
      clock.advance(100);
    }
    expect(lines.at(-1)).toContain(' 10 events/s');
    show.stop();
    show.summary({ threadId: event.thread_id, database: 'threads.db' });
    expect(lines.at(-2)).toMatch(/ · 0\.3 s\n$/);
  },
);
