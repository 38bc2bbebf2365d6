/*
 * Cancel of what a library runs, by the signals that it takes: `tree` is one thread that runs others in its tool, which run all that
 * are counted, and has one signal that is handed on; `roots` are as many threads with one for each. The model of those that are counted
 * listens to the signal that the library hands it, and all of them are in their call before anything is cancelled. There is no
 * ending to acknowledge: a thread has ended when its promise has settled.
 */
import { setMaxListeners } from 'node:events';
import type { Finished, Library, RunThread } from './contenders/contender.ts';
import { NOTHING_STORED } from './contenders/in-memory.ts';
import { createCalls, type Calls } from './counted-calls.ts';
import { collectGarbage, sleep } from './garbage.ts';
import type { Measured, Params } from './job.ts';
import { answerIn, toolRunning } from './nested-threads.ts';
import { measureCpu } from './phase.ts';
import { lookUp, type Work } from './workload.ts';

/** As Skein is warmed up: rounds of so many, and then as many as are measured. */
const ROUNDS = 3;
const ROUND = 2_000;

/** Threads of a round of the warm-up, and what is waited for before threads are cancelled, and for calls that go on all the same. */
type Pace = { readonly round: number; readonly settle: () => Promise<void> };

/** Measures it. @throws what a thread ends with that ends by itself */
export async function cancelOfLibrary(
  library: Library,
  { threads, llmMs, variant }: Pick<Params, 'threads' | 'llmMs' | 'variant'>,
  { round, settle }: Pace = { round: ROUND, settle: settleDown },
): Promise<Measured> {
  const start = variant === 'tree' ? startTree : startRoots;
  let left = 0;
  let completed = 0;
  const pass = async (size: number): Promise<Cancelled> => {
    const calls = createCalls(llmMs);
    const run = library.threadsOf({ turns: 1, callModel: calls.call, answerOf: doneIn, callTool: lookUp });
    const cancelled = await cancelLive((follow) => start(size, { library, run, follow, calls }), {
      calls,
      size,
      settle,
    });
    left += calls.live();
    completed += cancelled.completed;
    // What a library has saved of its runs is not in the way of the next ones.
    library.forget?.('all');
    return cancelled;
  };
  for (let done = 0; done < ROUNDS; done++) await pass(round);
  await pass(threads);
  const { cpuUs, wallMs, callMs, callsAfter } = await pass(threads);
  return {
    metrics: {
      cancel_latency: wallMs,
      cancel_call: callMs,
      cancel_cpu: cpuUs / 1_000,
      calls_after_cancel: callsAfter,
      ...NOTHING_STORED,
    },
    problems: [
      ...(completed > 0 ? [`${completed} threads completed all the same`] : []),
      ...(left > 0 ? [`${left} calls of the model went on`] : []),
    ],
  };
}

const doneIn: Work['answerOf'] = (turn) => answerIn(turn, 'Done.');

/** As before Skein's are: what a library has still to do of its start is over, and the collection too. */
async function settleDown(): Promise<void> {
  await sleep(500);
  await collectGarbage();
  await sleep(100);
}

/** Notes how a thread ends; whether it was cancelled. */
type Follow = (ending: Promise<Finished>) => Promise<boolean>;
/** Threads that are under way. More of them may be added until they are cancelled. */
type Crowd = { readonly wasCancelled: readonly Promise<boolean>[]; cancel(): void };
type Starting = {
  readonly library: Library;
  readonly run: RunThread;
  readonly follow: Follow;
  readonly calls: Calls;
};

function startRoots(threads: number, { run, follow }: Starting): Crowd {
  const controllers = Array.from({ length: threads }, () => new AbortController());
  return {
    wasCancelled: controllers.map(({ signal }, index) => follow(run(`Wait: ${index}`, signal))),
    cancel() {
      for (const controller of controllers) controller.abort();
    },
  };
}

/** Three levels: of one with ten thousand calls in a turn, one of the libraries takes minutes. */
function startTree(threads: number, starting: Starting): Crowd {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const wasCancelled: Promise<boolean>[] = [];
  let leaves = 0;
  const noted: RunThread = (_prompt, signal) => {
    const ending = starting.run(`Wait: ${leaves++}`, signal);
    wasCancelled.push(starting.follow(ending));
    return ending;
  };
  const side = Math.ceil(Math.sqrt(threads));
  const groups = Math.ceil(threads / side);
  const parent = parentIn(starting, side, noted);
  const last = parentIn(starting, threads - (groups - 1) * side, noted);
  let started = 0;
  const root = parentIn(starting, groups, (prompt, signal) => {
    const ending = (++started < groups ? parent : last)(prompt, signal);
    wasCancelled.push(starting.follow(ending));
    return ending;
  });
  wasCancelled.push(starting.follow(root('Start the threads, then wait.', controller.signal)));
  return { wasCancelled, cancel: () => controller.abort() };
}

/** A thread that runs so many others in its tool, all at once. */
function parentIn({ library, calls }: Starting, children: number, run: RunThread): RunThread {
  const inputs = Array.from({ length: children }, (_, index) => ({ word: `Wait: ${index}` }));
  return library.threadsOf({
    turns: 2,
    callModel: calls.quick,
    answerOf: (turn) => (turn === 1 ? answerIn(turn, 'All of them.', inputs) : answerIn(turn, 'All have ended.')),
    callTool: toolRunning(run),
  });
}

type Cancelled = {
  readonly cpuUs: number;
  readonly wallMs: number;
  readonly callMs: number;
  /** Calls of models that have begun since. */
  readonly callsAfter: number;
  readonly completed: number;
};

type Live = { readonly calls: Calls; readonly size: number } & Pick<Pace, 'settle'>;

/** Starts threads, waits until so many are in their calls, and aborts them. @throws what a thread ends with before */
async function cancelLive(start: (follow: Follow) => Crowd, { calls, size, settle }: Live): Promise<Cancelled> {
  let isCancelled = false;
  const early = Promise.withResolvers<never>();
  const crowd = start((ending) =>
    ending.then(
      ({ text }) => {
        if (!isCancelled) early.reject(new Error(`a thread ended before it was cancelled, with "${text}"`));
        return false;
      },
      (error: unknown) => {
        if (!isCancelled) early.reject(error);
        return isCancelled;
      },
    ),
  );
  await Promise.race([calls.reach(size), early.promise]);
  // Asked for before: what it takes to wait for so many promises is not the cancellation's.
  const ended = Promise.all(crowd.wasCancelled);
  await settle();
  isCancelled = true;
  const before = calls.begun();
  let callMs = 0;
  const { value, cpuUs, wallMs } = await measureCpu(() => {
    const from = performance.now();
    crowd.cancel();
    callMs = performance.now() - from;
    return ended;
  });
  const completed = value.filter((one) => !one).length;
  await settle();
  return { cpuUs, wallMs, callMs, callsAfter: calls.begun() - before, completed };
}
