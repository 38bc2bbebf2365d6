import { expect, test } from 'vitest';
import { createThreadBench } from '../../test/fixtures/thread-bench.ts';
import { createWorkerBench } from '../../test/fixtures/worker-bench.ts';
import type { HookEvent } from '../core/hook-events.ts';
import type { HookSpec } from '../core/item.ts';
import { compileHooks } from './hooks/hooks.ts';
import { recordMissed, tellThread } from './tell-thread.ts';

const childId = 'thread-2';
const cost = { turns: 1, inputTokens: 2, outputTokens: 3, spend: 0 };
const ending = { status: 'completed', outputs: undefined, text: '', error: undefined, cost } as const;

test('What a thread missed of its children is in its log before its ending, and its hooks do not hear of it', () => {
  const asks = (event: HookEvent): HookSpec => ({ id: event, event, action: { function: 'f' } });
  const directive = [asks('child_started'), asks('child_ended')];
  const bench = createThreadBench(
    compileHooks({ directive, project: [], user: [], builtin: [], infra: [] }, 'my/directive'),
  );
  const told = { ...bench, state: 'suspended' };
  tellThread(told, { type: 'childStarted', thread: 1, childId, directive: 'leaf' });
  tellThread(told, { type: 'childEnded', thread: 1, childId, ending });
  expect(bench.events()).toEqual([]);
  recordMissed(bench);
  expect(bench.events().map(({ event_type }) => event_type)).toEqual(['child_thread_started', 'child_thread_ended']);
  expect(bench.services.host.open()).toBe(0);
});

test('Events are checked by what was compiled once, while events.yaml stays what it was', () => {
  using bench = createWorkerBench({});
  const { config, payloadCheck, renewed } = bench.services;
  const { resilience, events } = config;
  const tools = { ...resilience.toolPreload, maxTokens: 7 };
  const other = renewed({ ...config, resilience: { ...resilience, toolPreload: tools } });
  expect(other.payloadCheck).toBe(payloadCheck);
  const { usage: _left, ...eventTypes } = events.eventTypes;
  expect(other.renewed({ ...config, events: { ...events, eventTypes } }).payloadCheck).not.toBe(payloadCheck);
});
