import { expect, test } from 'vitest';
import { createApiClient } from './api-client.ts';

test.each<[string, (broken: Promise<never>) => Promise<Response>]>([
  ['no answer', (broken) => broken],
  ['no more than the beginning of an answer', async (broken) => Object.assign(new Response(), { json: () => broken })],
])('A change that has %s when it is late fails, and is said to be done, or not', async (_, answering) => {
  const late = new AbortController();
  // As fetch does.
  const send: typeof fetch = (__, init) =>
    answering(new Promise((___, reject) => init?.signal?.addEventListener('abort', reject)));
  const api = createApiClient('t', send, () => late.signal);
  const answer = api.post('threads/t/cancel', {});
  late.abort();
  expect(await answer).toEqual({
    ok: false,
    failure: { code: 'unanswered', message: expect.stringContaining('may be done, or not') },
  });
});

test('A change that is answered in time is as it was answered', async () => {
  const api = createApiClient('t', async () => Response.json({ id: 't' }));
  expect(await api.post('threads/t/cancel', {})).toEqual({ ok: true, value: { id: 't' } });
});
