import { describe, expect, test } from 'vitest';
import { createThreadBench, type ThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { Message } from '../../core/conversation.ts';
import { estimateMessageTokens } from '../../providers/pricing.ts';
import { addUserMessage, type InWorker } from './conversation.ts';
import { rebuildHistory } from './history.ts';
import type { Inheritance } from './inheritance.ts';
import type { ThreadPlan } from '../plan/plan.ts';
import { takeOver } from './take-over.ts';

const FROM = 'thread-0';
const user = (text: string): Message => ({ role: 'user', text });
const FIRST = user('the task');
const EXCHANGE: readonly Message[] = [
  { role: 'assistant', text: 'I look', toolCalls: [{ id: 'a', name: 'look', input: { at: 1 } }] },
  { role: 'tool', callId: 'a', text: 'nothing there', isError: true },
];
const CARRY = { provider: 'claude/messages', parts: [{ type: 'thinking', thinking: 'hm', signature: 's' }] };
const ANSWER: Message = { role: 'assistant', text: 'done', toolCalls: [] };

/** A successor that has its first message, and a window of so many tokens. */
function successor(messages: readonly Message[], contextWindow: number, more: Partial<Inheritance> = {}): ThreadBench {
  const bench = createThreadBench();
  const { model } = bench.thread.plan;
  // A bench has of a plan what is looked at.
  const plan = {
    ...bench.thread.plan,
    directive: { id: 'demo/task' },
    model: { ...model, contextWindow },
  } as ThreadPlan;
  const thread = Object.assign(bench.thread, { plan });
  thread.inherited = {
    from: FROM,
    messages: [FIRST, ...messages],
    tokens: 0,
    context: [],
    isHandedOver: true,
    ...more,
  };
  addUserMessage({ thread, services: bench.services }, FIRST.text);
  return bench;
}

/** The same with another `resume_ceiling_tokens`. */
function below(resumeCeilingTokens: number, { services, ...bench }: ThreadBench): ThreadBench {
  const { resilience } = services.config;
  const continuation = { ...resilience.continuation, resumeCeilingTokens };
  return {
    ...bench,
    services: { ...services, config: { ...services.config, resilience: { ...resilience, continuation } } },
  };
}

function takenOver(bench: ThreadBench): readonly Message[] {
  const worker: InWorker = bench;
  takeOver(worker);
  return bench.thread.messages;
}

describe('A successor', () => {
  test('goes on with the conversation, and its log alone is enough to read it back', () => {
    const bench = successor(EXCHANGE, 10_000);
    expect(takenOver(bench)).toEqual([FIRST, ...EXCHANGE]);
    const { messages, openCalls } = rebuildHistory(bench.thread.lines);
    expect([messages, openCalls]).toEqual([[FIRST, ...EXCHANGE], []]);
    expect(bench.thread).toMatchObject({ inherited: undefined, checkpointDue: true });
  });

  test('has what its provider wants back with an answer of before', () => {
    const [answer, ...results] = EXCHANGE;
    const exchange = [{ ...answer, carry: CARRY } as Message, ...results];
    const bench = successor(exchange, 10_000);
    takenOver(bench);
    expect(rebuildHistory(bench.thread.lines).messages).toEqual([FIRST, ...exchange]);
  });

  test('starts no call again: what it carries is marked, and has no start', () => {
    const bench = successor(EXCHANGE, 10_000);
    takenOver(bench);
    const events = bench.events();
    expect(events.map(({ event_type }) => event_type)).toEqual(['cognition_in', 'cognition_out', 'tool_call_result']);
    for (const { payload } of events.slice(1)) expect(payload).toMatchObject({ carried: true });
  });

  test('knows how much it carries', () => {
    const bench = successor(EXCHANGE, 10_000);
    const before = bench.thread.contextTokens;
    takenOver(bench);
    const carried = EXCHANGE.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    expect(bench.thread.contextTokens).toBe(before + carried);
  });

  test('is told what is left out, by whom it can be read, and is at most half full', () => {
    const long = Array.from({ length: 20 }, (): readonly Message[] => [
      { role: 'assistant', text: 'x'.repeat(300), toolCalls: [] },
      user('go on'),
    ]).flat();
    const bench = successor(long, 2_000);
    const messages = takenOver(bench);
    expect(messages[1]?.text).toContain(`which thread ${FROM} has`);
    expect(messages.length).toBeGreaterThan(4);
    expect(messages.length).toBeLessThan(long.length);
    // The note itself is not counted.
    expect(bench.thread.contextTokens).toBeLessThan(1_000 + estimateMessageTokens(messages[1] ?? FIRST));
  });

  test('carries half as much where its provider counts twice what is estimated, and no more where it counts less', () => {
    const long = Array.from({ length: 40 }, (_, at): readonly Message[] => [
      { role: 'assistant', text: `${at}`.repeat(100), toolCalls: [] },
      user('go on'),
    ]).flat();
    const estimated = [FIRST, ...long].reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    const carried = (tokens: number): number => takenOver(successor(long, 4_000, { tokens })).length;
    expect(carried(2 * estimated)).toBeLessThan(carried(estimated) * 0.6);
    // An estimate from above is not believed to be too high.
    expect(carried(estimated / 2)).toBe(carried(estimated));
  });

  const TALK = Array.from({ length: 10 }, (_, at): readonly Message[] => [
    { role: 'assistant', text: `answer ${at}`, toolCalls: [] },
    user('go on'),
  ]).flat();
  const TALKED = TALK.reduce((sum, message) => sum + estimateMessageTokens(message), 0);

  test.each([
    ['all of it where that is the ceiling', TALKED, TALK],
    ['all of it below the ceiling', TALKED + 1, TALK],
    ['all but the first exchange where that is a token too much', TALKED - 1, TALK.slice(2)],
    ['nothing but a note below a ceiling of 0', 0, []],
  ])('of a thread that handed over is told %s', (_, ceiling, expected) => {
    const [first, ...told] = takenOver(below(ceiling, successor(TALK, 100_000)));
    expect(first).toEqual(FIRST);
    expect(told.slice(expected === TALK ? 0 : 1)).toEqual(expected);
  });

  test('of a thread that had ended is told all of it, whatever the ceiling', () => {
    expect(takenOver(below(0, successor(TALK, 100_000, { isHandedOver: false })))).toEqual([FIRST, ...TALK]);
  });

  test('of a thread that had ended carries more than one of a thread that handed over', () => {
    const long = Array.from({ length: 40 }, (): Message => ({
      role: 'assistant',
      text: 'x'.repeat(200),
      toolCalls: [],
    }));
    const carried = (isHandedOver: boolean): number => takenOver(successor(long, 4_000, { isHandedOver })).length;
    expect(carried(false)).toBeGreaterThan(carried(true));
  });

  test.each<[string, readonly Message[], readonly string[], string | undefined]>([
    ['is asked to go on if the last word was the model’s', [ANSWER], [], 'Go on from here.'],
    ['is not asked if somebody has said something since', [ANSWER], ['and now?'], undefined],
    ['is not asked if results wait for an answer', EXCHANGE, [], undefined],
  ])('%s', (_, messages, inbox, expected) => {
    const bench = successor(messages, 10_000);
    bench.thread.inbox.push(...inbox);
    const last = takenOver(bench).at(-1);
    expect(last).toEqual(expected === undefined ? messages.at(-1) : user(expected));
  });

  test('of nobody has nothing to take over', () => {
    const bench = successor([], 10_000);
    bench.thread.inherited = undefined;
    expect(takenOver(bench)).toEqual([FIRST]);
    expect(bench.thread.checkpointDue).toBe(false);
  });
});
