import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Failure, Runtime, ThreadHandle } from '../../src/index.ts';
import {
  call,
  eventsOf,
  NEVER,
  project,
  refusal,
  SPAWN,
  startOn,
  THREAD_TOOLS,
  until,
  type Part,
  type Project,
} from '../fixtures/scene.ts';
import { importSkein } from '../fixtures/skein.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const WAYS = ['exit', 'throw', 'heap', 'text', 'loop', 'later'] as const;
const LIMITS = { tokens: 10_000_000, spend: 1 };
const TRIES = 2;
const PRICE = { input: 0.1, output: 10, cache_read: 0, cache_write: 0 };
const CONFIG = {
  agent: {
    models: { main: { provider: 'scripted', context_window: 128_000, max_output_tokens: 1_000, price: PRICE } },
  },
  resilience: {
    concurrency: { max_total_threads: 200, max_concurrent_children: 200 },
    coordination: { restart_intensity: TRIES, worker_heartbeat_seconds: 5, worker_memory_mb: 64 },
  },
};

let made: Project;
let runtime: Runtime;

const problems: Failure[] = [];
const workers: Worker[] = [];
const isHeard = (worker: Worker): number => workers.push(worker);

beforeAll(async () => {
  process.on('worker', isHeard);
  made = project();
  made.directives(partsIn(made.path));
  runtime = await start('suspend');
});

afterAll(async () => {
  process.off('worker', isHeard);
  await runtime?.close({ graceMs: 0 });
  made[Symbol.dispose]();
});

test.each([
  ['exit', 100],
  ['throw', 10],
  ['heap', 10],
  ['text', 10],
  ['loop', 10],
  ['later', 4],
] as const)(
  'a thread that ends its worker (%s) fails alone, and its %i neighbours are done once',
  async (way, many) => {
    const killer = await runtime.spawn(way);
    const neighbours = await Promise.all(Array.from({ length: many }, () => runtime.spawn('neighbour')));
    const parent = await runtime.spawn('parent');
    expect(await killer.result).toMatchObject({ status: 'error', error: { code: 'worker_lost' } });
    const innocent = [...neighbours, parent];
    const endings = await Promise.all(innocent.map(({ result }) => result));
    expect(new Set(endings.map(({ status, text }) => `${status}: ${text}`))).toEqual(new Set(['completed: done']));
    for (const handle of [killer, ...innocent]) expectOnce(handle);
    expect(runtime.list({ parent: parent.id })).toHaveLength(1);
  },
);

test('streams, waits and cancellations outlive their worker', async () => {
  // The store's and the one that takes any thread: those for the suspects of the tests before are gone.
  await expect.poll(() => workers.filter(({ threadId }) => threadId > 0).length).toBeLessThanOrEqual(2);
  const [neighbour, endless, parent] = await Promise.all(
    ['steady', 'endless', 'guardian'].map((id) => runtime.spawn(id)),
  );
  if (!neighbour || !endless || !parent) throw new Error('they were spawned');
  const streams = [neighbour, parent].map(eventsOf);
  const waited = runtime.waitAll([neighbour.id, parent.id]);
  await until(endless, 'thread_started');
  await until(parent, 'child_thread_started');
  const lost = workers.findLast(({ threadId }) => threadId > 0)?.terminate();
  // Its worker never hears of it.
  const cancelled = endless.cancel();
  await Promise.all([lost, cancelled]);
  expect(await endless.result).toMatchObject({ status: 'cancelled' });
  expect((await waited).map(({ status }) => status)).toEqual(['completed', 'completed']);
  for (const [index, events] of (await Promise.all(streams)).entries()) {
    const stored = events.flatMap(({ sequence }) => sequence ?? []);
    expect(stored).toEqual(made.log([neighbour, parent][index]?.id ?? '').map(({ sequence }) => sequence));
    expect(events.map(({ event_type }) => event_type)).toContain('thread_suspended');
  }
  for (const handle of [neighbour, endless, parent]) expectOnce(handle);
});

test('however many threads end their workers, few workers at a time are for suspects', async () => {
  let alive = 0;
  let most = 0;
  const count = (worker: Worker): void => {
    most = Math.max(most, ++alive);
    worker.once('exit', () => alive--);
  };
  process.on('worker', count);
  const killers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => runtime.spawn(index % 2 ? 'exit' : 'later')),
  );
  const neighbours = await Promise.all(Array.from({ length: 10 }, () => runtime.spawn('neighbour')));
  const endings = await Promise.all([...killers, ...neighbours].map(({ result }) => result));
  process.off('worker', count);
  expect(endings.map(({ status }) => status)).toEqual([
    ...killers.map(() => 'error'),
    ...neighbours.map(() => 'completed'),
  ]);
  // One that takes any thread, four for suspects, and two that are just ending.
  expect(most).toBeLessThanOrEqual(7);
});

test('what the lost workers leave is without a flaw', async () => {
  await runtime.close();
  await expectClean();
  expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['worker_lost']));
});

test('a runtime that lets workers stand still as long as they like closes all the same', async () => {
  await runtime.close();
  // With one try, the loss of its worker would be the end of it.
  const closing = await start('suspend', { worker_heartbeat_seconds: 0, restart_intensity: 1 });
  const mark = join(made.path, 'loop');
  rmSync(mark, { force: true });
  const looping = await closing.spawn('loop');
  await expect.poll(() => existsSync(mark), { timeout: 30_000 }).toBe(true);
  await closing.close({ graceMs: 100 });
  expect(made.row(looping.id)).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
  await expectClean();
});

test('a runtime that loses its store stops by itself, and nothing that it has acknowledged is lost', async () => {
  const before = workers.length;
  problems.length = 0;
  await using lost = await start('suspend');
  const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => lost.spawn('neighbour')));
  const ended = await first?.result;
  // With a limit of their heap the workers that began to load have ended, and the store's is the oldest.
  const store = workers.slice(before).find(({ threadId }) => threadId > 0);
  await store?.terminate();
  const endings = await Promise.all(others.map(({ result }) => result));
  expect(problems[0]).toMatchObject({ code: 'store_failed' });
  expect(await refusal(() => lost.spawn('neighbour'))).toMatchObject({ code: 'runtime_closed' });
  await lost.close();
  await expectClean();
  await using next = await start('resume');
  expect(await next.thread(first?.id ?? '').result).toEqual(ended);
  for (const [index, { id }] of others.entries()) {
    const told = endings[index]?.status;
    expect(await next.thread(id).result).toMatchObject({ status: 'completed' });
    expect(['completed', 'suspended']).toContain(told);
    expectOnce({ id });
  }
});

async function start(
  onRestart: 'suspend' | 'resume',
  changed: Readonly<Record<string, number>> = {},
): Promise<Runtime> {
  const { coordination: usual, ...resilience } = CONFIG.resilience;
  const coordination = { ...usual, ...changed, on_restart: onRestart };
  const started = await startOn(made, partsIn(made.path), {
    config: { ...CONFIG, resilience: { ...resilience, coordination } },
    tools: [new URL('../fixtures/deadly-tools.ts', import.meta.url)],
  });
  started.on('problem', (failure) => problems.push(failure));
  return started;
}

async function expectClean(): Promise<void> {
  const { doctor } = await importSkein();
  expect(await doctor({ project: made.path })).toMatchObject({ isClean: true, findings: [] });
}

/** One end, no gap, nothing reserved. */
function expectOnce({ id }: Pick<ThreadHandle<unknown>, 'id'>): void {
  const log = made.log(id);
  expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
  expect(log.filter(({ event_type }) => /^thread_(?:completed|error|cancelled)$/.test(event_type))).toHaveLength(1);
  expect(made.ledger(id)).toMatchObject({ reserved: 0, status: 'released' });
}

function partsIn(path: string): Record<string, Part> {
  const use = (tool: string): Part['says'][number] => ({
    ...call(`app_${tool}`, { file: join(path, tool) }),
    usage: USAGE,
  });
  const done = { text: 'done', usage: USAGE, delay_ms: 20 };
  const tools = ['app/*', ...THREAD_TOOLS];
  const killers = WAYS.map((way) => [way, { tools, limits: LIMITS, says: [use(way), { text: 'survived' }] }] as const);
  return {
    ...Object.fromEntries(killers),
    neighbour: { tools, limits: LIMITS, says: [...Array.from({ length: 8 }, () => use('step')), done] },
    // Still at it when its worker is ended.
    steady: {
      tools,
      limits: { ...LIMITS, turns: 200 },
      says: [...Array.from({ length: 100 }, () => use('step')), done],
    },
    guardian: { tools, limits: { ...LIMITS, turns: 200 }, says: [call(SPAWN, { directive_name: 'steady' }), done] },
    endless: { says: [NEVER] },
    parent: { tools, limits: LIMITS, says: [call(SPAWN, { directive_name: 'neighbour' }), done] },
  };
}

const USAGE = { input_tokens: 10, output_tokens: 1 };
