import { describe, expect, test } from 'vitest';
import { encodeEvent } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { childOfCall } from './child-of-call.ts';

const PARENT = 1;
const CALL = 'functions.thread_directive:0';

/** A child, by its number: the call that spawned it, and whom it goes on from. */
type Child = { readonly thread: number; readonly callId?: string; readonly predecessor?: number };
type Logged = readonly [type: string, payload: object];

const idOf = (thread: number): ThreadId => `thread-${String(thread).padStart(32, '0')}`;
const answer = (fields: object = {}): Logged => ['cognition_out', { text: '', ...fields }];
const started = (thread: number): Logged => ['child_thread_started', { child_thread_id: idOf(thread) }];
const told = (thread: number): Logged => ['tool_call_result', { call_id: CALL, output: idOf(thread) }];

/** What is stored of a parent: its children, and its log in chunks of so many events. */
function stored(children: readonly Child[], log: readonly Logged[], size: number) {
  const events = log.map(([event_type, payload], at) =>
    encodeEvent({ sequence: at + 1, event_type, time: 0, payload }),
  );
  const chunks = Array.from({ length: Math.ceil(events.length / size) }, (_, at) => ({
    first: at * size + 1,
    lines: events.slice(at * size, (at + 1) * size).join(''),
  }));
  const rows = children.map(
    // Of a row, what is looked at.
    ({ thread, predecessor }) =>
      ({ thread, threadId: idOf(thread), directive: `d${thread}`, predecessor }) as ThreadRow,
  );
  const read: number[] = [];
  const reader: Pick<StoreReader, 'thread' | 'children' | 'spec' | 'logPage'> = {
    thread: (id) => rows.find(({ threadId }) => threadId === id),
    children: (_, { limit = 100, after = 0 } = {}) => rows.filter(({ thread }) => thread > after).slice(0, limit),
    spec(thread) {
      read.push(thread);
      return JSON.stringify({ callId: children.find((child) => child.thread === thread)?.callId });
    },
    logPage: (_, place) => {
      const before = 'before' in place ? place.before : 0;
      return chunks
        .filter(({ first }) => first < before)
        .toReversed()
        .slice(0, 2);
    },
  };
  return { reader, read };
}

const FIRST = { thread: 2, callId: CALL };
const SECOND = { thread: 3, callId: CALL };
const TURN_1 = [answer(), started(2), told(2)];

describe.each([1, 2, 100])('The child of a call that is made again, of a log in chunks of %i', (size) => {
  test.each<[string, readonly Child[], readonly Logged[], number | undefined]>([
    ['is the one it has spawned', [FIRST], [answer(), started(2)], 2],
    ['is that one also if the log does not tell of it yet', [FIRST], [answer()], 2],
    ['is none if it spawned none', [{ thread: 2, callId: 'other' }, { thread: 3 }], [answer(), started(2)], undefined],
    ['is none if an earlier call of that id has spawned it', [FIRST], [...TURN_1, answer()], undefined],
    ['is its own, not that of an earlier call', [FIRST, SECOND], [...TURN_1, answer(), started(3)], 3],
    ['is its own also if the log does not tell of it yet', [FIRST, SECOND], [...TURN_1, answer()], 3],
    ['is its own after an answer that broke off', [FIRST], [answer(), started(2), answer({ is_partial: true })], 2],
    [
      'is none that goes on from the child of an earlier call',
      [FIRST, { ...SECOND, predecessor: 2 }],
      [...TURN_1, answer(), started(3)],
      undefined,
    ],
    [
      'is the one it has spawned, though another one goes on from it',
      [FIRST, { ...SECOND, predecessor: 2 }],
      [answer(), started(2), started(3)],
      2,
    ],
  ])('%s', (_title, children, log, thread) => {
    expect(childOfCall({ thread: PARENT, callId: CALL }, stored(children, log, size))).toEqual({
      ok: true,
      value: thread && { threadId: idOf(thread), directive: `d${thread}` },
    });
  });
});

describe('Of a parent with many children', () => {
  const earlier = Array.from({ length: 60 }, (_, at) => ({ thread: at + 2, callId: CALL }));
  const log = earlier.flatMap(({ thread }) => [answer(), started(thread), told(thread)]);
  const OTHER = { thread: 62, callId: 'other' };
  const OWN = { thread: 63, callId: CALL };
  test.each<[string, readonly Child[], readonly Logged[], number | undefined]>([
    ['a child', [OTHER, OWN], [started(62), started(63)], 63],
    ['a child that the log does not tell of yet', [OTHER, OWN], [started(62)], 63],
    ['none', [OTHER], [started(62)], undefined],
  ])('those since its last answer alone are looked into: %s', (_name, children, since, thread) => {
    const it = stored([...earlier, ...children], [...log, answer(), ...since], 3);
    expect(childOfCall({ thread: PARENT, callId: CALL }, it)).toEqual({
      ok: true,
      value: thread && { threadId: idOf(thread), directive: `d${thread}` },
    });
    expect(it.read.filter((one) => one < 62)).toEqual([]);
  });

  test('all of the first answer are looked into', () => {
    const calls = earlier.map(({ thread }) => ({ thread, callId: `call ${thread}` }));
    const it = stored(calls, [answer(), ...calls.map(({ thread }) => started(thread))], 3);
    expect(childOfCall({ thread: PARENT, callId: 'call 2' }, it)).toMatchObject({ value: { threadId: idOf(2) } });
  });
});

test('A log that can not be read is the answer', () => {
  const { reader } = stored([FIRST], [], 1);
  const logPage = () => [{ first: 1, lines: `${idOf(2)}\n` }];
  expect(childOfCall({ thread: PARENT, callId: CALL }, { reader: { ...reader, logPage } })).toMatchObject({
    ok: false,
    failure: { code: 'store_corrupt' },
  });
});
