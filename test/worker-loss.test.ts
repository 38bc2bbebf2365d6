import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Failure, Runtime, ThreadHandle } from '../src/index.ts';
import { call, project, SPAWN, startOn, THREAD_TOOLS, type Part, type Project } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const WAYS = ['exit', 'throw', 'heap', 'loop', 'later'] as const;
const LIMITS = { tokens: 10_000_000, spend: 1 };
const TRIES = 2;
const PRICE = { input: 0.1, output: 10, cache_read: 0, cache_write: 0 };
const CONFIG = {
  agent: {
    models: { main: { provider: 'scripted', context_window: 128_000, max_output_tokens: 1_000, price: PRICE } },
  },
  resilience: {
    concurrency: { max_total_threads: 200, max_concurrent_children: 200 },
    coordination: { restart_intensity: TRIES, worker_heartbeat_seconds: 3, worker_memory_mb: 96 },
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
  const parts = partsIn(made.path);
  made.directives(parts);
  runtime = await startOn(made, parts, { config: CONFIG, tools: [new URL('fixtures/deadly-tools.ts', import.meta.url)] });
  runtime.on('problem', (failure) => problems.push(failure));
});

afterAll(async () => {
  process.off('worker', isHeard);
  await runtime.close({ graceMs: 0 });
  made[Symbol.dispose]();
});

test.each([
  ['exit', 100],
  ['throw', 10],
  ['heap', 10],
  ['loop', 10],
  ['later', 10],
] as const)('a thread that ends its worker (%s) fails alone, and its %i neighbours are done once', async (way, many) => {
  const killer = await runtime.spawn(way);
  const neighbours = await Promise.all(Array.from({ length: many }, () => runtime.spawn('neighbour')));
  const parent = await runtime.spawn('parent');
  expect(await killer.result).toMatchObject({ status: 'error', error: { code: 'worker_lost' } });
  const innocent = [...neighbours, parent];
  const endings = await Promise.all(innocent.map(({ result }) => result));
  expect(new Set(endings.map(({ status, text }) => `${status}: ${text}`))).toEqual(new Set(['completed: done']));
  for (const handle of [killer, ...innocent]) expectOnce(handle);
  expect(runtime.list({ parent: parent.id })).toHaveLength(1);
});

test('what the lost workers leave is without a flaw', async () => {
  const { doctor } = await importSkein();
  await runtime.close();
  expect(await doctor({ project: made.path })).toMatchObject({ isClean: true, findings: [] });
  expect(problems.every(({ code }) => code === 'worker_lost')).toBe(true);
});

/** One end, no gap, nothing reserved. */
function expectOnce({ id }: ThreadHandle<unknown>): void {
  const log = made.log(id);
  expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
  expect(log.filter(({ event_type }) => /^thread_(?:completed|error|cancelled)$/.test(event_type))).toHaveLength(1);
  expect(made.ledger(id)).toMatchObject({ reserved: 0, status: 'released' });
}

function partsIn(path: string): Record<string, Part> {
  const use = (tool: string): Part['says'][number] => ({ ...call(`app_${tool}`, { file: join(path, tool) }), usage: USAGE });
  const done = { text: 'done', usage: USAGE, delay_ms: 20 };
  const tools = ['app/*', ...THREAD_TOOLS];
  const killers = WAYS.map((way) => [way, { tools, limits: LIMITS, says: [use(way), { text: 'survived' }] }] as const);
  return {
    ...Object.fromEntries(killers),
    neighbour: { tools, limits: LIMITS, says: [...Array.from({ length: 8 }, () => use('step')), done] },
    parent: { tools, limits: LIMITS, says: [call(SPAWN, { directive_name: 'neighbour' }), done] },
  };
}

const USAGE = { input_tokens: 10, output_tokens: 1 };
