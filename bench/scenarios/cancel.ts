import { cancelOfLibrary } from '../cancel-library.ts';
import { BRIEF, LIMITED, takesSize, type LibrarySource } from '../contenders/contender.ts';
import { sleep } from '../garbage.ts';
import { PROBE_ARGUMENTS, startProbe, type Probe } from '../isolates.ts';
import { sizesOr, wantsAll, type Job, type Measured, type Scenario } from '../job.ts';
import { parkThreads, warmUp } from '../park.ts';
import { measureCpu, measurePhase } from '../phase.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, endlessScript, nurseryScript, parkScript, startSkein } from '../skein-project.ts';
import { FAN_OUT_CHILD, spawnFanOut, spawnInWaves, WAVE } from '../spawn-threads.ts';
import type { Runtime, ThreadHandle } from '../../src/index.ts';

/**
 * Lengths of the model calls, in ms; unusual numbers, since the probe counts timers of this length. Parked calls are far
 * from their end when they are cancelled, busy threads are in every state of their turn.
 */
const PARKED_MS = 600_007;
const BUSY_MS = 2_003;

/**
 * Cancel of N live threads, from the call to the last acknowledged ending: `tree` is one parent with N children,
 * cancelled by one call; `roots` are N handles, cancelled in one loop. The children or roots are parked in a model call,
 * or `busy` with endless turns, so that model calls would go on starting if the cancel let them.
 */
export function cancel(libraries: LibrarySource): Scenario {
  return {
    name: 'cancel',
    contenders: ['skein', ...libraries.names.filter((name) => name !== LIMITED)],
    nodeArguments: PROBE_ARGUMENTS,
    cases({ threads, isLong }) {
      const busy = wantsAll({ threads, isLong }) ? ['tree-busy', 'roots-busy'] : [];
      return sizesOr(threads, isLong ? [10_000, 100_000] : [10_000]).flatMap((count) => [
        ...['tree', 'roots'].map((variant) => caseOf(count, variant, PARKED_MS)),
        ...(count <= MOST_BUSY ? busy : []).map((variant) => caseOf(count, variant, BUSY_MS)),
      ]);
    },
    lacks: (contender, { variant = '' }) => contender !== 'skein' && variant.endsWith('busy'),
    takesPart(contender, { threads, variant }, asked) {
      if (contender === 'skein') return true;
      if (wantsAll(asked))
        return takesSize(contender, threads, asked) && !(variant === 'tree' && contender === SLOW_TREE);
      return variant === 'roots' && BRIEF.has(contender);
    },
    async measure(job) {
      if (job.contender === 'skein') return measure(job);
      return cancelOfLibrary(await libraries.load(job.contender), job.params);
    },
  };
}

/** It takes minutes to start a tree, and runs it where it is asked for by name. */
const SLOW_TREE = 'mastra';
/** Busy threads of a larger crowd do not get around within their calls. */
const MOST_BUSY = 10_000;
/** Most threads that are cancelled in the same form before those that are measured. */
const MOST_FIRST = 10_000;
const PARENT_WAITS_MS = 3_600_000;
const PARKED_CHILD = { directive_name: 'park', model: 'scripted:park' };
const BUSY_CHILD = { ...FAN_OUT_CHILD, limit_overrides: { spend: 10 } };

type Stage = { readonly runtime: Runtime; readonly probe: Probe; readonly threads: number };
/**
 * What is cancelled: `cancel` starts it, the handles are those whose endings count. `loops` when that takes a call for
 * each handle: then the caller's loop is one long task on the host, which is its own affair.
 */
type Target = { readonly handles: readonly ThreadHandle[]; readonly loops: boolean; cancel(): Promise<unknown> };

function caseOf(threads: number, variant: string, llmMs: number): Job['params'] {
  return { threads, turns: 1, llmMs, variant };
}

async function measure({ params, scratch }: Job): Promise<Measured> {
  const { threads, llmMs, variant = 'tree' } = params;
  const probe = startProbe(llmMs);
  using project = createBenchProject(scratch);
  const first = Math.min(threads, MOST_FIRST);
  const scripts = {
    park: parkScript(llmMs),
    'fan-out': endlessScript(llmMs),
    ...(variant.startsWith('tree') && { ...nurseries(threads), ...nurseries(first) }),
  };
  await using runtime = await startSkein(project.folder, scripts);
  // For the compiler's last tier, with the pass below: what is measured is the code, not its compilation.
  for (let round = 0; round < 3; round++) await warmUp({ runtime, probe }, 2_000);
  const ids = new Set<string>();
  const isCollected = !variant.endsWith('busy');
  const pass = async (size: number, way: Way): Promise<Pass> => {
    const target = await targetOf(variant, { runtime, probe, threads: size });
    for (const { id } of target.handles) ids.add(id);
    return cancelAndCount(target, { probe, isCollected, way });
  };
  const warm = await pass(first, timed);
  const measured = await pass(threads, timed);
  // Once more, since it costs something to watch.
  const seen = await pass(threads, watched);
  await runtime.close();
  const found = await readBack(project.database, ids);
  const { problems, statuses } = found;
  const cancelled = statuses['cancelled'] ?? 0;
  return {
    metrics: {
      ...measured.figures,
      ...measured.calls,
      ...seen.figures,
      // A call that starts too late would be wrong in any of them.
      calls_after_50ms: [warm, measured, seen].reduce((sum, { calls }) => sum + calls.calls_after_50ms, 0),
      ...rowsPerThread(found),
    },
    problems: [...problems, ...(cancelled === first + 2 * threads ? [] : [`statuses are ${JSON.stringify(statuses)}`])],
  };
}

/** The models of parents that start so many children. */
function nurseries(threads: number): Record<string, unknown> {
  return {
    [parentOf(threads, false)]: nurseryScript(threads, PARKED_CHILD, PARENT_WAITS_MS),
    [parentOf(threads, true)]: nurseryScript(threads, BUSY_CHILD, PARENT_WAITS_MS),
  };
}

function parentOf(threads: number, isBusy: boolean): string {
  return `${isBusy ? 'busy-' : ''}nursery-${threads}`;
}

type Figures = Readonly<Record<string, number>>;
/** Cancels, and says what is found of it when the last has ended. */
type Way = (target: Target, ended: Promise<unknown>) => Promise<Figures>;
/** How a target is cancelled; `isCollected`: after a collection in every isolate. */
type Manner = { readonly probe: Probe; readonly isCollected: boolean; readonly way: Way };
type Pass = { readonly figures: Figures; readonly calls: Figures & { readonly calls_after_50ms: number } };

/**
 * Cancels, and looks for model calls that start all the same. Busy threads are spared the collection: all that would have gone on
 * in it would go on at once after it, and in step from then on.
 */
async function cancelAndCount(target: Target, { probe, isCollected, way }: Manner): Promise<Pass> {
  await sleep(500);
  // Asked for before: what it takes to wait for so many promises is not the cancellation's.
  const ended = Promise.all(target.handles.map((handle) => handle.result));
  if (isCollected) await probe.heap();
  await sleep(100);
  const callsBefore = probe.calls();
  const calledAtUs = (performance.timeOrigin + performance.now()) * 1_000;
  probe.setDeadline(calledAtUs + 50_000);
  // Late calls of the pass before, and those by which this one began after that deadline.
  const lateBefore = probe.lateCalls();
  const figures = await way(target, ended);
  // What would still start a call shows itself in this time.
  await sleep(500);
  const calls = probe.calls();
  const after = calls - callsBefore;
  return {
    figures,
    calls: {
      last_call_after_cancel: after > 0 ? Math.max(0, (probe.lastCallUs() - calledAtUs) / 1_000) : 0,
      calls_after_cancel: after,
      calls_after_50ms: probe.lateCalls() - lateBefore,
    },
  };
}

async function timed(target: Target, ended: Promise<unknown>): Promise<Figures> {
  let callMs = 0;
  const { cpuUs, wallMs } = await measureCpu(async () => {
    const from = performance.now();
    const cancelling = target.cancel();
    callMs = performance.now() - from;
    await Promise.all([cancelling, ended]);
  });
  return { cancel_latency: wallMs, cancel_call: callMs, cancel_cpu: cpuUs / 1_000 };
}

async function watched(target: Target, ended: Promise<unknown>): Promise<Figures> {
  // To the end of the caller's loop it is one task: the first that is watched.
  const { host } = await measurePhase(() => Promise.all([target.cancel(), ended]));
  return { host_task_max: host.max, ...(target.loops && { host_task_after_loop: host.maxAfterFirst }) };
}

async function targetOf(variant: string, stage: Stage): Promise<Target> {
  if (variant === 'tree' || variant === 'tree-busy') return growTree(stage, variant === 'tree-busy');
  if (variant === 'roots-busy') return startBusy(stage);
  return roots(await parkThreads(stage, stage.threads));
}

function roots(handles: readonly ThreadHandle[]): Target {
  return { handles, loops: true, cancel: () => Promise.all(handles.map((handle) => handle.cancel('bench'))) };
}

/** Threads that take turn after turn; started over the length of a call, so that their calls end at all times. */
async function startBusy({ runtime, probe, threads }: Stage): Promise<Target> {
  const handles = await spawnInWaves({
    threads,
    wave: WAVE,
    spawn: (index) => spawnFanOut(runtime, index),
    afterWave: () => sleep(BUSY_MS / (threads / WAVE)),
  });
  await probe.callsReach(probe.calls() + threads);
  return roots(handles);
}

/** One thread that spawns all others through its model's tool calls, and then waits. */
async function growTree({ runtime, probe, threads }: Stage, isBusy: boolean): Promise<Target> {
  const wanted = probe.calls() + threads;
  const limits = { spawns: threads, spend: 1_000_000, depth: 2 };
  const parent = await runtime.spawn('nursery', {}, { model: `scripted:${parentOf(threads, isBusy)}`, limits });
  await Promise.race([
    probe.callsReach(wanted),
    parent.result.then((ending) => Promise.reject(new Error(`the parent ended: ${JSON.stringify(ending)}`))),
  ]);
  if (isBusy) await sleep(2 * BUSY_MS);
  const children = runtime.list({ parent: parent.id, limit: 2 * threads });
  const handles = children.map(({ id }) => runtime.thread(id));
  return { handles, loops: false, cancel: () => parent.cancel('bench') };
}
