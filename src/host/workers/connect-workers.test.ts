import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { createSlices } from '../../core/slices.ts';
import { createVitals } from '../../core/vitals.ts';
import { connectWorkers } from './connect-workers.ts';
import type { Config } from '../../config/config.ts';
import type { HostContext } from '../host-context.ts';
import type { Briefing, WorkerLink } from './worker-pool.ts';

test('what a worker was asked that ends with the last of its threads is answered all the same', async () => {
  const bench = createHostBench();
  const { host } = bench;
  const over = Promise.withResolvers<undefined>();
  const [first, apart] = [linkOf(0, new Promise(() => undefined)), linkOf(1, over.promise)];
  const { crew } = connect(host, first, () => apart);
  const entry = bench.spawn();
  entry.apart = { worker: undefined };
  const worker = crew.placeFor(entry);
  expect(worker).toBe(1);
  const answers: unknown[] = [];
  const question = (ref: number) => ({ type: 'send', ref, thread: entry.lineage.thread, text: 'hello' }) as const;
  host.messages.ask(worker, question, (answer) => answers.push(answer));
  host.questions.ask(worker, question, (answer) => answers.push(answer));
  host.messages.ask(0, question, () => answers.push('of a worker that goes on'));
  crew.left(worker);
  expect(answers).toEqual([]);
  over.resolve(undefined);
  await new Promise((resolve) => setImmediate(resolve));
  const failure = { code: 'thread_ended', message: 'The thread is not running any more' };
  expect(answers).toEqual([
    { ok: false, failure },
    { ok: false, failure },
  ]);
  crew.close();
});

test('a worker that starts after a reload knows the configuration in force, and may have the heap that this says', () => {
  const bench = createHostBench();
  let { config } = bench.host;
  const host: HostContext = {
    ...bench.host,
    get config() {
      return config;
    },
  };
  const briefings: Briefing[] = [];
  const { crew } = connect(host, linkOf(0, new Promise(() => undefined)), (briefing) => {
    briefings.push(briefing);
    return linkOf(briefings.length, new Promise(() => undefined));
  });
  for (const memoryMb of [64, 0]) {
    config = withMemory(config, memoryMb);
    const entry = bench.spawn();
    entry.apart = { worker: undefined };
    crew.placeFor(entry);
    expect(briefings.at(-1)).toMatchObject({ memoryMb, config });
  }
  crew.close();
});

function connect(host: HostContext, first: WorkerLink, start: (briefing: Briefing) => WorkerLink) {
  return connectWorkers(host, {
    surroundings: { schedule: setImmediate },
    slices: createSlices({ sliceMs: 2, now: host.clock.stopwatch, schedule: setImmediate }),
    pool: { links: [first], start, close: () => Promise.resolve() },
    questions: { ask: () => undefined, abandon: () => undefined, lost: () => undefined, close: () => undefined },
    toolModules: [],
  });
}

function withMemory(config: Config, workerMemoryMb: number): Config {
  const { resilience } = config;
  return { ...config, resilience: { ...resilience, coordination: { ...resilience.coordination, workerMemoryMb } } };
}

function linkOf(number: number, over: Promise<undefined>): WorkerLink {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return {
    number,
    port: { postMessage: () => undefined, on: () => undefined, close: () => undefined },
    control: port1,
    vitals: createVitals(),
    ready: Promise.resolve(),
    over,
    leftStore: Promise.resolve(),
    end: () => Promise.resolve(),
  };
}
