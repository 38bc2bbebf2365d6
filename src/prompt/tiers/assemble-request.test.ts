import { expect, test } from 'vitest';
import type { HistoryMessage } from '../../core/assembly.ts';
import type { ContentPart, MediaPart } from '../../core/content-part.ts';
import type { Message } from '../../core/conversation.ts';
import { createGatherer } from './assemble-gather.ts';
import { assembleTieredMessages, type ChatMessage } from './assemble-messages.ts';
import { assembleRequest } from './assemble-request.ts';
import { placed, sourcesOf } from './fixtures/session.ts';

const image: MediaPart = { kind: 'image', value: 'iVBORw0KGgo'.padEnd(400_000, 'A') };
const text = (value: string): ContentPart => ({ kind: 'text', value });

test.each<[string, readonly ContentPart[], string | undefined, readonly ContentPart[]]>([
  ['after its text', [text('Look.'), image], undefined, [text('Look.'), image]],
  [
    'with the reminder at the end of its text',
    [text('Look.'), image],
    'Be exact.',
    [text('Look.\n\nBe exact.'), image],
  ],
  ['between texts', [text('One.'), image, text('Two.')], 'Be exact.', [text('One.'), image, text('Two.\n\nBe exact.')]],
  ['alone', [image], 'Be exact.', [image, text('Be exact.')]],
])('a prompt shows its image %s', (_title, userParts, systemReminder, parts) => {
  const userPrompt = userParts.flatMap((part) => (part.kind === 'text' ? [part.value] : [])).join('');
  const reminder = systemReminder === undefined ? {} : { systemReminder };
  const { messages } = assembleRequest({ systemPrompt: 's', tieredContent: {}, userPrompt, userParts, ...reminder });
  const said = parts.flatMap((part) => (part.kind === 'text' ? [part.value] : [])).join('');
  expect(messages).toEqual([{ role: 'user', text: said, parts }]);
});

test.each<[string, readonly ContentPart[], string | undefined, readonly Message[]]>([
  ['an image', [image], undefined, [{ role: 'user', text: '', parts: [image] }]],
  [
    'an image, with the reminder',
    [image],
    'Be exact.',
    [{ role: 'user', text: 'Be exact.', parts: [image, text('Be exact.')] }],
  ],
  [
    'the texts among its parts',
    [text('One.'), image, text('Two.')],
    'Be exact.',
    [{ role: 'user', text: 'One.Two.\n\nBe exact.', parts: [text('One.'), image, text('Two.\n\nBe exact.')] }],
  ],
  ['nothing where there are no parts', [], 'Be exact.', []],
])('a prompt of parts alone shows %s', (_title, userParts, systemReminder, expected) => {
  const reminder = systemReminder === undefined ? {} : { systemReminder };
  const { messages } = assembleRequest({ systemPrompt: 's', tieredContent: {}, userParts, ...reminder });
  expect(messages).toEqual(expected);
});

test('a prompt whose parts are none is its text', () => {
  const said = { userPrompt: 'Look.', userParts: [], systemReminder: 'Be exact.' };
  const { messages } = assembleRequest({ systemPrompt: 's', tieredContent: {}, ...said });
  expect(messages).toEqual([{ role: 'user', text: 'Look.\n\nBe exact.' }]);
});

test('an image in the history is sent with its message, and counted as what it is', () => {
  const message: HistoryMessage = { id: 'm0', index: 0, role: 'user', text: 'Look.', parts: [text('Look.'), image] };
  const plain: HistoryMessage = { id: 'm0', index: 0, role: 'user', text: 'Look.' };
  const counter = { count: (counted: string): number => counted.length, countMedia: () => 5000 };
  const sizeOf = (one: HistoryMessage): number | undefined => {
    const sources = sourcesOf({ files: new Map(), selected: new Set(), history: [one] });
    return createGatherer({ counter }).items(sources)[0]?.tokens;
  };
  expect(sizeOf(message)).toBe((sizeOf(plain) ?? Number.NaN) + 5000);
  const sources = sourcesOf({ files: new Map(), selected: new Set(), history: [message] });
  const gathered = createGatherer({ counter }).gather(placed({ L1: ['history:m0'] }), sources);
  const { messages } = assembleRequest({ systemPrompt: 's', ...gathered });
  expect(messages).toContainEqual(message);
});

const CACHE = { breakpoints: 4, minimumTokens: 1024 };

test.each([
  ['leaves images out', 'Look.', 0],
  ['takes a text once', 'x'.repeat(1900), 0],
  ['takes a long text for what it is', 'x'.repeat(4100), 2],
])('where nobody has counted, a mark in a history with images %s', (_title, said, marks) => {
  const message: Message = { role: 'user', text: said, parts: [text(said), image] };
  const history = { systemPrompt: 's', tieredContent: { L1: { history: [message] } }, activeHistory: [message] };
  const { cacheMarks } = assembleRequest({ ...history, marksTail: true, cacheLimits: CACHE });
  expect(cacheMarks).toHaveLength(marks);
});

test.each([
  ['messages alone', '', [2]],
  ['something beside messages', 'a.ts\n```\n```', []],
])('where a log takes messages in, what no tier holds has a mark if it is %s', (_title, activeFiles, marks) => {
  const said = [
    { role: 'user', text: 'x'.repeat(4100) },
    { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'read', input: {} }] },
    { role: 'tool', callId: 'c', text: 'read', isError: false },
  ] as const;
  const rest = { systemPrompt: 's', tieredContent: {}, activeHistory: said, activeFiles };
  expect(assembleRequest({ ...rest, marksTail: 'messages', cacheLimits: CACHE }).cacheMarks).toEqual(marks);
});

test.each<[string, Partial<Parameters<typeof assembleRequest>[0]>, number[]]>([
  ['the prompt, which ends with its reminder', { userPrompt: 'Look.', systemReminder: 'Be exact.' }, [1]],
  ['a prompt of parts', { userParts: [image] }, [1]],
  ['the end, if there is no prompt', {}, [1, 2]],
])('a place that was kept is looked for in front of %s', (_title, prompt, kept) => {
  const activeHistory: Message[] = [
    { role: 'user', text: 'one' },
    { role: 'assistant', text: 'two', toolCalls: [] },
    ...(Object.keys(prompt).length > 0 ? [] : [{ role: 'user', text: 'three' } as const]),
  ];
  const rest = { systemPrompt: '', tieredContent: {}, activeHistory, ...prompt };
  expect(assembleRequest({ ...rest, before: { kept: [1, 2] } }).kept).toEqual(kept);
});

test.each([
  ['leaves images out', 'Look.', 0],
  ['takes a long text for what it is', 'x'.repeat(4100), 1],
])('where nobody has counted, a mark in a history in the form of chat APIs %s', (_title, said, marks) => {
  const url = `data:image/png;base64,${image.value}`;
  const content = [
    { type: 'text', text: said },
    { type: 'image_url', image_url: { url } },
  ] as const;
  const history: ChatMessage[] = [{ role: 'user', content }];
  const messages = assembleTieredMessages({
    systemPrompt: 's',
    tieredContent: { L1: { history } },
    cacheLimits: CACHE,
  });
  expect(JSON.stringify(messages).split('cache_control')).toHaveLength(marks + 1);
});
