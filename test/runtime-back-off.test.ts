import { describe, expect, test } from 'vitest';
import type { ThreadHandle } from '../src/index.ts';
import { startLimitedServer, type LimitedServer } from './fixtures/limited-server.ts';
import { scene, until, type Scene } from './fixtures/scene.ts';

const THREADS = 20;

const PRICE = { input: 1, output: 1, cache_read: 1, cache_write: 1 };

/** Two workers whose model is the server; `category` of a 429: `rate_limited` is shared, another is each thread's own. */
function storm(server: LimitedServer, category: 'rate_limited' | 'transient', policy: object): Promise<Scene> {
  const patterns = [{ id: 'http_429', category, retry_policy: policy }];
  return scene(
    { ask: { tools: [], says: [] } },
    {
      workers: 2,
      env: { OPENAI_API_KEY: 'none', PATH: process.env['PATH'] },
      config: {
        agent: {
          providers: { limited: { kind: 'openai', base_url: server.baseUrl, max_output_tokens: 100 } },
          tiers: { general: { provider: 'limited', model: 'm' } },
          models: { m: { provider: 'limited', context_window: 100_000, max_output_tokens: 100, price: PRICE } },
        },
        error_classification: { patterns },
        resilience: { retry: { max_retries: 30 }, concurrency: { max_total_threads: THREADS } },
      },
    },
  );
}

async function spawnAll({ runtime }: Scene, count: number): Promise<ThreadHandle[]> {
  return Promise.all(Array.from({ length: count }, () => runtime.spawn('ask')));
}

async function statuses(handles: readonly ThreadHandle[]): Promise<string[]> {
  const endings = await Promise.all(handles.map((handle) => handle.result));
  return [...new Set(endings.map(({ status }) => status))];
}

describe('A 429 storm over 20 threads on two workers', () => {
  /** Requests that a server which takes none for a second refuses until everybody is through. */
  async function refusedIn(category: 'rate_limited' | 'transient'): Promise<number> {
    await using server = await startLimitedServer((ms) => (ms < 1000 ? { refuse: {} } : 'answer'));
    await using it = await storm(server, category, { type: 'exponential', base: 0.1, max: 0.8 });
    expect(await statuses(await spawnAll(it, THREADS))).toEqual(['completed']);
    return server.arrivals.filter(({ refused }) => refused).length;
  }

  test('backs off per provider: far fewer calls are refused than when each thread backs off for itself', async () => {
    const shared = await refusedIn('rate_limited');
    const each = await refusedIn('transient');
    // Those in flight together, then a few per worker and round: how many depends on how fast a refusal is heard of.
    expect(shared).toBeLessThanOrEqual(2 * THREADS);
    expect(each).toBeGreaterThan(shared);
  });

  test('sends nothing while the gate is closed, also from threads and workers that were not refused', async () => {
    const first = THREADS / 2;
    // In it twenty threads are refused, or start and find the gate closed.
    const closedMs = 3_000;
    await using server = await startLimitedServer((_ms, { length }) => (length <= first ? 'hold' : 'answer'));
    await using it = await storm(server, 'rate_limited', { type: 'use_header' });
    const early = await spawnAll(it, first);
    await expect.poll(() => server.arrivals.length, { interval: 5, timeout: 10_000 }).toBe(first);
    const refusedAt = performance.now();
    server.refuseHeld({ 'retry-after-ms': String(closedMs) });
    await Promise.all(early.map((handle) => until(handle, 'error_classified')));
    // Told of after the refusal, by the same port: these find the gate closed.
    const late = await spawnAll(it, first);
    await expect
      .poll(async () => (await it.runtime.view()).workers.map(({ states }) => states['running.waitingForProvider']))
      .toEqual([first / 2, first / 2]);
    expect(server.arrivals).toHaveLength(first);
    expect(await statuses([...early, ...late])).toEqual(['completed']);
    const later = server.arrivals.slice(first).map(({ atMs }) => atMs - refusedAt);
    expect(later).toHaveLength(THREADS);
    expect(Math.min(...later)).toBeGreaterThanOrEqual(closedMs - 5);
  });
});

describe('A thread that waits for its provider', () => {
  test('is ended at once by a cancel, having sent nothing, with nothing reserved', async () => {
    await using server = await startLimitedServer((_ms, { length }) =>
      length === 1 ? { refuse: { 'retry-after': '300' } } : 'answer',
    );
    await using it = await storm(server, 'rate_limited', { type: 'use_header' });
    const refused = await it.runtime.spawn('ask');
    await until(refused, 'error_classified');
    const waiting = await it.runtime.spawn('ask');
    await expect.poll(async () => (await waiting.status()).state).toBe('running.waitingForProvider');
    expect(it.project.ledger(waiting.id)).toMatchObject({ committed: 0, actual: 0 });
    await waiting.cancel();
    expect((await waiting.result).status).toBe('cancelled');
    expect(it.project.log(waiting.id).map(({ event_type }) => event_type)).not.toContain('usage');
    expect(server.arrivals).toHaveLength(1);
  });

  test('gives its slot to others if its time is over before the provider takes calls', async () => {
    await using server = await startLimitedServer((_ms, { length }) =>
      length === 1 ? { refuse: { 'retry-after': '3600' } } : 'answer',
    );
    await using it = await storm(server, 'rate_limited', { type: 'use_header' });
    const asked = await spawnAll(it, THREADS);
    await it.runtime.waitAll(asked.map(({ id }) => id));
    const states = await Promise.all(asked.map((handle) => handle.status()));
    expect(states.filter(({ status }) => status !== 'completed')).not.toEqual([]);
    expect((await it.runtime.view()).running).toBe(0);
  });
});
