import { startDashboardProcess } from '../../test/fixtures/dashboard-process.ts';
import { openStalled, readUntil } from '../../test/fixtures/stalled-viewer.ts';
import { collectGarbage } from '../garbage.ts';
import type { Job, Measured, Scenario } from '../job.ts';
import { POSTS_ARGUMENTS, startCounting, type Posts } from '../posts.ts';
import { cpuOf } from '../process-cpu.ts';
import { createBenchProject, endlessScript, fanOutScript, longWindedScript, startSkein } from '../skein-project.ts';
import { spawnFanOut, spawnInWaves } from '../spawn-threads.ts';
import type { Runtime, ThreadHandle } from '../../src/index.ts';

/**
 * What a viewer of the dashboard costs that never reads: `alone` there is none; `watching` it looks at all threads and at one
 * that runs, and what it does not read piles up while they run; `full` it has no room left before they start. The dashboard is a
 * process of its own, as `skein ui` is.
 */
export const viewer: Scenario = {
  name: 'viewer',
  contenders: ['alone', 'watching', 'full'],
  nodeArguments: POSTS_ARGUMENTS,
  cases: ({ threads, turns, llmMs }) => [{ threads: threads[0] ?? 5_000, turns, llmMs: llmMs[0] ?? 100 }],
  measure,
};

/** Threads of the warm-up. */
const WARM_UP = 1_000;
const WAVE = 250;
/** Length of the calls of the thread that runs all the time. */
const CALL_MS = 50;

async function measure({ contender, params, scratch }: Job): Promise<Measured> {
  const { threads, turns, llmMs } = params;
  const posted = startCounting();
  using project = createBenchProject(scratch);
  const scripts = {
    'fan-out': fanOutScript(turns, llmMs),
    endless: endlessScript(CALL_MS),
    'long-winded': longWindedScript(),
  };
  await using runtime = await startSkein(project.folder, scripts);
  // Both are there whether or not somebody looks at them.
  const long = await spawnAs(runtime, 'long-winded');
  const { status, error } = await long.result;
  if (status !== 'completed') throw new Error(`The long log was not written: ${status}, ${error?.message}`);
  const endless = await spawnAs(runtime, 'endless');
  await run(runtime, Math.min(WARM_UP, threads));
  await using attached = await ATTACH[contender]?.(project.folder, { long: long.id, endless: endless.id });
  await collectGarbage();
  const before = { cpu: process.cpuUsage(), dashboard: cpuOf(attached?.pid), posts: posted() };
  const problems = await run(runtime, threads);
  const { user, system } = process.cpuUsage(before.cpu);
  const dashboard = (cpuOf(attached?.pid) ?? 0) - (before.dashboard ?? 0);
  const posts = postsOf(before.posts, posted(), threads);
  const dropped = await attached?.dropped?.();
  await endless.cancel('measured');
  return {
    metrics: {
      cpu_per_turn: (user + system) / (threads * turns),
      dashboard_cpu_per_turn: dashboard / (threads * turns),
      ...posts,
      ...(dropped !== undefined && { viewer_dropped: dropped }),
    },
    problems: dropped === 0 ? [...problems, 'the viewer was to be full'] : problems,
  };
}

function spawnAs(runtime: Runtime, model: string): Promise<ThreadHandle> {
  return runtime.spawn('fan-out', { topic: 'all of them' }, { model: `scripted:${model}`, limits: { spend: 1_000 } });
}

/** Threads to their ends; what has not gone well. */
async function run(runtime: Runtime, threads: number): Promise<string[]> {
  const spawn = (index: number): Promise<ThreadHandle> => spawnFanOut(runtime, index);
  const handles = await spawnInWaves({ threads, wave: WAVE, spawn });
  const endings = await Promise.all(handles.map(({ result }) => result));
  const failed = endings.filter(({ status }) => status !== 'completed').length;
  return failed > 0 ? [`${failed} threads did not complete`] : [];
}

function postsOf(before: Posts, after: Posts, threads: number): Record<string, number> {
  return {
    posts_per_tick: (after.posts - before.posts) / (after.ticks - before.ticks),
    messages_per_thread: (after.messages - before.messages) / threads,
  };
}

/** Threads that can be looked at: one with a long log, and one that runs. */
type Shown = { readonly long: string; readonly endless: string };

/** A dashboard with a viewer that does not read. */
type Attached = AsyncDisposable & {
  readonly pid: number | undefined;
  /** Reads on; how many messages it has missed. */
  readonly dropped?: () => Promise<number>;
};

const ATTACH: Readonly<Record<string, (project: string, shown: Shown) => Promise<Attached>>> = {
  async watching(project, { endless }) {
    const attached = await attach(project, `level=root&thread=${endless}`);
    return { pid: attached.pid, [Symbol.asyncDispose]: () => attached[Symbol.asyncDispose]() };
  },
  async full(project, { long }) {
    const query = `level=root&thread=${long}&after=0`;
    const attached = await attach(project, query);
    // What one has been told that reads, the other was told as well.
    const other = await openStalled(attached.dashboard, query);
    await readUntil(other, '"event_type":"thread_completed"');
    other.destroy();
    return attached;
  },
};

async function attach(project: string, query: string) {
  const ui = await startDashboardProcess({ path: project });
  const { origin, hash } = new URL(ui.url);
  const dashboard = { origin, token: hash.slice('#token='.length) };
  const socket = await openStalled(dashboard, query);
  return {
    dashboard,
    pid: ui.pid,
    async dropped() {
      const text = await readUntil(socket, '"type":"dropped"');
      return Number(/"type":"dropped","messages":(\d+)/.exec(text)?.[1]);
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await ui[Symbol.asyncDispose]();
    },
  };
}
