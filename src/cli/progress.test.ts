import { beforeEach, describe, expect, test } from 'vitest';
import type { EventPayloads, EventType, ThreadEvent } from '../index.ts';
import { treeLines, type TreeView } from './live-tree.ts';
import { createPaint } from './paint.ts';
import { createProgress, type Notice, type Progress } from './progress.ts';
import { textWidth } from './text-width.ts';

const COST = { turns: 1, input_tokens: 1, output_tokens: 1, spend: 0 };
const AT = Date.parse('2026-11-20T10:00:00.000Z');

let progress: Progress;

beforeEach(() => {
  progress = createProgress();
});

function take<Type extends EventType>(id: string, type: Type, payload: EventPayloads[Type]): Notice | undefined {
  const timestamp = new Date(AT).toISOString();
  // Type and payload belong together by the signature.
  return progress.take({
    thread_id: `thread-${id}`,
    event_type: type,
    timestamp,
    payload,
    criticality: 'critical',
  } as unknown as ThreadEvent);
}

function begin(id: string, parent?: string, inputs: Readonly<Record<string, unknown>> = {}): Notice | undefined {
  return take(id, 'thread_started', {
    directive: parent === undefined ? 'demo/root' : 'demo/child',
    model: 'scripted:x',
    limits: {},
    inputs,
    ...(parent !== undefined && { parent_thread_id: `thread-${parent}` }),
  });
}

const announce = (parent: string, child: string): Notice | undefined =>
  take(parent, 'child_thread_started', {
    child_thread_id: `thread-${child}`,
    child_directive: 'demo/child',
    parent_thread_id: `thread-${parent}`,
  });
const complete = (id: string): Notice | undefined => take(id, 'thread_completed', { cost: COST });

describe('A thread that another runtime has started', () => {
  test('has the name it was met with when it goes on', () => {
    progress.meet({ id: 'thread-a', directive: 'demo/old' });
    expect(take('a', 'thread_resumed', {})).toMatchObject({ status: 'running', label: 'demo/old', detail: 'resumed' });
    expect(complete('a')).toMatchObject({ status: 'completed', label: 'demo/old' });
  });

  test('is told of without a name if nobody knows it', () => {
    expect(take('b', 'thread_resumed', {})).toMatchObject({ status: 'running', label: '' });
    expect(progress.roots()).toMatchObject([{ id: 'thread-b', status: 'running', since: AT }]);
  });
});

describe('A run', () => {
  test('counts threads, turns, tokens and money', () => {
    begin('a');
    begin('b', 'a');
    take('b', 'cognition_out', { text: 'half', model: 'x', is_partial: true });
    take('b', 'cognition_out', { text: '', model: 'x' });
    for (const spend of [0.1, 0.2]) {
      take('b', 'usage', {
        input_tokens: 100,
        output_tokens: 10,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        spend,
        interrupted: false,
      });
    }
    complete('b');
    expect(progress.totals()).toEqual({
      started: 2,
      ended: new Map([['completed', 1]]),
      turns: 1,
      inputTokens: 200,
      outputTokens: 20,
      spend: 300_000_000,
      events: 7,
    });
  });

  test('knows a child from its parent before it starts, and not again after it has ended', () => {
    begin('a');
    expect(announce('a', 'b')).toMatchObject({ status: 'queued', label: 'demo/child' });
    expect(progress.count('queued')).toBe(1);
    begin('b', 'a');
    expect(progress.count('queued')).toBe(0);
    complete('b');
    expect(announce('a', 'b')).toBeUndefined();
    expect(progress.thread('thread-a')?.ended).toEqual(new Map([['completed', 1]]));
    expect(progress.totals().started).toBe(2);
  });

  test('names a child by the inputs it does not share with its parent', () => {
    begin('a', undefined, { folder: '/x', depth: 2 });
    expect(begin('b', 'a', { path: 'y.ts', folder: '/x', depth: 3 })).toMatchObject({
      label: 'demo/child path=y.ts depth=3',
    });
  });

  test('forgets a thread that has ended', () => {
    begin('a');
    complete('a');
    expect(progress.roots()).toEqual([]);
    expect(progress.thread('thread-a')).toBeUndefined();
  });

  test.each<[string, () => Notice | undefined, object]>([
    ['a start', () => begin('z'), { kind: 'state', status: 'running' }],
    ['an end', () => complete('a'), { kind: 'state', status: 'completed' }],
    [
      'a failure with its code',
      () => take('a', 'thread_error', { error: { code: 'provider_failed', message: 'no' }, cost: COST }),
      { status: 'error', detail: 'no [provider_failed]' },
    ],
    [
      'a suspension with its reason',
      () => take('a', 'thread_suspended', { suspend_reason: 'limit', message: 'turns' }),
      { status: 'suspended', detail: 'limit: turns' },
    ],
    ['a resumption', () => take('a', 'thread_resumed', {}), { status: 'running' }],
    ['a cancellation', () => take('a', 'thread_cancelled', { reason: 'stop', cost: COST }), { status: 'cancelled' }],
    [
      'a warning',
      () => take('a', 'warning', { code: 'x', message: 'careful' }),
      { kind: 'trouble', detail: 'warning: careful [x]' },
    ],
    [
      'a warning with its place',
      () => take('a', 'warning', { code: 'x', message: 'It failed', where: 'hook clock' }),
      { detail: 'warning: It failed (hook clock) [x]' },
    ],
    [
      'a warning that names its place itself',
      () => take('a', 'warning', { code: 'x', message: 'The tool "a/b" is odd', where: 'a/b' }),
      { detail: 'warning: The tool "a/b" is odd [x]' },
    ],
    [
      'a tool that failed, by its name',
      () => {
        take('a', 'tool_call_start', { tool: 'read', call_id: '1', input: {} });
        return take('a', 'tool_call_result', { call_id: '1', error: 'error [tool_failed]: no', duration_ms: 1 });
      },
      { kind: 'trouble', detail: 'read: error [tool_failed]: no' },
    ],
  ])('tells of %s', (_title, happen, notice) => {
    begin('a');
    expect(happen()).toMatchObject(notice);
  });

  test('says nothing by itself of turns and of tools that worked', () => {
    begin('a');
    expect(take('a', 'cognition_out', { text: '', model: 'x' })).toBeUndefined();
    expect(take('a', 'tool_call_start', { tool: 'read', call_id: '1', input: {} })).toBeUndefined();
    expect(take('a', 'tool_call_result', { call_id: '1', output: 'x', duration_ms: 1 })).toBeUndefined();
  });
});

test('What a thread carries on from another one is neither a turn of its own nor trouble', () => {
  begin('a');
  take('a', 'cognition_out', { text: '', model: 'x', carried: true });
  expect(
    take('a', 'tool_call_result', { call_id: '1', error: 'error [tool_failed]: no', duration_ms: 1, carried: true }),
  ).toBeUndefined();
  expect([progress.totals().turns, progress.thread('thread-a')?.turns]).toEqual([0, 0]);
});

describe('The live tree', () => {
  const paint = createPaint({ stream: { write: () => true }, env: {} });
  const view = (given: Partial<TreeView> = {}): TreeView => ({
    columns: 100,
    rows: 10,
    now: AT + 1500,
    eventsPerSecond: 12.4,
    paint,
    ...given,
  });

  test('shows threads below their parents, their states, and the sums', () => {
    begin('a');
    take('a', 'tool_call_start', { tool: 'wait', call_id: '1', input: {} });
    for (const id of ['b', 'c', 'd', 'e']) announce('a', id);
    begin('b', 'a', { path: 'x' });
    begin('c', 'a', { path: 'y' });
    begin('f', 'c', { path: 'z' });
    begin('d', 'a');
    complete('d');
    expect(treeLines(progress, view())).toEqual([
      '● demo/root  2 running, 1 queued, 1 done · turn 1 · 1.5 s · wait',
      '  ├ demo/child path=x  turn 1 · 1.5 s',
      '  └ demo/child path=y  1 running · turn 1 · 1.5 s',
      '    └ demo/child path=z  turn 1 · 1.5 s',
      '6 threads · 0 turns · $0.00 · 12 events/s · 0 tokens',
    ]);
  });

  test.each([1, 2, 3, 7, 20])('fits into %i lines however many threads there are', (rows) => {
    begin('a');
    for (let at = 0; at < 50; at++) begin(`b${at}`, 'a');
    expect(treeLines(progress, view({ rows }))).toHaveLength(rows);
  });

  test.each([1, 5, 20, 37])('fits into %i columns whatever a directive is called', (columns) => {
    begin('a', undefined, { path: '漢字'.repeat(40) });
    begin('b', 'a', { path: '漢字\u001b[2J\n'.repeat(10) });
    const lines = treeLines(progress, view({ columns }));
    expect(lines.map(textWidth).every((width) => width <= columns)).toBe(true);
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f]/);
  });

  test.each<[string, Record<string, string>, boolean | undefined, boolean]>([
    ['a terminal', {}, true, true],
    ['a pipe', {}, undefined, false],
    ['NO_COLOR', { NO_COLOR: '1' }, true, false],
    ['an empty NO_COLOR', { NO_COLOR: '' }, true, true],
    ['a dumb terminal', { TERM: 'dumb' }, true, false],
  ])('%s decides about colour', (_title, env, isTTY, coloured) => {
    const styles = createPaint({ stream: { write: () => true, ...(isTTY && { isTTY }) }, env });
    expect(styles.red('x') !== 'x').toBe(coloured);
  });
});
