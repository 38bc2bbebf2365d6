import { expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createLiveScreen } from './live-screen.ts';

/** A terminal that understands what a live screen writes: lines, cursor up, erase to the end. */
function terminal(size: { readonly columns?: number; readonly rows?: number } = {}) {
  let lines = [''];
  let writes = 0;
  return {
    ...size,
    write(text: string) {
      writes++;
      // oxlint-disable-next-line no-control-regex -- what is written to a terminal
      for (const [token] of text.matchAll(/\u001B\[\d+A|\u001B\[J|\r|\n|[^\u001B\r\n]+/g)) {
        if (token.endsWith('A')) lines = lines.slice(0, -1 - Number(token.slice(2, -1))).concat('');
        else if (token === '\n') lines.push('');
        else if (!token.startsWith('\u001B') && token !== '\r') lines[lines.length - 1] += token;
      }
    },
    lines: () => lines.slice(0, -1),
    writes: () => writes,
  };
}

function screen(draw: () => readonly string[] = () => ['one', 'two']) {
  const clock = createHandClock();
  const stream = terminal();
  return { clock, stream, live: createLiveScreen({ stream, clock, draw }) };
}

test('draws at most ten times a second, however much changes', () => {
  const { clock, stream, live } = screen();
  for (let ms = 0; ms < 1000; ms++) {
    live.changed();
    clock.advance(1);
  }
  expect(stream.writes()).toBeGreaterThanOrEqual(9);
  expect(stream.writes()).toBeLessThanOrEqual(10);
  expect(stream.lines()).toEqual(['one', 'two']);
});

test('draws nothing while nothing changes', () => {
  const { clock, stream } = screen();
  clock.advance(5000);
  expect(stream.writes()).toBe(0);
});

test('draws what it shows anew once a second, until it is stopped', () => {
  let seconds = 0;
  const { clock, stream, live } = screen(() => [`${seconds++} s`]);
  live.changed();
  clock.advance(100);
  expect(stream.lines()).toEqual(['0 s']);
  clock.advance(2_000);
  expect(stream.lines()).toEqual(['2 s']);
  live.stop();
  expect([stream.lines(), clock.pending()]).toEqual([[], 0]);
});

test('a new picture takes the place of the old one, also when it is shorter', () => {
  const pictures = [['a', 'b', 'c'], ['d'], ['e', 'f']];
  const { clock, stream, live } = screen(() => pictures.shift() ?? []);
  for (const expected of [['a', 'b', 'c'], ['d'], ['e', 'f'], []]) {
    live.changed();
    clock.advance(100);
    expect(stream.lines()).toEqual(expected);
  }
});

test('a kept line stays above the picture', () => {
  const { clock, stream, live } = screen();
  live.keep('before');
  live.changed();
  clock.advance(100);
  live.keep('note');
  expect(stream.lines()).toEqual(['before', 'note', 'one', 'two']);
});

test('a kept line that is wider than the terminal is broken between words', () => {
  const { clock, stream, live } = screen();
  live.changed();
  clock.advance(100);
  live.keep(`trouble ${'word '.repeat(20)}`);
  expect(stream.lines()).toEqual([
    `trouble ${'word '.repeat(14).trim()}`,
    `    ${'word '.repeat(6).trim()}`,
    'one',
    'two',
  ]);
});

test('stop removes the picture, keeps the kept lines, and leaves no timer', () => {
  const { clock, stream, live } = screen();
  live.changed();
  clock.advance(100);
  live.keep('note');
  live.changed();
  live.stop();
  live.changed();
  live.keep('after');
  expect(clock.pending()).toBe(0);
  expect(stream.lines()).toEqual(['note', 'after']);
});

test.each([
  [
    { columns: 40, rows: 10 },
    { columns: 39, rows: 8 },
  ],
  [
    { columns: 300, rows: 90 },
    { columns: 299, rows: 20 },
  ],
  [
    { columns: 1, rows: 1 },
    { columns: 1, rows: 1 },
  ],
  [{}, { columns: 79, rows: 20 }],
])('a terminal of %j has room for %j', (size, expected) => {
  const clock = createHandClock();
  const asked: unknown[] = [];
  const draw = (room: unknown): string[] => {
    asked.push(room);
    return [];
  };
  createLiveScreen({ stream: terminal(size), clock, draw }).changed();
  clock.advance(100);
  expect(asked).toEqual([expected]);
});
