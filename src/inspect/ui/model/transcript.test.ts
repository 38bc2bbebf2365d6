import { describe, expect, test } from 'vitest';
import { logEvent as event } from '../fixtures/log-event.ts';
import { emptyTranscript, isGap, withEvents, withOlder, withWords } from './transcript.ts';
import { createEntries, entryAt, transcriptEntries } from './transcript-entries.ts';

const delta = (text: string, sequence?: number) => event(sequence, 'cognition_out_delta', { text });

describe('The log of the open thread', () => {
  test('grows by what is new, in order', () => {
    const once = withEvents(emptyTranscript('t'), [event(1, 'thread_started'), event(2, 'cognition_in')]);
    const again = withEvents(once, [event(2, 'cognition_in'), event(3, 'cognition_out')]);
    expect(again.events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(again.last).toBe(3);
  });

  test.each([
    [
      'goes on with what follows',
      [
        { from: 0, text: 'Hel' },
        { from: 3, text: 'lo' },
      ],
      'Hello',
    ],
    [
      'begins again with another one',
      [
        { from: 0, text: 'Hel' },
        { from: 0, text: 'No' },
      ],
      'No',
    ],
    [
      'passes over what follows something else',
      [
        { from: 0, text: 'Hel' },
        { from: 9, text: 'lo' },
      ],
      'Hel',
    ],
  ])('streams an answer until it is there, which %s', (_, words, text) => {
    const half = words.reduce(withWords, emptyTranscript('t'));
    expect(half).toMatchObject({ streaming: text, events: [] });
    expect(withEvents(half, [event(2, 'cognition_out', { text })]).streaming).toBe('');
  });

  test.each([['cognition_out'], ['thread_suspended']])(
    'streams an answer whose words came before %s, which was the end of the answer before',
    (type) => {
      const begun = withWords(emptyTranscript('t'), { from: 0, text: 'Hel' });
      const later = withEvents(begun, [event(2, type), event(3, 'tool_call_start')]);
      expect(later.streaming).toBe('');
      expect(withWords(later, { from: 3, text: 'lo' }).streaming).toBe('Hello');
      expect(withWords(later, { from: 0, text: '' }).streaming).toBe('');
    },
  );

  test('has no pieces of answers in it, where a project stores them', () => {
    expect(withEvents(emptyTranscript('t'), [delta('lo', 1)])).toMatchObject({ streaming: '', events: [], last: 1 });
  });

  test('is completed at its beginning, without what is there', () => {
    const end = withEvents(emptyTranscript('t'), [event(5, 'cognition_out')]);
    const whole = withOlder(end, [event(3, 'thread_started'), delta('x', 4), event(5, 'cognition_out')], undefined);
    expect(whole.events.map(({ sequence }) => sequence)).toEqual([3, 5]);
  });

  test.each([
    [[event(4, 'usage')], false],
    [[event(undefined, 'warning'), event(6, 'usage')], true],
    [[event(undefined, 'warning')], false],
  ])('has a gap if numbers are missing', (events, gap) => {
    const start = withEvents(emptyTranscript('t'), [event(3, 'thread_started')]);
    expect(isGap(start, events)).toBe(gap);
  });
});

describe('The entries of a transcript', () => {
  test('fold a call and its result into one, where the call was', () => {
    const entries = transcriptEntries([
      event(1, 'tool_call_start', { tool: 'rye/file', call_id: 'a', input: { path: 'x' } }),
      event(2, 'tool_call_start', { tool: 'rye/slow', call_id: 'b', input: {} }),
      event(3, 'tool_call_result', { call_id: 'a', error: 'no such file', duration_ms: 12 }),
    ]);
    expect(entries).toMatchObject([
      { kind: 'tool', tool: 'rye/file', output: 'no such file', failed: true, durationMs: 12, sequence: 1, upTo: 3 },
      { kind: 'tool', tool: 'rye/slow', output: undefined, failed: false, sequence: 2, upTo: 2 },
    ]);
  });

  test('give each call its own result, where a server gives its id again', () => {
    const start = (sequence: number, tool: string) => event(sequence, 'tool_call_start', { tool, call_id: '0' });
    const log = [
      event(1, 'tool_call_result', { call_id: '0', output: 'of a call before' }),
      start(2, 'read'),
      event(3, 'tool_call_result', { call_id: '0', output: 'AAA' }),
      start(4, 'read'),
      event(5, 'tool_call_result', { call_id: '0', error: 'no such file' }),
      start(6, 'rm'),
    ];
    expect(transcriptEntries(log)).toMatchObject([
      { sequence: 2, upTo: 3, output: 'AAA', failed: false },
      { sequence: 4, upTo: 5, output: 'no such file', failed: true },
      { sequence: 6, upTo: 6, output: undefined, failed: false },
    ]);
  });

  test('have what tools gave in the thread that this one goes on from', () => {
    const tool_calls = [{ id: 'a', name: 'rye_file', input: { path: 'x' } }];
    const result = (sequence: number, output: string) =>
      event(sequence, 'tool_call_result', { call_id: 'a', output, duration_ms: 0, carried: true });
    const answer = event(2, 'cognition_out', { text: '', model: 'm', carried: true, tool_calls });
    expect(transcriptEntries([answer, result(3, 'AAA')])).toMatchObject([
      { kind: 'said', remark: 'taken over' },
      { kind: 'tool', tool: 'rye_file', output: 'AAA', failed: false, remark: 'taken over', sequence: 3, upTo: 3 },
    ]);
    // Before its answer was read, too.
    expect(transcriptEntries([result(3, 'AAA')])).toMatchObject([{ kind: 'tool', output: 'AAA' }]);
  });

  test('say which of their events are cut', () => {
    const start = event(1, 'tool_call_start', { tool: 'read', call_id: 'a' });
    const result = { ...event(2, 'tool_call_result', { call_id: 'a', output: 'x' }), cut: true } as const;
    const said = { ...event(3, 'cognition_out', { text: 'y' }), cut: true } as const;
    expect(transcriptEntries([start, result, said, event(4, 'warning')]).map(({ cut }) => cut)).toEqual([[2], [3], []]);
  });

  test('are the same as before where nothing has come to them', () => {
    const entriesOf = createEntries();
    const log = [event(1, 'cognition_out'), event(2, 'tool_call_start', { call_id: 'a' }), event(3, 'warning')];
    const before = entriesOf(log);
    const after = entriesOf([event(0, 'thread_started'), ...log, event(4, 'tool_call_result', { call_id: 'a' })]);
    expect(after.map((entry) => before.indexOf(entry))).toEqual([-1, 0, -1, 2]);
    expect(after[2]).toMatchObject({ sequence: 2, upTo: 4 });
  });

  test.each([
    ['cognition_in', { role: 'user', text: 'Count' }, { kind: 'said', by: 'user', label: 'User', text: 'Count' }],
    ['cognition_out', { text: 'One', model: 'm', is_partial: true }, { by: 'model', label: 'm', remark: 'broken off' }],
    ['thread_error', { error: { code: 'x', message: 'gone' } }, { kind: 'note', tone: 'bad', text: 'Failed: gone' }],
    ['child_thread_started', { child_directive: 'd', child_thread_id: 'c' }, { kind: 'note', thread: 'c' }],
    ['my_own_event', { a: 1 }, { kind: 'note', text: 'my own event {"a":1}' }],
    ['constructor', { cut: 1 }, { kind: 'note', text: 'constructor {"cut":1}', cut: [] }],
    ['cognition_in', { role: 'constructor', text: 'a' }, { kind: 'said', by: 'system', label: 'constructor' }],
  ])('show %s', (type, payload, entry) => {
    expect(transcriptEntries([event(1, type, payload)])).toMatchObject([entry]);
  });

  test.each([
    [2, 2],
    [3, 2],
    [5, 4],
    [9, 6],
    [1, 2],
  ])('have event %i in that of %i', (sequence, found) => {
    const entries = transcriptEntries([
      event(2, 'tool_call_start', { call_id: 'a' }),
      event(4, 'cognition_out'),
      event(3, 'tool_call_result', { call_id: 'a' }),
      event(5, 'usage'),
      event(6, 'warning'),
    ]);
    expect(entryAt(entries, sequence)?.sequence).toBe(found);
  });

  test('leave out what is told elsewhere', () => {
    expect(transcriptEntries([event(1, 'usage'), event(2, 'checkpoint_saved'), delta('x', 3)])).toEqual([]);
  });
});
