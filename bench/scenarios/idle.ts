import { sleep } from '../garbage.ts';
import { watchHost, type HostTasks } from '../host-probe.ts';
import { PROBE_ARGUMENTS, startProbe, wholeHeap, type HeapByRole, type Probe } from '../isolates.ts';
import { sizesOr, wantsAll, type Job, type Measured, type Scenario } from '../job.ts';
import { startOtherHalf } from '../other-half.ts';
import { hostMetrics, measurePhase } from '../phase.ts';
import {
  createBenchProject,
  databaseOf,
  endlessScript,
  parkScript,
  startSkein,
  waitScript,
  type BenchProject,
} from '../skein-project.ts';
import { spawnFanOut, WAVE } from '../spawn-threads.ts';
import { multiplyThread } from '../suspended-rows.ts';
import type { Runtime, ThreadHandle } from '../../src/index.ts';

/**
 * Threads that do nothing: `rows` starts a runtime on a database with N suspended threads and resumes some of them;
 * `suspended` and `queued` say what a thread costs that a runtime has seen itself, and nobody holds; `waiting` and `away` what
 * a pair of a parent and its queued child does, with the parent in its worker and out of it.
 */
export const idle: Scenario = {
  name: 'idle',
  contenders: ['skein'],
  nodeArguments: PROBE_ARGUMENTS,
  cases: ({ threads, isLong }) => [
    ...sizesOr(threads, isLong ? [1_000, 100_000, 1_000_000] : [100_000]).map((count) => caseOf(count, 'rows')),
    ...(wantsAll({ threads, isLong }) ? ['suspended', 'queued', 'waiting', 'away'] : []).flatMap((variant) =>
      [...new Set(sizesOr(threads, [MOST_LIVE]).map((count) => Math.min(count, MOST_LIVE)))].map((count) =>
        caseOf(count, variant),
      ),
    ),
  ],
  async measure(job) {
    const { variant } = job.params;
    if (variant === ROWS_MADE) return await makeRows(job);
    using project = createBenchProject(job.scratch);
    if (variant === 'rows') return await measureRows(job, project);
    const isPair = variant === 'waiting' || variant === 'away';
    return await (isPair ? measurePairs : measureHeap)(job, project);
  },
};

/** Name of the other half of `rows`: the process that makes them, so that the start is one of a process that has loaded nothing. */
const ROWS_MADE = 'rows made';
/** How long a model call takes; a thread is suspended after one. */
const CALL_MS = 20;
const RESUMED = 20;
/** Most threads that a runtime has seen itself, in the forms that count its heap. */
const MOST_LIVE = 20_000;
/** Threads that are there before the count begins: more than are kept ready. */
const BASE = 5_000;
/** Pairs that are there before the count begins. */
const FIRST_PAIRS = 250;

function caseOf(threads: number, variant: string): Job['params'] {
  return { threads, turns: 1, llmMs: 0, variant };
}

async function measureRows(job: Job, project: BenchProject): Promise<Measured> {
  const half = await startOtherHalf({ ...job, scratch: project.folder, params: { ...job.params, variant: ROWS_MADE } });
  const how = await half.gone;
  if (how !== 0) throw new Error(`the process that makes the rows ended with ${how}`);
  const ids = half.said as readonly string[]; // of `makeRows`
  const probe = startProbe(CALL_MS);
  const start = await measurePhase(() => startSkein(project.folder, { 'fan-out': parkScript(0) }));
  await using runtime = start.value;
  const took: number[] = [];
  const watch = watchHost();
  for (const id of ids) {
    const from = performance.now();
    const handle = await runtime.thread(id).resume();
    const { status } = await handle.result;
    took.push(performance.now() - from);
    if (status !== 'completed') return { metrics: {}, problems: [`${id} is ${status}`] };
  }
  const host = watch.stop();
  // A collection in every isolate: before, the first would not follow its start.
  const heap = await probe.heap();
  // The first after a start has what comes once in it.
  const [first = Number.NaN, ...others] = took;
  const sorted = others.toSorted((a, b) => a - b);
  return {
    metrics: {
      start_time: start.wallMs / 1_000,
      start_task: start.host.max,
      start_heap: (heap.host + heap.store) / 1_000_000,
      resume_first: first,
      resume_p50: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
      resume_max: sorted.at(-1) ?? Number.NaN,
      ...hostMetrics(host),
    },
    problems: [],
  };
}

/** The process that makes the rows of a project, of a thread that a runtime has suspended; says the ids of those to be resumed. */
async function makeRows({ params, scratch: folder }: Job): Promise<Measured> {
  const runtime = await startSkein(folder, { 'fan-out': endlessScript(CALL_MS) });
  await suspendNew(runtime, 1);
  await runtime.close();
  process.send?.(await multiplyThread(databaseOf(folder), params.threads, RESUMED));
  return { metrics: {}, problems: [] };
}

async function measureHeap({ params }: Job, project: BenchProject): Promise<Measured> {
  const { threads, variant } = params;
  const probe = startProbe(CALL_MS);
  await using runtime = await startSkein(
    project.folder,
    { 'fan-out': endlessScript(CALL_MS) },
    variant === 'queued' ? { slots: 1 } : {},
  );
  const add = async (count: number): Promise<HostTasks> => {
    const { host } = await measurePhase(async () => {
      for (let left = count; left > 0; left -= WAVE) {
        const wave = Math.min(WAVE, left);
        if (variant === 'queued') await spawnSome(runtime, wave);
        else await suspendNew(runtime, wave);
      }
    });
    return host;
  };
  // The first question makes every isolate load what it answers with. Some 4.5 MB of each were gone when the base had been counted.
  await probe.heap();
  await add(BASE);
  const before = await settledHeap(probe);
  const host = await add(threads);
  const after = await settledHeap(probe);
  const { running } = await runtime.view();
  const resting = runtime.list({ status: [variant === 'queued' ? 'created' : 'suspended'], limit: 2 * threads + BASE });
  await runtime.close({ graceMs: 0 });
  const found = running + resting.length;
  const problems = found === BASE + threads ? [] : [`${running} run and ${resting.length} rest of ${BASE + threads}`];
  return heapPer(threads, { before, after, host, problems });
}

/** How long a child lives that is waited for: longer than the bench. */
const CHILD_MS = 3_600_000;

/** Parents that wait for a child that calls its model, after a turn of their own. */
async function measurePairs({ params }: Job, project: BenchProject): Promise<Measured> {
  const { threads, variant } = params;
  const isAway = variant === 'away';
  const probe = startProbe(CHILD_MS);
  const child = { directive_name: 'park', model: 'scripted:park' };
  const scripts = { park: parkScript(CHILD_MS), nursery: waitScript(child) };
  await using runtime = await startSkein(project.folder, scripts, { awayAfter: isAway ? 1 : 0 });
  const add = async (pairs: number, of: number): Promise<HostTasks> => {
    const { host } = await measurePhase(async () => {
      for (let left = pairs; left > 0; left -= WAVE) await spawnPairs(runtime, Math.min(WAVE, left));
      while ((await threadsInWorkers(runtime)) !== (isAway ? of : 2 * of) || probe.calls() < of) await sleep(100);
    });
    return host;
  };
  await add(FIRST_PAIRS, FIRST_PAIRS);
  const before = await settledHeap(probe);
  const host = await add(threads, FIRST_PAIRS + threads);
  const after = await settledHeap(probe);
  await runtime.close({ graceMs: 0 });
  return heapPer(threads, { before, after, host, problems: [] });
}

function spawnPairs(runtime: Runtime, pairs: number): Promise<ThreadHandle[]> {
  const options = { model: 'scripted:nursery' };
  return Promise.all(Array.from({ length: pairs }, () => runtime.spawn('nursery', {}, options)));
}

async function threadsInWorkers(runtime: Runtime): Promise<number> {
  const { workers } = await runtime.view();
  return workers.reduce((sum, worker) => sum + worker.threads, 0);
}

/** Bytes by which two collections in a row may differ. */
const SETTLED = 100_000;
const LOOKS = 20;

/** The heap when a further collection finds nothing more. */
async function settledHeap(probe: Probe): Promise<HeapByRole> {
  let last = await probe.heap();
  for (let looks = 1; looks < LOOKS; looks++) {
    await sleep(200);
    const next = await probe.heap();
    if (Math.abs(wholeHeap(next) - wholeHeap(last)) < SETTLED) return next;
    last = next;
  }
  throw new Error(`the heap has not settled after ${LOOKS} collections`);
}

type Added = {
  readonly before: HeapByRole;
  readonly after: HeapByRole;
  readonly host: HostTasks;
  readonly problems: readonly string[];
};

function heapPer(threads: number, { before, after, host, problems }: Added): Measured {
  const per = (key: keyof HeapByRole): number => (after[key] - before[key]) / threads;
  return {
    metrics: {
      heap_per_thread: per('host') + per('workers') + per('store'),
      worker_heap_per_thread: per('workers'),
      host_heap_per_thread: per('host'),
      store_heap_per_thread: per('store'),
      ...hostMetrics(host),
    },
    problems,
  };
}

function spawnSome(runtime: Runtime, threads: number): Promise<ThreadHandle[]> {
  return Promise.all(Array.from({ length: threads }, (_, index) => spawnFanOut(runtime, index)));
}

/** Starts threads, and suspends them after a model call. */
async function suspendNew(runtime: Runtime, threads: number): Promise<void> {
  const handles = await spawnSome(runtime, threads);
  await Promise.all(handles.map((handle) => handle.suspend()));
}
