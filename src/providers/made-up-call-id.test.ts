import { expect, test } from 'vitest';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import { madeUpCallId } from './made-up-call-id.ts';

test('a made-up id is of one call, also in a conversation that a summary made shorter', () => {
  const { directive, turn } = REQUEST.thread;
  const later = { ...REQUEST, thread: { directive, turn: turn + 3 } };
  const ids = [REQUEST, later].flatMap((request) => [madeUpCallId(request, 0), madeUpCallId(request, 1)]);
  expect(new Set(ids).size).toBe(4);
  // What every provider takes.
  expect(ids).toEqual(ids.filter((id) => /^[\w-]{1,40}$/.test(id)));
});
