import { expect, test } from 'vitest';
import type { ThreadMachineEvent } from '../../../machines/thread.machine.ts';
import { createTiersBench, type TiersBench } from '../../../test/fixtures/tiers-bench.ts';
import type { Message } from '../../core/conversation.ts';
import { contextTooLong, decideFullContext } from '../conversation/context-pressure.ts';
import { addUserMessage } from '../conversation/conversation.ts';
import type { Inheritance } from '../conversation/inheritance.ts';
import { takeOver } from '../conversation/take-over.ts';
import { createSession, sessionState } from './assembly-session.ts';
import { layOutRequest } from './lay-out-request.ts';

const WINDOW = 10_000;
/** A quarter of the window and more, as a map. */
const SOURCES = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `src/f${at}.ts`,
    Array.from(
      { length: 6 },
      (_name, one) => `export function name${at}_${one}(key: string): string { return key; }`,
    ).join('\n'),
  ]),
);
/** Some 1,300 tokens each. */
const FILES = { 'a.txt': 'many words\n'.repeat(400), 'b.txt': 'many words\n'.repeat(400) };

/** A thread that goes on with what another one has shown: both files. */
async function successor(isHandedOver: boolean, more: Partial<Inheritance> = {}): Promise<TiersBench> {
  const bench = await createTiersBench({ files: { ...SOURCES, ...FILES }, contextWindow: WINDOW });
  addUserMessage(bench, 'the task');
  const context = [{ selected: Object.keys(FILES) }];
  bench.thread.inherited = { from: 'thread-0', messages: [], context, tokens: 0, isHandedOver, ...more };
  takeOver(bench);
  return bench;
}

const droppedBy = (bench: TiersBench): readonly (readonly string[] | undefined)[] =>
  bench
    .events()
    .flatMap(({ event_type: type, payload }) =>
      type === 'context_changed' && 'dropped' in payload ? [payload.dropped] : [],
    );

test('A successor drops files, the one selected first before the others, until its first request is half of the window', async () => {
  using bench = await successor(true);
  expect(bench.session.files.selected()).toEqual(Object.keys(FILES));
  layOutRequest(bench, '');
  expect(droppedBy(bench)).toEqual([['a.txt']]);
  expect(bench.session.files.selected()).toEqual(['b.txt']);
  expect(bench.thread.contextTokens).toBeLessThanOrEqual(WINDOW / 2);
  bench.session.files.select('a.txt');
  layOutRequest(bench, '');
  expect(bench.session.files.selected()).toEqual(['b.txt', 'a.txt']);
});

test('A successor carries a conversation that has room, however much stood beside it in the prompt before', async () => {
  const said = Array.from({ length: 10 }, (_, at): readonly Message[] => [
    { role: 'assistant', text: `answer ${at}`, toolCalls: [] },
    { role: 'user', text: 'go on' },
  ]).flat();
  const messages: readonly Message[] = [{ role: 'user', text: 'the task' }, ...said];
  using bench = await successor(true, { messages, tokens: 0.9 * WINDOW });
  expect(bench.thread.messages).toEqual(messages);
});

const LONG: readonly Message[] = [
  { role: 'user', text: 'the task' },
  ...Array.from({ length: 60 }, (_, at): readonly Message[] => [
    { role: 'assistant', text: `answer ${at} ${'of some words '.repeat(20)}`, toolCalls: [] },
    { role: 'user', text: 'go on' },
  ]).flat(),
];

test('A successor whose conversation is long carries what leaves room for the map of its project', async () => {
  using bench = await successor(true, { messages: LONG, tokens: 0.9 * WINDOW });
  expect(bench.thread.messages.length).toBeGreaterThan(10);
  expect(bench.thread.messages.length).toBeLessThan(LONG.length);
  layOutRequest(bench, '');
  expect(bench.session.parts?.['the map of symbols']).toBeGreaterThan(0.1 * WINDOW);
  // The note about what is left out comes on top.
  expect(bench.thread.contextTokens).toBeLessThanOrEqual(0.51 * WINDOW);
});

test('A successor whose project nobody has read yet leaves what its map and its list may take', async () => {
  using bench = await createTiersBench({ files: {}, contextWindow: WINDOW });
  addUserMessage(bench, 'the task');
  bench.thread.inherited = { from: 'thread-0', messages: LONG, context: [], tokens: 9_000, isHandedOver: true };
  takeOver(bench);
  expect(bench.thread.messages.length).toBeGreaterThan(10);
  expect(bench.thread.contextTokens).toBeLessThanOrEqual(0.21 * WINDOW);
});

test('A thread that goes on with one that has ended drops nothing below the threshold of pressure', async () => {
  using bench = await successor(false);
  layOutRequest(bench, '');
  expect(droppedBy(bench)).toEqual([]);
  expect(bench.thread.contextTokens).toBeGreaterThan(WINDOW / 2);
});

test('A successor that is read back before its first request drops them as well', async () => {
  using bench = await successor(true);
  const stored: unknown = JSON.parse(JSON.stringify(sessionState(bench.session)));
  bench.thread.assembly = createSession(bench.thread, bench.services, { lines: bench.thread.lines, stored });
  layOutRequest(bench, '');
  expect(bench.thread.assembly?.files.selected()).toEqual(['b.txt']);
});

const FULL = {
  code: 'context_window_exceeded',
  message: expect.stringMatching(/^The prompt \(the system prompt and the tools \d+, the map of symbols \d+, /),
};

test.each([
  ['has never had room ends, and says what takes it', 3 * WINDOW, false, { type: 'FAIL', failure: FULL }],
  ['has had room hands over', 0, false, { type: 'SUCCESSOR_NEEDED' }],
  ['was begun by a release that did not remember that hands over', 3 * WINDOW, true, { type: 'SUCCESSOR_NEEDED' }],
])('A full thread that %s', async (_, length, isOlder, event) => {
  using bench = await successor(true);
  const { thread, services } = bench;
  thread.system = 'x'.repeat(length);
  const { hadRoom: _hadRoom, ...stored } = sessionState(bench.session);
  if (isOlder) thread.assembly = createSession(thread, services, { stored });
  layOutRequest(bench, '');
  thread.turns++;
  thread.contextTokens = 0.95 * WINDOW;
  const sent: ThreadMachineEvent[] = [];
  thread.send = (one) => void sent.push(one);
  decideFullContext(thread, services, { type: 'CONTEXT_FULL' });
  expect(sent).toMatchObject([event]);
});

test('The map and the list of files take no more than their shares of the window, and say that they are cut', async () => {
  using bench = await createTiersBench({
    files: { ...SOURCES, 'root.ts': 'export const root = 1;' },
    contextWindow: 2_000,
  });
  addUserMessage(bench, 'the task');
  layOutRequest(bench, '');
  const { request, parts = {} } = bench.session;
  const shown = [request?.system, ...(request?.messages ?? []).map(({ text }) => text)].join('\n');
  expect(parts['the map of symbols']).toBeLessThanOrEqual(500);
  expect(parts['the list of files']).toBeLessThanOrEqual(110);
  expect(shown).toContain('This map is cut');
  expect(shown).toMatch(/\(\d+ files; there are more\)\n\n.*root\.ts/s);
  expect(shown).toContain('root.ts:');
});

test('A list that is cut stays as it is when there is one more file that it has not', async () => {
  using bench = await createTiersBench({ files: SOURCES, contextWindow: 2_000 });
  addUserMessage(bench, 'the task');
  layOutRequest(bench, '');
  const before = bench.session.request;
  bench.write({ 'src/deep/down/below/f99.txt': 'new' });
  await bench.services.assembly.symbols.refresh();
  layOutRequest(bench, '');
  expect(bench.session.request).toMatchObject({ system: before?.system, messages: before?.messages });
});

test.each([
  ['as it is', (bench: TiersBench) => bench.session],
  [
    'once its thread is read back',
    ({ thread, services, session }: TiersBench) => {
      const stored: unknown = JSON.parse(JSON.stringify(sessionState(session)));
      return createSession(thread, services, { lines: thread.lines, stored });
    },
  ],
])('A project that is cut shows what it has shown where a file nearer to the root is new: %s', async (_, read) => {
  using bench = await createTiersBench({ files: SOURCES, contextWindow: 2_000 });
  addUserMessage(bench, 'the task');
  layOutRequest(bench, '');
  const { system, messages } = bench.session.request ?? {};
  bench.write({ [`${'new'.repeat(50)}.ts`]: SOURCES['src/f0.ts'] ?? '' });
  await bench.services.assembly.symbols.refresh();
  bench.thread.assembly = read(bench);
  layOutRequest(bench, '');
  expect(bench.thread.assembly?.request).toMatchObject({ system, messages });
});

test('A prompt that does not fit is said to consist of its parts: what came since it was laid out is conversation', async () => {
  using bench = await createTiersBench({ files: SOURCES });
  addUserMessage(bench, 'the task');
  layOutRequest(bench, '');
  const before = bench.thread.contextTokens;
  bench.thread.contextTokens += 500_000;
  const { message } = contextTooLong(bench.thread);
  expect(message).toMatch(
    /^The prompt \(the conversation 50\d{4}, the map of symbols \d+, .*\) takes about \d+ tokens/,
  );
  const said = [...message.matchAll(/[a-z] (\d+)[,)]/g)].reduce((sum, [, tokens]) => sum + Number(tokens), 0);
  expect(said).toBe(before + 500_000);
});
