import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createHostBench, type HostBench } from '../../../test/fixtures/host-bench.ts';
import type { Failure } from '../../core/errors.ts';
import { createRedactor } from '../../core/redactor.ts';
import { createSlices } from '../../core/slices.ts';
import { createVitals } from '../../core/vitals.ts';
import { connectWorkers } from './connect-workers.ts';
import type { RunningCrew } from './crew.ts';
import type { Config } from '../../config/config.ts';
import type { HostContext } from '../host-context.ts';
import { startWorkerPool, type Briefing, type WorkerLink, type WorkerPool } from './worker-pool.ts';

test('what a worker was asked that ends with the last of its threads is answered all the same', async () => {
  const bench = createHostBench();
  const { host } = bench;
  const over = Promise.withResolvers<undefined>();
  const [first, apart] = [linkOf(0, new Promise(() => undefined)), linkOf(1, over.promise)];
  const { crew } = connect(
    host,
    poolOf(first, () => apart),
  );
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
  const start = (briefing: Briefing): WorkerLink => {
    briefings.push(briefing);
    return linkOf(briefings.length, new Promise(() => undefined));
  };
  const { crew } = connect(host, poolOf(linkOf(0, new Promise(() => undefined)), start));
  for (const memoryMb of [64, 0]) {
    config = withMemory(config, memoryMb);
    const entry = bench.spawn();
    entry.apart = { worker: undefined };
    crew.placeFor(entry);
    expect(briefings.at(-1)).toMatchObject({ memoryMb, config });
  }
  crew.close();
});

test('a worker that starts later is told of each secret that another one has found', async () => {
  const bench = createHostBench();
  const told: unknown[] = [];
  let report: (batch: unknown) => void = () => undefined;
  const first = linkOf(0, Promise.resolve(undefined));
  const later = linkOf(1, new Promise(() => undefined));
  const hearing = { ...first, port: { ...first.port, on: (_: 'message', listen: typeof report) => (report = listen) } };
  const telling = { ...later, port: { ...later.port, postMessage: (batch: unknown) => void told.push(batch) } };
  const { crew } = connect(
    bench.host,
    poolOf(hearing, () => telling),
  );
  report([{ type: 'secretFound', value: 'under-the-mat' }, { type: 'gone' }]);
  await expect.poll(() => told).toEqual([[{ type: 'secret', value: 'under-the-mat' }]]);
  crew.close();
});

test('workers that end while they load are replaced, and stop the runtime when there were too many', async () => {
  const bench = createHostBench({ coordination: { restart_intensity: 2 } });
  const end = (worker: Worker): void => void worker.terminate();
  process.on('worker', end);
  const pool = startWorkerPool({ workers: 1, task: TASK, storePort });
  pool.ready.catch(() => undefined);
  const { crew } = connect(bench.host, pool);
  let failure: Failure | undefined;
  void bench.supervisor.stopped.then((given) => {
    failure = given;
    crew.close();
  });
  const seen = (): Failure | undefined => {
    bench.commit();
    return failure;
  };
  try {
    const why = { code: 'worker_lost', message: expect.stringContaining('again and again') };
    await expect.poll(seen).toMatchObject(why);
  } finally {
    process.off('worker', end);
    crew.close();
    await pool.close();
  }
});

test.each<[string, (parts: { readonly crew: RunningCrew; readonly bench: HostBench }) => void]>([
  ['in place of a lost one', ({ crew }) => crew.gone(0)],
  [
    'for a thread that is apart',
    ({ crew, bench }) => {
      const entry = bench.spawn();
      entry.apart = { worker: undefined };
      expect(() => crew.placeFor(entry)).toThrow('no more threads');
    },
  ],
])('a worker that the system has no thread for, %s, stops the runtime', async (_, need) => {
  const bench = createHostBench();
  const start = (): never => {
    throw new Error('no more threads');
  };
  const { crew } = connect(bench.host, poolOf(linkOf(0, Promise.resolve(undefined)), start));
  need({ crew, bench });
  expect(await bench.supervisor.stopped).toEqual({ code: 'worker_lost', message: 'no more threads' });
  crew.close();
});

function poolOf(first: WorkerLink, start: WorkerPool['start']): WorkerPool {
  return { links: [first], start, close: () => Promise.resolve() };
}

function storePort(left: () => void): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.once('close', left);
  return port2;
}

const TASK = {
  projectPath: tmpdir(),
  userSpace: undefined,
  systemDir: tmpdir(),
  config: undefined,
  validateEvents: 'off',
  env: {},
  scripts: {},
  toolModules: [],
} as const;

function connect(host: HostContext, pool: WorkerPool) {
  return connectWorkers(host, {
    surroundings: { schedule: setImmediate },
    slices: createSlices({ sliceMs: 2, now: host.clock.stopwatch, schedule: setImmediate }),
    pool,
    questions: { ask: () => undefined, abandon: () => undefined, lost: () => undefined, close: () => undefined },
    secrets: { redactor: createRedactor() },
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
