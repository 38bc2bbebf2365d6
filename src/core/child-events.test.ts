import { describe, expect, test } from 'vitest';
import { familyOf, missedChildEvents, withInherited, type ParentLog } from './child-events.ts';
import type { ThreadStatus } from './ending.ts';
import { encodeEvent, type EventToStore } from './events.ts';
import type { ThreadId } from './ids.ts';
import type { StoredChild } from './store.ts';

const PARENT: ThreadId = 'thread-parent';
const COST = { turns: 2, inputTokens: 3, outputTokens: 4, spend: 5_000_000 };

describe('What a log lacks about the children of its thread', () => {
  test('is the end of one that ended while the thread was in no worker', () => {
    expect(missed([started('a')], [child('a', 'completed')])).toEqual([
      {
        type: 'child_thread_ended',
        payload: {
          child_thread_id: 'thread-a',
          status: 'completed',
          cost: { turns: 2, input_tokens: 3, output_tokens: 4, spend: 0.005 },
        },
      },
    ]);
  });

  test('is start and end of one that was admitted unnoticed', () => {
    expect(missed([], [child('a', 'error')])).toMatchObject([
      {
        type: 'child_thread_started',
        payload: { child_thread_id: 'thread-a', child_directive: 'demo/a', parent_thread_id: PARENT },
      },
      { type: 'child_thread_ended', payload: { child_thread_id: 'thread-a', status: 'error' } },
    ]);
  });

  test.each<[string, readonly EventToStore[], readonly StoredChild[], readonly string[]]>([
    ['no children', [started('a')], [], []],
    ['one that runs', [started('a')], [child('a', 'running')], []],
    ['one that is suspended', [started('a')], [child('a', 'suspended')], []],
    ['one that runs unnoticed', [], [child('a', 'created')], ['child_thread_started a']],
    ['one whose end is there', [started('a'), ended('a')], [child('a', 'completed')], []],
    [
      'one of each',
      [started('a'), ended('a'), started('b'), started('c')],
      [child('a', 'completed'), child('b', 'cancelled'), child('c', 'running'), child('d', 'created')],
      ['child_thread_ended b', 'child_thread_started d'],
    ],
    [
      'an end somebody only spoke of',
      [started('a'), said(ended('a'))],
      [child('a', 'error')],
      ['child_thread_ended a'],
    ],
  ])('with %s', (_name, log, children, expected) => {
    const found = missed(log, children);
    expect(missedChildEvents(familyOf(parent(log, children)))).toEqual(found);
    expect(found.map(({ type, payload }) => `${type} ${payload.child_thread_id.slice(-1)}`)).toEqual(expected);
  });

  test('of a thread that has handed over is missed by the one that took over', () => {
    const before = parent([started('a'), ended('a'), started('b')], [child('a', 'completed'), child('b', 'cancelled')]);
    const family = withInherited(parent([started('c')], [child('c', 'completed')]), before);
    expect(
      missedChildEvents(family).map(({ type, payload }) => `${type} ${payload.child_thread_id.slice(-1)}`),
    ).toEqual(['child_thread_ended b', 'child_thread_ended c']);
  });

  test('is found once: what was missed is not missed any more when it is recorded', () => {
    const children = [child('a', 'completed'), child('b', 'created')];
    const events = missed([], children).map(({ type, payload }) => event(type, payload));
    expect(missed(events, children)).toEqual([]);
  });

  test('of 10,000 children is found in one go over the log', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => String(index));
    const log = names.map(started);
    expect(
      missed(
        log,
        names.map((name) => child(name, 'completed')),
      ),
    ).toHaveLength(10_000);
  });
});

function missed(log: readonly EventToStore[], children: readonly StoredChild[]) {
  return missedChildEvents(parent(log, children));
}

function parent(log: readonly EventToStore[], children: readonly StoredChild[]): ParentLog {
  return { row: { threadId: PARENT }, lines: log.map(encodeEvent).join(''), children };
}

function child(name: string, status: ThreadStatus): StoredChild {
  return { threadId: `thread-${name}`, directive: `demo/${name}`, status, cost: COST };
}

function event(event_type: EventToStore['event_type'], payload: object): EventToStore {
  return { sequence: 1, event_type, time: 0, payload };
}

function started(name: string): EventToStore {
  const payload = { child_thread_id: `thread-${name}`, child_directive: 'x', parent_thread_id: PARENT };
  return event('child_thread_started', payload);
}

function ended(name: string): EventToStore {
  return event('child_thread_ended', { child_thread_id: `thread-${name}`, status: 'completed', cost: {} });
}

/** A tool call whose input looks like an event, as text and as data. */
function said(inner: EventToStore): EventToStore {
  return event('tool_call_start', { tool: 'x', call_id: '1', input: { inner, text: `\n${encodeEvent(inner)}` } });
}
