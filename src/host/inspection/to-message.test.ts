import { describe, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { actorNewsSchema, MAX_MESSAGE_BYTES, MAX_NEWS_BYTES, type ActorNews } from '../../core/inspection.ts';
import { createRedactor } from '../../core/redactor.ts';
import { definitionOf } from './definition.ts';
import { readNews } from './read-news.ts';
import { createToMessage } from './to-message.ts';

const SECRET = 'hunter2-hunter2';
const redactor = createRedactor([SECRET]);
const clean = (text: string): string => redactor.text(text);
const toMessage = createToMessage(clean);

const IDS = { sessionId: 'x:2', rootId: 'x:0', createdAt: '7' };
const ACTOR: Extract<ActorNews, { type: '@xstate.actor' }> = {
  type: '@xstate.actor',
  ...IDS,
  name: 'one',
  parentId: 'x:0',
  machine: 'thread',
  snapshot: { status: 'active', value: 'created' },
};
const EVENT: ActorNews = { type: '@xstate.event', ...IDS, sourceId: 'x:1', event: { type: 'START' } };

function last(status: 'done' | 'stopped', value: string): ActorNews {
  return { type: '@xstate.snapshot', ...IDS, event: { type: 'X' }, snapshot: { status, value } };
}

describe('A message for viewers', () => {
  test.each([
    ['actor', ACTOR, { sessionId: 'worker-3:x:2', rootId: 'worker-3:x:0', parentId: 'worker-3:x:0' }],
    ['event', EVENT, { sessionId: 'worker-3:x:2', rootId: 'worker-3:x:0', sourceId: 'worker-3:x:1' }],
  ])('of an %s has every id with its worker once, also if it is made twice', (_, news, ids) => {
    const before = structuredClone(news);
    const messages = [toMessage(news, 'worker-3'), toMessage(news, 'worker-3')];
    for (const { text } of messages) expect(JSON.parse(text)).toMatchObject({ ...ids, id: null, _version: '0.7.2' });
    expect(news).toEqual(before);
  });

  test('has the chart of its machine beside it, and no name of ours for that', () => {
    const { text, announces } = toMessage(ACTOR, 'host');
    const definition = announces?.definition ?? '""';
    expect(JSON.parse(text)).not.toHaveProperty('machine');
    expect(JSON.parse(JSON.parse(definition) as string)).toMatchObject({ id: 'thread', initial: 'created' });
    expect(toMessage(EVENT, 'host').announces).toBeUndefined();
  });

  test('that an actor is there has for those who know it how it stands', () => {
    const { announces } = toMessage(ACTOR, 'worker-3');
    expect(JSON.parse(announces?.again ?? '')).toEqual({
      type: '@xstate.snapshot',
      sessionId: 'worker-3:x:2',
      rootId: announces?.rootId,
      createdAt: '7',
      event: { type: 'TOLD_AGAIN' },
      snapshot: ACTOR.snapshot,
      id: null,
      _version: '0.7.2',
    });
  });

  test.each<[string, ActorNews, object | undefined]>([
    ['an actor that does more', ACTOR, undefined],
    ['an event', EVENT, undefined],
    ['a last step', last('done', 'completed'), { status: 'done', value: 'completed' }],
    ['an actor that has ended', { ...ACTOR, snapshot: { status: 'error' } }, { status: 'error' }],
    ['a state of no chart of ours', last('stopped', 'x'.repeat(200)), { status: 'stopped' }],
  ])('says of %s in short how it has ended', (_, news, end) => {
    expect(toMessage(news, 'host').end).toEqual(end && { event: 'MISSED', ...end });
  });

  test.each(['thread', 'supervisor'] as const)(
    'has room for the longest news of a %s, its chart and names',
    (machine) => {
      const { text, announces } = toMessage({ ...ACTOR, machine }, 'worker-1000000');
      const definition = announces?.definition ?? '';
      const beside = Buffer.byteLength(text) - Buffer.byteLength(JSON.stringify({ ...ACTOR, machine }));
      expect(MAX_NEWS_BYTES + beside + Buffer.byteLength(definition)).toBeLessThan(MAX_MESSAGE_BYTES);
    },
  );

  test('has of an actor without a chart its name', () => {
    const { machine: _, ...plain } = ACTOR;
    expect(toMessage(plain, 'host').announces?.definition).toBe(String.raw`"{\"id\":\"one\"}"`);
  });
});

test('A definition has the initial context without its secrets, and functions by their names', () => {
  const machine = createMachine({
    id: 'm',
    context: { key: SECRET, deep: { url: `https://h/?k=${SECRET}` } },
    entry: function note() {},
  });
  const text = JSON.parse(definitionOf(machine, clean)) as string;
  expect(JSON.parse(text)).toEqual({
    id: 'm',
    context: { key: '[redacted]', deep: { url: 'https://h/?k=[redacted]' } },
    entry: { type: 'note' },
  });
});

describe('What a worker says of an actor', () => {
  test.each([ACTOR, EVENT])('is read: $type', (news) => {
    expect(readNews(JSON.stringify(news))).toEqual(news);
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another type', JSON.stringify({ ...EVENT, type: '@xstate.microstep' })],
    ['another field', JSON.stringify({ ...EVENT, definition: '{}' })],
    ['a session that is no text', JSON.stringify({ ...EVENT, sessionId: 7 })],
    ['a session that is too long', JSON.stringify({ ...EVENT, sessionId: 'x'.repeat(301) })],
    ['another machine', JSON.stringify({ ...ACTOR, machine: 'another' })],
    ['another status', JSON.stringify({ ...ACTOR, snapshot: { status: 'odd' } })],
    ['far too much', JSON.stringify({ ...EVENT, event: { type: 'X', text: 'x'.repeat(MAX_NEWS_BYTES) } })],
  ])('is refused: %s', (_, text) => {
    expect(() => readNews(text)).toThrow(expect.objectContaining({ code: 'invalid_argument' }) as Error);
  });

  test('has a schema that knows the three messages of the protocol', () => {
    expect(actorNewsSchema.options.map((option) => option.shape.type.value)).toEqual([
      '@xstate.actor',
      '@xstate.event',
      '@xstate.snapshot',
    ]);
  });
});
