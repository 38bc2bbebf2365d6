import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { StepOp, StoreResult } from '../../src/core/store.ts';
import { createStoreClient } from '../../src/core/store-client.ts';
import { admit, lines, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import { sleep } from '../garbage.ts';
import { sizesOr, wantsAll, type Job, type Measured, type Scenario } from '../job.ts';
import { countEvents } from '../read-back.ts';

const EVENTS_PER_STEP = 3;
const EVENT_TEXT = 'x'.repeat(210);
const TURN: Partial<StepOp> = {
  settle: { reserved: 10, actual: 5 },
  reserve: 10,
  cost: { turns: 1, inputTokens: 100, outputTokens: 20, spend: 5 },
  checkpoint: { turn: 1, state: 's'.repeat(200) },
};
const PORTS = 2;
const WARM_UP_MS = 1_000;
const MEASURED_MS = 3_000;

type Form = { readonly extra: Partial<StepOp>; readonly hasRoot: boolean };

/** What a step holds: events alone, or a whole turn with its money, cost and checkpoint; of roots, or of one root's children. */
const FORMS: Readonly<Record<string, Form>> = {
  events: { extra: {}, hasRoot: false },
  turns: { extra: TURN, hasRoot: false },
  children: { extra: TURN, hasRoot: true },
};
/** The one that is measured where it is not to take long: what a thread of the workload sends. */
const USUAL = 'turns';

/**
 * Events that the store's worker acknowledges in a second, every commit synchronised with the disk. Each of N threads, at
 * two ports, sends its next step of three events when the last one is acknowledged. No host takes part.
 */
export const store: Scenario = {
  name: 'store',
  contenders: ['skein'],
  cases: ({ threads, isLong }) =>
    sizesOr(threads, [2_000]).flatMap((count) =>
      (wantsAll({ threads, isLong }) ? Object.keys(FORMS) : [USUAL]).map((variant) => ({
        threads: count,
        turns: 1,
        llmMs: 0,
        variant,
      })),
    ),
  measure,
};

async function measure({ params, scratch }: Job): Promise<Measured> {
  const form = FORMS[params.variant ?? ''];
  if (!form) throw new Error(`There is no form "${params.variant}"`);
  const path = join(scratch, 'threads', 'threads.db');
  const worker = new Worker(new URL('../../dist/workers/store.worker.js', import.meta.url), {
    workerData: { path, tables: shippedTables() },
  });
  const [first] = await once(worker, 'message');
  if (first.type !== 'opened') throw new Error(JSON.stringify(first));
  const threads = Math.ceil(params.threads / PORTS);
  const senders: Sender[] = [];
  for (let port = 0; port < PORTS; port++) {
    senders.push(await openSender(worker, { form, threads, firstThread: 2 + port * threads }));
  }
  const metrics = await measureSteps(worker, senders);
  worker.postMessage({ type: 'close' });
  await once(worker, 'exit');
  const acknowledged = EVENTS_PER_STEP * senders.reduce((sum, sender) => sum + sender.acknowledged(), 0);
  const stored = await countEvents(path);
  const problems =
    stored === acknowledged ? [] : [`${acknowledged} events were acknowledged, and ${stored} are stored`];
  return { metrics, problems };
}

async function measureSteps(worker: Worker, senders: readonly Sender[]): Promise<Record<string, number>> {
  for (const sender of senders) sender.start();
  await sleep(WARM_UP_MS);
  for (const sender of senders) sender.waits.length = 0;
  const cpuBefore = await worker.cpuUsage();
  const from = performance.now();
  await sleep(MEASURED_MS);
  // Each wait is one step that was acknowledged.
  const waits = senders.flatMap((sender) => sender.waits).toSorted((a, b) => a - b);
  const seconds = (performance.now() - from) / 1_000;
  const { user, system } = await worker.cpuUsage(cpuBefore);
  await Promise.all(senders.map((sender) => sender.stop()));
  return {
    events_per_second: (waits.length * EVENTS_PER_STEP) / seconds,
    cpu_per_step: (user + system) / waits.length,
    acknowledged_p50: waits[Math.floor(waits.length * 0.5)] ?? Number.NaN,
    acknowledged_p99: waits[Math.floor(waits.length * 0.99)] ?? Number.NaN,
  };
}

/** Threads at one port. */
type Sender = {
  start(): void;
  stop(): Promise<void>;
  /** Milliseconds from each step to its acknowledgement. */
  readonly waits: number[];
  /** Steps that were, from the beginning. */
  acknowledged(): number;
};
type SenderOptions = { readonly form: Form; readonly threads: number; readonly firstThread: number };

async function openSender(worker: Worker, { form, threads, firstThread }: SenderOptions): Promise<Sender> {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ type: 'port', port: port2 }, [port2]);
  const port = port1 as unknown as Parameters<typeof createStoreClient>[0]['port'];
  const client = createStoreClient({ port, schedule: setImmediate });
  const numbers = Array.from({ length: threads }, (_, index) => firstThread + index);
  const submit = (op: Parameters<typeof client.submit>[0]): Promise<void> =>
    new Promise((resolve) => client.submit(op, (result) => resolve(check(result))));
  if (form.hasRoot && firstThread === 2) await submit(admit(1, { ceiling: 1e15 }));
  const parent = form.hasRoot ? 1 : undefined;
  await Promise.all(numbers.map((thread) => submit(admit(thread, { ceiling: 1e9, spec: 'd'.repeat(1_000), parent }))));
  const waits: number[] = [];
  const drained = Promise.withResolvers<void>();
  let isRunning = true;
  let open = threads;
  let acknowledged = 0;
  const next = (thread: number, sequence: number): void => {
    const lastSequence = sequence + EVENTS_PER_STEP - 1;
    const text = lines(sequence, lastSequence, EVENT_TEXT);
    const sent = performance.now();
    client.submit(step(thread, sequence, { ...form.extra, lines: text, lastSequence }), (result) => {
      check(result);
      acknowledged++;
      waits.push(performance.now() - sent);
      if (isRunning) return next(thread, lastSequence + 1);
      if (--open === 0) drained.resolve();
    });
  };
  return {
    start: () => numbers.forEach((thread) => next(thread, 1)),
    async stop() {
      isRunning = false;
      await drained.promise;
      client.close();
    },
    waits,
    acknowledged: () => acknowledged,
  };
}

function check(result: StoreResult): void {
  if (result !== true) throw new Error(JSON.stringify(result));
}
