import { expect, test } from 'vitest';
import type { EventsAnswer, LogEvent } from '../../api.ts';
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
  const answer = async (at: number, from: number, to: number): Promise<void> => {
    const page: EventsAnswer = { id: 't', events: events(from, to), after: to, more: false };
    asked[at]?.answer(Response.json(page));
    // All that is read of an answer is there in the next turn.
    await new Promise((done) => setTimeout(done, 0));
  };
  const sequences = () => store.get().transcript?.events.map(({ sequence }) => sequence);
  return { reader, store, asked, answer, sequences };
}

function events(from: number, to: number): LogEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    thread_id: 't',
    event_type: 'cognition_in',
    timestamp: '2026-11-22T10:00:00.000Z',
    payload: {},
    criticality: 'critical',
    sequence: from + index,
  }));
}

test('An answer that says less than what was heard meanwhile takes nothing back, and nothing is there twice', async () => {
  const { reader, asked, answer, sequences, store } = start();
  void reader.open('t');
  await answer(0, 1, 100);
  void reader.catchUp();
  reader.heard('t', events(101, 110));
  await answer(1, 101, 105);
  expect(store.get().transcript?.last).toBe(110);
  reader.heard('t', events(111, 111));
  expect(asked).toHaveLength(2);
  expect(sequences()).toEqual(events(1, 111).map(({ sequence }) => sequence));
});

test('After a gap what is missing is read, and only that', async () => {
  const { reader, asked, answer, sequences } = start();
  void reader.open('t');
  await answer(0, 1, 3);
  reader.heard('t', events(6, 7));
  expect(asked[1]?.path).toBe('/api/threads/t/events?after=3&limit=200');
  await answer(1, 4, 7);
  expect(sequences()).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
