import { expect, test } from 'vitest';
import type { EventsAnswer, LogEvent } from '../../api.ts';
import { logEvent } from '../fixtures/log-event.ts';
import { createApiClient } from './api-client.ts';
import { UNKNOWN } from './page-state.ts';
import { createStore } from './store.ts';
import { createTranscriptReader } from './transcript-reader.ts';

/** A reader whose server answers when told to. */
function start() {
  const asked: { readonly path: unknown; readonly answer: (response: Response) => void }[] = [];
  const api = createApiClient('t', (path) => new Promise((answer) => asked.push({ path, answer })));
  const store = createStore(UNKNOWN, (run) => run());
  const reader = createTranscriptReader(api, store);
  const reply = async (at: number, response: Response): Promise<void> => {
    asked[at]?.answer(response);
    // All that is read of an answer is there in the next turn.
    await new Promise((done) => setTimeout(done, 0));
  };
  const answer = (at: number, from: number, to: number): Promise<void> => {
    const before = from > 1 ? { before: from } : {};
    const page: EventsAnswer = { id: 't', events: events(from, to), ...before, after: to, more: false };
    return reply(at, Response.json(page));
  };
  const sequences = () => store.get().transcript?.events.map(({ sequence }) => sequence);
  return { reader, store, asked, reply, answer, sequences };
}

function events(from: number, to: number): LogEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => logEvent(from + index, 'cognition_out'));
}

/** Numbers from one to another. */
function numbers(from: number, to: number): (number | undefined)[] {
  return events(from, to).map(({ sequence }) => sequence);
}

test('An answer that says less than what was heard meanwhile takes nothing back, and nothing is there twice', async () => {
  const { reader, asked, answer, sequences, store } = start();
  void reader.open('t');
  await answer(0, 1, 100);
  reader.heard('t', events(101, 110));
  await answer(1, 101, 105);
  expect(store.get().transcript?.last).toBe(110);
  reader.heard('t', events(111, 111));
  expect(asked).toHaveLength(2);
  expect(sequences()).toEqual(numbers(1, 111));
});

test('After a gap what is missing is read, and only that', async () => {
  const { reader, asked, answer, sequences } = start();
  void reader.open('t');
  await answer(0, 1, 3);
  await answer(1, 4, 3);
  reader.heard('t', events(6, 7));
  expect(asked[2]?.path).toBe('/api/threads/t/events?after=3&limit=200');
  await answer(2, 4, 7);
  expect(sequences()).toEqual(numbers(1, 7));
});

test('Before its end is there a log begins nowhere: what came meanwhile is read after it, and Earlier leaves no hole', async () => {
  const { reader, asked, answer, sequences } = start();
  void reader.open('t');
  void reader.catchUp();
  reader.heard('t', events(1_001, 1_001));
  expect(asked).toHaveLength(1);
  await answer(0, 801, 1_000);
  expect(asked[1]?.path).toBe('/api/threads/t/events?after=1000&limit=200');
  await answer(1, 1_001, 1_001);
  void reader.older();
  expect(asked[2]?.path).toBe('/api/threads/t/events?before=801&limit=200');
  await answer(2, 601, 800);
  expect(sequences()).toEqual(numbers(601, 1_001));
});

test('Around an event a log has no hole, goes on page by page, and lives once its end is there', async () => {
  const { reader, store, asked, answer, reply, sequences } = start();
  const more = () => store.get().transcript?.more;
  void reader.open('t', 500);
  expect(asked.map(({ path }) => path)).toEqual([
    '/api/threads/t/events?before=500&limit=200',
    '/api/threads/t/events?after=499&limit=200',
  ]);
  const page = (from: number, to: number): Promise<void> =>
    reply(
      asked.length - 1,
      Response.json({
        id: 't',
        events: events(from, to),
        before: from,
        after: to,
        more: to < 900,
      } satisfies EventsAnswer),
    );
  await page(500, 699);
  await answer(0, 300, 499);
  reader.heard('t', events(901, 901));
  void reader.catchUp();
  expect([asked.length, sequences(), more()]).toEqual([2, numbers(300, 699), true]);
  void reader.older();
  await answer(2, 100, 299);
  void reader.later();
  expect(asked[3]?.path).toBe('/api/threads/t/events?after=699&limit=200');
  await page(700, 899);
  void reader.later();
  await page(900, 900);
  // What was passed over before.
  expect(asked[5]?.path).toBe('/api/threads/t/events?after=900&limit=200');
  await page(901, 901);
  reader.heard('t', events(902, 902));
  expect([asked.length, sequences(), more()]).toEqual([6, numbers(100, 902), false]);
});

test('A log that is opened at another place takes no page that was on its way before', async () => {
  const { reader, asked, answer, sequences, store } = start();
  void reader.open('t');
  await answer(0, 801, 1_000);
  void reader.older();
  void reader.open('t', 3);
  expect(asked).toHaveLength(5);
  await answer(3, 1, 2);
  await answer(4, 3, 5);
  await answer(1, 1_001, 1_002);
  await answer(2, 601, 800);
  expect([sequences(), store.get().transcript?.before]).toEqual([numbers(1, 5), undefined]);
  void reader.open('t');
  await answer(6, 801, 1_000);
  expect(sequences()).toEqual(numbers(801, 1_000));
});

test('An event that there is not leaves a log at its end', async () => {
  const { reader, answer, store, sequences } = start();
  void reader.open('t', 1_000);
  await answer(0, 1, 7);
  await answer(1, 1_000, 999);
  reader.heard('t', events(8, 8));
  expect([sequences(), store.get().transcript?.last]).toEqual([numbers(1, 8), 8]);
});

test('A log whose end could not be read is opened again when it is asked for again, and not before', async () => {
  const { reader, asked, reply, answer, sequences } = start();
  void reader.open('t');
  void reader.open('t');
  await reply(0, new Response('', { status: 503 }));
  void reader.catchUp();
  expect(asked).toHaveLength(1);
  // What it says next has it opened again.
  reader.heard('t', events(1_001, 1_001));
  reader.heard('t', events(1_002, 1_002));
  await answer(1, 801, 1_000);
  expect([asked[1]?.path, sequences()]).toEqual(['/api/threads/t/events?limit=200', numbers(801, 1_000)]);
  void reader.open('t');
  expect(asked).toHaveLength(3);
});

test('Words of an answer that is still coming are there again when they go on, whatever answers before it are read meanwhile', async () => {
  const { reader, store, reply, answer } = start();
  const streaming = () => store.get().transcript?.streaming;
  void reader.open('t');
  reader.overheard('t', { from: 0, text: 'One' });
  await reply(0, new Response('', { status: 503 }));
  void reader.open('t');
  await answer(1, 1, 3);
  reader.overheard('t', { from: 3, text: ' two' });
  expect(streaming()).toBe('One two');
  // What follows the page.
  await answer(2, 4, 5);
  reader.overheard('t', { from: 7, text: ' three' });
  expect(streaming()).toBe('One two three');
});
