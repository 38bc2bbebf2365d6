import { expect, test } from 'vitest';
import { createTiersBench, type TiersBench } from '../../../test/fixtures/tiers-bench.ts';
import { TIER_POLICIES, type TierEvent } from '../../core/assembly.ts';
import type { Message } from '../../core/conversation.ts';
import { LENGTH_COUNTER } from '../../providers/token-counter.ts';
import { addUserMessage } from '../conversation/conversation.ts';
import { callModel } from '../steps/model-call.ts';
import { replaceMiddle } from '../conversation/replace-middle.ts';
import { policyEvents } from './assembly-events.ts';
import { replaceIds } from './assembly-history.ts';
import { createSession, sessionState } from './assembly-session.ts';
import { layOutRequest } from './lay-out-request.ts';

const FILES = { 'src/a.ts': 'export const a = 1;' };
const MINUTE = 60_000;

/** An answer with so many calls, and their results. */
function exchange(id: string, calls: number): Message[] {
  const toolCalls = Array.from({ length: calls }, (_, at) => ({ id: `${id}-${at}`, name: 'read', input: {} }));
  const results = toolCalls.map((call) => ({ role: 'tool', callId: call.id, text: call.id, isError: false }) as const);
  return [{ role: 'assistant', text: 'I look.', toolCalls }, ...results];
}

/** A conversation that is long enough to be cached. */
function begin(bench: TiersBench): void {
  addUserMessage(bench, 'the task '.repeat(1000));
  layOutRequest(bench, '');
}

/** What a policy would be told with the next turn. */
function nextEvents({ thread, session, clock }: TiersBench): TierEvent['kind'][] {
  thread.turns++;
  const shown = { items: [], texts: new Map<string, string>() };
  return policyEvents(thread, session, { ...shown, now: clock.now() }).map(({ kind }) => kind);
}

test.each<[string, (bench: TiersBench) => void]>([
  [
    'another model, which the thread has fallen back to',
    ({ thread }) => {
      const model = { ...thread.plan.model, reference: 'anthropic:other' };
      thread.plan = { ...thread.plan, model };
    },
  ],
  ['the same model, after it has failed for longer than a cache lasts', ({ clock }) => clock.advance(6 * MINUTE)],
])('What was sent is in the cache of the one who has answered: %s', async (_, meanwhile) => {
  using bench = await createTiersBench({ files: FILES });
  begin(bench);
  callModel(bench.thread, bench.services, { type: 'RESERVED' });
  meanwhile(bench);
  callModel(bench.thread, bench.services, { type: 'RETRY' });
  expect(bench.requests).toHaveLength(2);
  expect(nextEvents(bench)).toEqual(['turn_ended']);
});

test('A request that is in no cache any longer is told to be so', async () => {
  using bench = await createTiersBench({ files: FILES });
  begin(bench);
  callModel(bench.thread, bench.services, { type: 'RESERVED' });
  bench.clock.advance(6 * MINUTE);
  expect(nextEvents(bench)).toEqual(['turn_ended', 'cache_cold']);
});

test('Each text of a request is counted once, and a block of symbols also for the cut of their map', async () => {
  using bench = await createTiersBench({ files: FILES });
  const counted: string[] = [];
  const { model } = bench.thread.plan;
  const count = (text: string): number => counted.push(text);
  bench.thread.plan = { ...bench.thread.plan, model: { ...model, counter: { ...model.counter, count } } };
  bench.thread.messages.push({ role: 'user', text: 'the task' }, ...exchange('one', 1), { role: 'user', text: 'more' });
  layOutRequest(bench, 'the review');
  expect(counted).toEqual(expect.arrayContaining(['the review', 'more']));
  const again = counted.filter((text, at) => text !== '' && counted.indexOf(text) !== at);
  expect(again).toEqual([bench.services.assembly.symbols.index().block('src/a.ts')]);
});

test.each(TIER_POLICIES)('Of %s, what another model counts is counted anew by its counter', async (policy) => {
  const sizes = await Promise.all(
    [true, false].map(async (wasLaidOut) => {
      using bench = await createTiersBench({ files: FILES, policy });
      const { thread, services } = bench;
      thread.messages.push({ role: 'user', text: 'the task' }, ...exchange('one', 1), { role: 'user', text: 'more' });
      if (wasLaidOut) layOutRequest(bench, '');
      const { model } = thread.plan;
      const count = (text: string): number => 2 * model.counter.count(text);
      thread.plan = { ...thread.plan, model: { ...model, counter: { ...model.counter, count } } };
      if (!wasLaidOut) thread.assembly = createSession(thread, services);
      layOutRequest(bench, '');
      return thread.addedTokens;
    }),
  );
  expect(sizes[0]).toBe(sizes[1]);
});

test.each([
  ['that is to be answered', []],
  ['of the history', exchange('other', 1)],
])('What a provider wants back with an answer %s is counted', async (_, then) => {
  const parts = [{ type: 'thinking', thinking: 'hm '.repeat(1000), signature: 's' }];
  const sizes = await Promise.all(
    [undefined, { provider: 'anthropic/messages', parts }].map(async (carry) => {
      using bench = await createTiersBench({ files: FILES });
      const { thread } = bench;
      const [answer, ...results] = exchange('one', 1);
      thread.messages.push({ role: 'user', text: 'the task' }, { ...answer, carry } as Message, ...results, ...then);
      layOutRequest(bench, '');
      return thread.contextTokens;
    }),
  );
  const [without = 0, having = 0] = sizes;
  expect(having - without).toBeGreaterThanOrEqual(LENGTH_COUNTER.count(JSON.stringify(parts)));
});

test('A log has a mark on the results that are to be answered', async () => {
  using bench = await createTiersBench({ files: FILES, policy: 'append-only' });
  begin(bench);
  bench.thread.turns++;
  bench.thread.messages.push(...exchange('one', 2));
  layOutRequest(bench, '');
  const { messages = [], cacheMarks = [] } = bench.session.request ?? {};
  expect(cacheMarks.at(-1)).toBe(messages.length - 1);
});

test.each<[string, boolean, ((state: object) => object) | undefined]>([
  ['is found after ten calls', true, undefined],
  ['is found after ten calls, by a session that was read back', true, (state) => state],
  [
    'is not looked for if the checkpoint is of a release that knew no places',
    false,
    (state) => ({ ...state, kept: undefined }),
  ],
])('What was kept of a request %s', async (_, isMarked, readBack) => {
  using bench = await createTiersBench({ files: FILES });
  const { thread, services, session } = bench;
  begin(bench);
  thread.turns++;
  thread.messages.push(...exchange('one', 1));
  layOutRequest(bench, '');
  const before = session.request?.cacheMarks.at(-1);
  thread.turns++;
  thread.messages.push(...exchange('other', 10));
  const stored = readBack?.(JSON.parse(JSON.stringify(sessionState(session))) as object);
  if (stored) thread.assembly = createSession(thread, services, { lines: thread.lines, stored });
  layOutRequest(bench, '');
  const { cacheMarks = [], messages = [] } = thread.assembly?.request ?? {};
  expect(cacheMarks.at(-1)).toBe(messages.length - 1);
  expect(cacheMarks.includes(before ?? 'system')).toBe(isMarked);
});

test('What was kept of a request is not looked for where a summary has moved it, by a session that was read back', async () => {
  using bench = await createTiersBench({ files: FILES });
  const { thread, services, session } = bench;
  begin(bench);
  thread.messages.push(...['one', 'two', 'three'].flatMap((id) => exchange(id, 1)));
  layOutRequest(bench, '');
  const stored = JSON.parse(JSON.stringify(sessionState(session))) as object;
  const next = createSession(thread, services, { lines: thread.lines, stored });
  if (!next) throw new Error('A prompt in tiers has a session');
  thread.assembly = next;
  replaceIds(next, 2);
  replaceMiddle(thread.messages, { summary: 'It has looked.', replaced: 2 });
  thread.messages.push(...exchange('four', 20));
  layOutRequest(bench, '');
  // The end of the history, and that of all.
  expect(next.request).toMatchObject({ cacheMarks: [5, 30], kept: [5, 30] });
  expect(next.kept?.kept).toEqual([5, 30]);
});
