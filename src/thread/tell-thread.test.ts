import { expect, test } from 'vitest';
import { createThreadBench } from '../../test/fixtures/thread-bench.ts';
import { createWorkerBench } from '../../test/fixtures/worker-bench.ts';
import type { ThreadMachineEvent } from '../../machines/thread.machine.ts';
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

test.each([true, false])(
  'A thread that is cancelled, and has not heard of it, hears of that first (now: %s)',
  (now) => {
    const { thread, services } = createThreadBench();
    const heard: ThreadMachineEvent[] = [];
    thread.send = (event) => void heard.push(event);
    thread.cancelReason = 'no';
    tellThread({ thread, services, state: 'running.calling' }, { type: 'suspend', thread: 1, reason: 'shutdown', now });
    expect(heard[0]).toEqual({ type: 'CANCEL', reason: 'no' });
  },
);

test('A thread whose end is held for its children can be suspended', () => {
  const { thread, services } = createThreadBench();
  const heard: ThreadMachineEvent[] = [];
  thread.send = (event) => void heard.push(event);
  thread.cancelReason = 'no';
  thread.heldEnd = { type: 'CANCEL', reason: 'no' };
  tellThread(
    { thread, services, state: 'running.ending' },
    { type: 'suspend', thread: 1, reason: 'shutdown', now: true },
  );
  expect(heard).toEqual([{ type: 'SUSPEND', reason: 'shutdown', message: undefined }]);
});
