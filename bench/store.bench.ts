/*
 * Acknowledged events per second through the real store worker, synchronous FULL, from two ports. Every thread sends
 * its next step when the last one is acknowledged. `npx tsc -p tsconfig.build.json && node bench/store.bench.ts
 * [seconds per case] [threads per port]`
 */
import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { StepOp, StoreResult } from '../src/core/store.ts';
import { createStoreClient } from '../src/core/store-client.ts';
import { admit, lines, scratchFolder, shippedTables, step } from '../test/conformance/store-fixture.ts';

type Case = { readonly name: string; readonly extra: Partial<StepOp>; readonly root: boolean };

const EVENTS_PER_STEP = 3;
const EVENT_TEXT = 'x'.repeat(210);
const TURN: Partial<StepOp> = {
  settle: { reserved: 10, actual: 5 },
  reserve: 10,
  cost: { turns: 1, inputTokens: 100, outputTokens: 20, spend: 5 },
  checkpoint: { turn: 1, state: 's'.repeat(200) },
};

const cases: readonly Case[] = [
  { name: 'events only', extra: {}, root: false },
  { name: 'whole turns (events, settle, reserve, cost, checkpoint)', extra: TURN, root: false },
  { name: 'whole turns, all threads children of one root', extra: TURN, root: true },
];

const seconds = Number(process.argv[2] ?? 5);
const threadsPerPort = Number(process.argv[3] ?? 1_000);
for (const one of cases) await runCase(one);

async function runCase({ name, extra, root }: Case): Promise<void> {
  using scratch = scratchFolder();
  const worker = new Worker(new URL('../dist/workers/store.worker.js', import.meta.url), {
    workerData: { path: scratch.path, tables: shippedTables() },
  });
  const [first] = await once(worker, 'message');
  if (first.type !== 'opened') throw new Error(JSON.stringify(first));
  const senders: Sender[] = [];
  for (const index of [0, 1]) {
    const sender = createSender(worker, { extra, root, firstThread: 2 + index * threadsPerPort });
    await sender.admitted;
    senders.push(sender);
  }
  await measure(name, worker, senders);
  worker.postMessage({ type: 'close' });
  await once(worker, 'exit');
}

type Sender = {
  readonly admitted: Promise<void>;
  start(): void;
  stop(): Promise<void>;
  acknowledged(): number;
  waits: number[];
};

function createSender(
  worker: Worker,
  { extra, root, firstThread }: { extra: Partial<StepOp>; root: boolean; firstThread: number },
): Sender {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ type: 'port', port: port2 }, [port2]);
  const port = port1 as unknown as Parameters<typeof createStoreClient>[0]['port'];
  const client = createStoreClient({ port, schedule: setImmediate });
  const numbers = Array.from({ length: threadsPerPort }, (_, index) => firstThread + index);
  let acknowledged = 0;
  let running = true;
  let open = 0;
  const drained = Promise.withResolvers<void>();
  const waits: number[] = [];
  const next = (thread: number, sequence: number): void => {
    const last = sequence + EVENTS_PER_STEP - 1;
    const text = lines(sequence, last, EVENT_TEXT);
    const sent = performance.now();
    client.submit(step(thread, sequence, { ...extra, lines: text, lastSequence: last }), (result) => {
      check(result);
      acknowledged++;
      waits.push(performance.now() - sent);
      if (running) next(thread, last + 1);
      else if (--open === 0) {
        client.close();
        drained.resolve();
      }
    });
  };
  return {
    admitted: new Promise((resolve) => {
      let left = numbers.length;
      if (root && firstThread === 2) client.submit(admit(1, { ceiling: 1e15 }), check);
      for (const thread of numbers) {
        client.submit(
          admit(thread, { ceiling: 1e9, spec: 'd'.repeat(1_000), parent: root ? 1 : undefined }),
          (result) => {
            check(result);
            if (--left === 0) resolve();
          },
        );
      }
    }),
    start() {
      open = numbers.length;
      for (const thread of numbers) next(thread, 1);
    },
    stop() {
      running = false;
      return drained.promise;
    },
    acknowledged: () => acknowledged,
    waits,
  };
}

function check(result: StoreResult): void {
  if (result !== true) throw new Error(JSON.stringify(result));
}

async function measure(name: string, worker: Worker, senders: readonly Sender[]): Promise<void> {
  const total = (): number => senders.reduce((sum, sender) => sum + sender.acknowledged(), 0);
  for (const sender of senders) sender.start();
  await sleep(1_000);
  for (const sender of senders) sender.waits.length = 0;
  const before = { steps: total(), cpu: await worker.cpuUsage(), at: performance.now() };
  await sleep(seconds * 1_000);
  const steps = total() - before.steps;
  const wall = (performance.now() - before.at) / 1_000;
  const cpu = await worker.cpuUsage(before.cpu);
  const waits = senders.flatMap((sender) => sender.waits).toSorted((a, b) => a - b);
  await Promise.all(senders.map((sender) => sender.stop()));
  const perSecond = steps / wall;
  console.log(
    [
      name,
      `  ${Math.round(perSecond)} steps/s, ${Math.round(perSecond * EVENTS_PER_STEP)} events/s acknowledged`,
      `  store worker: ${((cpu.user + cpu.system) / steps).toFixed(1)} µs CPU per step (${(cpu.user / steps).toFixed(1)} user)`,
      `  acknowledged after ${at(waits, 0.5)} ms (p50), ${at(waits, 0.99)} ms (p99), ${at(waits, 1)} ms (max)`,
    ].join('\n'),
  );
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
