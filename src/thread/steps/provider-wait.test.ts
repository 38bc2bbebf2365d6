import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import type { Part } from '../../../test/fixtures/scene.ts';
import { callModel } from './model-call.ts';
import { createModelSink } from '../services/model-sink.ts';
import { waitForProvider } from './provider-wait.ts';

const LIMITED = { error: { status_code: 429, headers: { 'retry-after': '10' } } };
const PARTS: Record<string, Part> = {
  limited: { says: [{ ...LIMITED, times: 1 }, { text: 'done' }] },
  always: { says: [LIMITED] },
  unlucky: { says: [{ ...LIMITED, times: 6 }, { text: 'done' }] },
  mixed: {
    says: [500, 500, 429, 500, 429, 500, 500].map((status_code) => ({
      turn: 1,
      times: 1,
      error: { status_code, headers: { 'retry-after': '10' } },
    })),
  },
  calm: { says: [{ text: 'done' }] },
  short: { limits: { duration_seconds: 20 }, says: [{ text: 'done' }] },
};

const TIME_OVER = { suspend_reason: 'limit', message: expect.stringContaining('duration_seconds_exceeded') };

const GATE = 'running.waitingForProvider';

function bench(resilience = {}): WorkerBench {
  return createWorkerBench(PARTS, resilience);
}

/** Starts a thread and lets it go as far as it can. */
async function start(it: WorkerBench, directive: string): Promise<number> {
  const thread = it.start(directive);
  await settle(it);
  return thread;
}

/** Answers of the script come with the turns of the event loop. */
async function settle(it: WorkerBench): Promise<void> {
  for (let round = 0; round < 5; round++) {
    await setImmediate();
    it.ticks.endAll();
    it.clock.advance(0);
    it.commit();
  }
}

async function advance(it: WorkerBench, ms: number): Promise<void> {
  it.clock.advance(ms);
  await settle(it);
}

const types = (it: WorkerBench, thread: number): string[] => it.log(thread).map(({ event_type }) => event_type);

describe('A thread at the gate of its provider', () => {
  test('calls nobody until the gate opens, and no attempt is counted for it', async () => {
    using it = bench();
    const refused = await start(it, 'limited');
    expect(it.host.stateOf(refused)).toBe('running.backingOff');
    const waiting = await start(it, 'calm');
    await advance(it, 9_999);
    expect([it.host.stateOf(waiting), it.said('providerRefused')]).toMatchObject([GATE, [{ until: 10_000 }]]);
    expect(it.host.get(waiting)).toMatchObject({ attempt: 0, reserved: 0 });
    await advance(it, 2_000);
    expect([it.host.get(waiting), it.host.get(refused)]).toEqual([undefined, undefined]);
    expect(types(it, waiting)).not.toContain('error_classified');
    expect(types(it, waiting).at(-1)).toBe('thread_completed');
  });

  test.each([
    [{}, 0, 1_000],
    [{}, 0.5, 1_500],
    [{ 'retry-after': '9' }, 0.25, 9_000],
  ])(
    'waits with jitter, at least half of its time, and never less than was asked for: %j, %d',
    async (headers, drawn, until) => {
      const parts: Record<string, Part> = { refused: { says: [{ error: { status_code: 429, headers } }] } };
      using it = createWorkerBench(parts, {}, { random: () => drawn });
      await start(it, 'refused');
      expect(it.said('providerRefused')).toMatchObject([{ until }]);
    },
  );

  test('whose call is answered ends the row of refusals, which the host hears once: the next wait is the first again', async () => {
    const refused: Part = { says: [{ error: { status_code: 429 }, times: 1 }, { text: 'done' }] };
    using it = createWorkerBench({ first: refused, second: refused });
    await start(it, 'first');
    await advance(it, 1_000);
    expect(it.said('providerAnswered')).toEqual([{ type: 'providerAnswered', provider: 'scripted', startedIn: 1 }]);
    await advance(it, 9_000);
    await start(it, 'second');
    expect(it.said('providerRefused').map(({ until }) => until)).toEqual([1_000, 11_000]);
    await advance(it, 1_000);
    expect(it.said('providerAnswered').map(({ startedIn }) => startedIn)).toEqual([1, 2]);
  });

  test('gives its reservation back if the gate closes while that was on its way', () => {
    const { thread, services, clock, steps } = createThreadBench();
    const sent: string[] = [];
    Object.assign(thread, {
      reserved: 7,
      sink: createModelSink(thread, services),
      send: ({ type }: { readonly type: string }) => sent.push(type),
    });
    services.gates.learn({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: 10_000 });
    callModel(thread, services, { type: 'RESERVED' });
    waitForProvider(thread, services, { type: 'PROVIDER_CLOSED' });
    expect([thread.reserved, steps]).toMatchObject([0, [{ settle: { reserved: 7, actual: 0 } }]]);
    expect(sent).toEqual(['PROVIDER_CLOSED']);
    clock.advance(10_000);
    expect(sent).toEqual(['PROVIDER_CLOSED', 'PROVIDER_OPEN']);
  });

  test('is suspended at once, also when that could wait for its next step', async () => {
    using it = bench();
    it.host.receive({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: 10_000 });
    const waiting = await start(it, 'calm');
    it.host.receive({ type: 'suspend', thread: waiting, reason: 'user', now: false });
    await settle(it);
    expect(types(it, waiting).at(-1)).toBe('thread_suspended');
    await advance(it, 20_000);
    expect(it.clock.pending()).toBe(0);
  });

  test('that was to be suspended with its next step is, instead of waiting', () => {
    const { thread, services } = createThreadBench();
    const sent: object[] = [];
    Object.assign(thread, {
      suspendRequest: { reason: 'user', message: undefined },
      send: (event: object) => sent.push(event),
    });
    services.gates.learn({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: 10_000 });
    waitForProvider(thread, services, { type: 'PROVIDER_CLOSED' });
    expect([sent, thread.suspendRequest]).toEqual([
      [{ type: 'SUSPEND', reason: 'user', message: undefined }],
      undefined,
    ]);
  });

  test('is cancelled at once; the gate lets the next one go in its place', async () => {
    using it = bench();
    it.host.receive({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: 10_000 });
    const [first, second] = [await start(it, 'calm'), await start(it, 'calm')];
    it.host.receive({ type: 'cancel', threads: [first], reason: 'enough' });
    await settle(it);
    expect(types(it, first).at(-1)).toBe('thread_cancelled');
    await advance(it, 10_000);
    expect(types(it, second).at(-1)).toBe('thread_completed');
  });

  test('has its waiting counted towards duration_seconds', async () => {
    using it = bench({ limits: { defaults: { duration_seconds: 5 } } });
    it.host.receive({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: 4_990 });
    const waiting = [];
    for (let at = 0; at < 2; at++) waiting.push(await start(it, 'calm'));
    await advance(it, 4_990);
    await advance(it, 10);
    expect(waiting.map((thread) => types(it, thread).at(-1))).toEqual(['thread_completed', 'thread_suspended']);
  });

  test('is at its limit at once if its time is over before the gate opens', async () => {
    using it = bench({ limits: { defaults: { duration_seconds: 5 } } });
    it.host.receive({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: 10_000 });
    const waiting = await start(it, 'calm');
    expect(it.log(waiting).at(-1)).toMatchObject({ event_type: 'thread_suspended', payload: TIME_OVER });
    expect(it.log(waiting).find(({ event_type }) => event_type === 'limit_escalation_requested')).toMatchObject({
      payload: { current_value: 10, current_max: 5 },
    });
  });

  test('is so, too, when the gate is closed for longer while it waits; the others wait on', async () => {
    using it = bench();
    it.host.receive({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: 10_000 });
    const [long, short] = [await start(it, 'calm'), await start(it, 'short')];
    it.host.receive({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: 19_999 });
    await settle(it);
    expect([it.host.stateOf(long), it.host.stateOf(short)]).toEqual([GATE, GATE]);
    it.host.receive({ type: 'backOff', provider: 'scripted', round: 1, streak: 1, until: 20_000 });
    await settle(it);
    expect([it.host.stateOf(long), it.log(short).at(-1)]).toMatchObject([GATE, { payload: TIME_OVER }]);
  });
});

describe('Waiting for the next attempt', () => {
  test('resilience.yaml retry.max_retries ends it, and every refusal in a row makes it longer', async () => {
    using it = bench({ retry: { max_retries: 2 } });
    const thread = await start(it, 'always');
    for (let round = 0; round < 3; round++) await advance(it, 10_000);
    const tries = it.log(thread).flatMap((event) => (event.event_type === 'error_classified' ? [event.payload] : []));
    expect(tries.map(({ attempt, delay_ms }) => [attempt, delay_ms])).toEqual([
      [0, 10_000],
      [1, 10_000],
      [2, undefined],
    ]);
    expect(types(it, thread).at(-1)).toBe('thread_error');
  });

  test('goes on beyond max_retries while the provider answers others in each round', async () => {
    using it = bench();
    const unlucky = await start(it, 'unlucky');
    for (let round = 0; round < 6; round++) {
      // First in line.
      await start(it, 'calm');
      await advance(it, 10_000);
      await advance(it, 2_000);
    }
    const tries = it.log(unlucky).flatMap((event) => (event.event_type === 'error_classified' ? [event.payload] : []));
    expect(tries.map(({ attempt }) => attempt)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(types(it, unlucky).at(-1)).toBe('thread_completed');
  });

  test('counts refusals apart: whatever the provider answers others, max_retries of all else ends it', async () => {
    using it = bench();
    const thread = await start(it, 'mixed');
    for (let round = 0; round < 8; round++) {
      await start(it, 'calm');
      await advance(it, 10_000);
      await advance(it, 2_000);
    }
    const tries = it.log(thread).flatMap((event) => (event.event_type === 'error_classified' ? [event.payload] : []));
    expect(tries.map(({ error_code, attempt }) => [error_code, attempt])).toEqual([
      ['http_5xx', 0],
      ['http_5xx', 1],
      ['http_429', 2],
      ['http_5xx', 3],
      ['http_429', 3],
      ['http_5xx', 4],
    ]);
    expect(types(it, thread).at(-1)).toBe('thread_error');
  });

  test('is seen in the log before it is over', async () => {
    using it = bench();
    const thread = await start(it, 'limited');
    expect([it.host.stateOf(thread), types(it, thread).at(-1)]).toEqual(['running.backingOff', 'error_classified']);
  });

  test('is none for a thread whose time is over before that: it is at its limit at once', async () => {
    using it = bench({ limits: { defaults: { duration_seconds: 5 } } });
    const thread = await start(it, 'always');
    expect(types(it, thread).at(-1)).toBe('thread_suspended');
    expect(it.log(thread).filter(({ event_type }) => event_type === 'error_classified')).toHaveLength(1);
  });

  test.each([
    ['that comes while it waits', true],
    ['that came during the call that has failed', false],
  ])('is ended at once by a suspension %s, also when that could wait for its next step', async (_name, waits) => {
    using it = bench();
    const thread = it.start('always');
    if (waits) await settle(it);
    expect(it.host.stateOf(thread)).toBe(waits ? 'running.backingOff' : 'running.calling');
    it.host.receive({ type: 'suspend', thread, reason: 'user', now: false });
    await settle(it);
    expect(types(it, thread).slice(-2)).toEqual(['error_classified', 'thread_suspended']);
    await advance(it, 20_000);
    expect([it.host.size(), it.clock.pending()]).toEqual([0, 0]);
  });

  test('is ended at once by a cancel', async () => {
    using it = bench();
    const thread = await start(it, 'always');
    it.host.receive({ type: 'cancel', threads: [thread], reason: 'enough' });
    await settle(it);
    expect(types(it, thread).at(-1)).toBe('thread_cancelled');
  });
});
