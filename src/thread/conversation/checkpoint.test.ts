import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { checkpointState, parseCheckpoint, type Checkpoint } from './checkpoint.ts';

const count = fc.nat();
const text = fc.string({ unit: 'binary' });
const COST = { turns: 1, input_tokens: 2, output_tokens: 3, spend: 0 };

/** All that a checkpoint may have: a field of its schema that is not here is an error of types. */
const anything = fc.record<Omit<Required<Checkpoint>, 'v' | 'assembly'>>({
  turns: count,
  inputTokens: count,
  outputTokens: count,
  spend: fc.maxSafeNat(),
  cacheReadTokens: count,
  cacheWriteTokens: count,
  spawned: count,
  contextTokens: count,
  reminded: fc.boolean(),
  compacted: fc.boolean(),
  returnHeard: fc.boolean(),
  returnedAt: count,
  firstTurn: count,
  steppedAt: count,
  limits: fc.record({
    turns: count,
    tokens: count,
    spend: fc.maxSafeNat(),
    spawns: count,
    depth: count,
    durationSeconds: fc.double({ min: 0, max: 1e22, noNaN: true }),
  }),
  ranMs: count,
  inbox: fc.array(text, { maxLength: 2 }),
  heldEnd: fc.option(fc.record({ type: fc.constant('CANCEL' as const), reason: text }), { nil: undefined }),
  outputs: fc.option(fc.dictionary(text, fc.jsonValue(), { maxKeys: 2 }), { nil: undefined }),
  childNews: fc.option(
    fc.array(
      fc.oneof(
        fc.record({ childId: fc.constant('thread-2' as const), directive: text, hookDepth: count }),
        fc.record({ childId: fc.constant('thread-3' as const), status: text, cost: fc.constant(COST) }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    { nil: undefined },
  ),
  unheardCalls: fc.option(
    fc.uniqueArray(fc.record({ id: text, tool: text }), { selector: ({ id }) => id, minLength: 1, maxLength: 2 }),
    { nil: undefined },
  ),
});

/** What is said in a checkpoint only if it is so. */
const SAID_IF_SO: ReadonlySet<string> = new Set<keyof Checkpoint>([
  'cacheReadTokens',
  'cacheWriteTokens',
  'compacted',
  'returnHeard',
  'returnedAt',
  'firstTurn',
]);

describe('A checkpoint', () => {
  test('has the bytes that JSON would give it, with all that it may have', () => {
    const { thread } = createThreadBench();
    fc.assert(
      fc.property(anything, ({ ranMs, ...state }) => {
        const { inbox, heldEnd, outputs, childNews, unheardCalls, ...counters } = state;
        const calls = unheardCalls && new Map(unheardCalls.map(({ id, tool }) => [id, { tool }]));
        const news = childNews && new Set(childNews);
        Object.assign(thread, state, { startedAt: 1_000, childNews: news, unheardCalls: calls });
        const written = checkpointState(thread, 1_000 + ranMs);
        const all = { v: 1, ...counters, ranMs, inbox, heldEnd, outputs, childNews, unheardCalls };
        const isSaid = (name: string, value: unknown): boolean =>
          name === 'steppedAt' ? Number(value) < state.turns : Boolean(value) || !SAID_IF_SO.has(name);
        const said = Object.entries(all).filter(([name, value]) => isSaid(name, value));
        expect(written).toBe(JSON.stringify(Object.fromEntries(said)));
        const parsed = parseCheckpoint(written);
        expect(parsed).toMatchObject({ turns: state.turns, limits: state.limits, ranMs });
        expect(parsed.childNews).toEqual(childNews);
      }),
    );
  });

  test('gives back the counters, the limits and what was not yet delivered', () => {
    const { thread } = createThreadBench();
    const counters = {
      turns: 3,
      inputTokens: 1200,
      outputTokens: 34,
      spend: 567_890,
      spawned: 2,
      contextTokens: 1500,
      reminded: true,
    };
    Object.assign(thread, counters);
    thread.limits = { turns: 9, tokens: 10, spend: 11, spawns: 12, depth: 13, durationSeconds: 14.5 };
    thread.inbox.push('one', 'two\n"three"');
    expect(parseCheckpoint(checkpointState(thread, 0))).toMatchObject({
      ...counters,
      limits: thread.limits,
      inbox: ['one', 'two\n"three"'],
    });
  });

  test('of an earlier build has of calls that were not heard to the end their ids alone', () => {
    const { thread } = createThreadBench();
    const state: unknown = JSON.parse(checkpointState(thread, 0));
    const { unheardCalls } = parseCheckpoint(JSON.stringify({ ...(state as object), unheardCalls: ['call-1'] }));
    expect(unheardCalls).toEqual([{ id: 'call-1', tool: undefined }]);
  });

  test('counts the time the thread has run', () => {
    const { thread } = createThreadBench();
    thread.startedAt = 1_000;
    expect(parseCheckpoint(checkpointState(thread, 61_500)).ranMs).toBe(60_500);
  });

  test('of a thread that has done nothing is one, too', () => {
    const { thread } = createThreadBench();
    expect(parseCheckpoint(checkpointState(thread, 0))).toMatchObject({ turns: 0, inbox: [], ranMs: 0 });
  });

  test('does not grow with the conversation', () => {
    const { thread } = createThreadBench();
    const before = checkpointState(thread, 0).length;
    for (let turn = 0; turn < 1000; turn++) thread.messages.push({ role: 'user', text: 'x'.repeat(1000) });
    expect(checkpointState(thread, 0).length).toBe(before);
  });

  test.each([
    ['{}', 'nothing in it'],
    ['[]', 'a list'],
    ['null', 'null'],
    ['{"v":2}', 'another version'],
  ])('%s (%s) is a damaged store, not an empty thread', (state) => {
    expect(() => parseCheckpoint(state)).toThrowError(expect.objectContaining({ code: 'store_corrupt' }));
  });

  test('that is no JSON is a damaged store, too', () => {
    expect(() => parseCheckpoint('{"v":1,"tur')).toThrowError(expect.objectContaining({ code: 'store_corrupt' }));
  });

  test.each([
    ['turns', 'three'],
    ['spend', 0.5],
    ['limits', {}],
    ['inbox', [7]],
    ['ranMs', null],
    ['childNews', [{ childId: 'thread-2' }]],
  ])('whose %s is %j is damaged', (key, value) => {
    const { thread } = createThreadBench();
    const state: unknown = JSON.parse(checkpointState(thread, 0));
    const damaged = JSON.stringify({ ...(state as object), [key]: value });
    expect(() => parseCheckpoint(damaged)).toThrowError(expect.objectContaining({ code: 'store_corrupt' }));
  });
});
