import { expect, test } from 'vitest';
import type { ThreadSpec } from '../../core/protocol.ts';
import { encodeEvent } from '../../core/events.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { forkOrder } from './fork.ts';

const LIMITS = { turns: 5, tokens: 100, spend: 1_000, spawns: 1, depth: 2, durationSeconds: 60 };
const SPEC: ThreadSpec = {
  directive: 'd',
  inputs: { who: 'Ann', mood: 'calm' },
  limits: LIMITS,
  model: 'scripted:main',
  warnings: [],
  capabilities: [['rye.execute.tool.app.*']],
  outputSchema: undefined,
  hookDepth: 2,
};

// Of a reader, what an order is made from; of a row, what names its thread.
const reader = {
  spec: () => JSON.stringify(SPEC),
  logPage: () => [{ first: 9, lines: encodeEvent({ sequence: 9, event_type: 'warning', time: 1, payload: {} }) }],
} as unknown as StoreReader;
const row = { thread: 3, threadId: 'thread-3' } as unknown as ThreadRow;

test('A fork asks for the directive again, with other inputs over those that its origin had', () => {
  const { request, parent } = forkOrder({ reader }, { row, at: 4, inputs: { who: 'Bob' } }, () => undefined);
  expect(parent).toBeUndefined();
  expect(request).toMatchObject({ directive: 'd', model: 'scripted:main', inputs: { who: 'Bob', mood: 'calm' } });
});

test('A fork may do what its origin might and its directive still allows, within limits of its own', () => {
  const { finish } = forkOrder({ reader }, { row, at: 4, limits: { turns: 7 } }, () => undefined);
  const prepared = { ...SPEC, limits: { ...LIMITS, turns: 99 }, capabilities: [['rye.*'], ['rye.execute.tool.app.*']] };
  expect(finish?.(prepared)).toMatchObject({
    limits: { ...LIMITS, turns: 7 },
    capabilities: [['rye.execute.tool.app.*'], ['rye.*']],
    forkedFrom: { thread: 3, threadId: 'thread-3', sequence: 4 },
    hookDepth: 2,
  });
});

test.each([
  [{ at: 10 }, 'has the events 1 to 9'],
  [{ at: -1 }, 'at is -1'],
  [{ at: 1.5 }, 'at is 1.5'],
  [{ at: 1, limits: { turns: -1 } }, 'turns'],
])('A fork %j is refused', (options, said) => {
  const order = () => forkOrder({ reader }, { row, ...options }, () => undefined);
  expect(order).toThrow(expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(said) }));
});
