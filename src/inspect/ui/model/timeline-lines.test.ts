import { expect, test } from 'vitest';
import type { TimelineRow, TimelineSummary } from '../../api.ts';
import { piecesOf, timelineLines } from './timeline-lines.ts';

const row = (id: string, parent?: string): TimelineRow => ({
  id,
  ...(parent !== undefined && { parent }),
  depth: 0,
  directive: 'd',
  status: 'running',
  start_ms: 0,
  spans: [],
});
const rest = (parent: string): TimelineSummary => ({
  parent,
  depth: 1,
  threads: 9,
  counts: {},
  start_ms: 0,
  end_ms: 1,
});

test.each([
  ['no rows', [], [], []],
  ['none left out', [row('a'), row('b', 'a')], [], ['a', 'b']],
  ['a parent that is not shown', [row('a', 'above'), row('b', 'a')], [], ['a', 'b']],
  ['levels one after the other', [row('a'), row('b', 'a'), row('c', 'a'), row('d', 'b')], [], ['a', 'b', 'd', 'c']],
  ['some of the root left out', [row('a'), row('b', 'a'), row('c', 'b')], [rest('a')], ['a', 'b', 'c', '+a']],
  ['some of both left out', [row('a'), row('b', 'a')], [rest('a'), rest('b')], ['a', 'b', '+b', '+a']],
])('A timeline with %s has each thread with those below it', (_, rows, summaries, expected) => {
  const lines = timelineLines({ rows, summaries });
  expect(lines.map((line) => (line.kind === 'thread' ? line.row.id : `+${line.summary.parent}`))).toEqual(expected);
});

const SPANS = [{ state: 'queued', from_ms: 10, to_ms: 20 }] as const;

test.each([
  ['that was read', { spans: SPANS }, ['queued 10-20']],
  ['that was not read', { spans: [], unread: true }, ['unread 10-90']],
  ['that was not read, of one that has ended', { spans: [], unread: true, end_ms: 50 }, ['unread 10-50']],
  ['that was not read to its end', { spans: SPANS, unread: true, end_ms: 50 }, ['queued 10-20', 'unread 20-50']],
] as const)('Of a log %s it is drawn what is known', (_, more, expected) => {
  const pieces = piecesOf({ ...row('a'), start_ms: 10, ...more }, 90);
  expect(pieces.map(({ state, from_ms: from, to_ms: to }) => `${state} ${from}-${to}`)).toEqual(expected);
});
