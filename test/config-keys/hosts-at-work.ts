import { createHostFunctions } from '../../src/host/workers/host-functions.ts';
import { createOperations } from '../../src/host/operations/dispatcher.ts';
import { liveThreads } from '../../src/host/operations/live-threads.ts';
import { createRecovery } from '../../src/host/rest/recovery.ts';
import { createHeartbeat } from '../../src/host/workers/heartbeat.ts';
import { createQuestionHandler } from '../../src/host/workers/questions.ts';
import { createSymbolQuestions } from '../../src/host/workers/symbol-questions.ts';
import { createWorkerLosses } from '../../src/host/workers/worker-loss.ts';
import { heapOf } from '../../src/host/workers/open-worker.ts';
import { createVitals } from '../../src/core/vitals.ts';
import { createHostBench, type HostBench } from '../fixtures/host-bench.ts';
import type { State } from './row.ts';

function host({ config }: State): HostBench {
  return createHostBench({}, { config });
}

/** How many of 30 threads are started at once. */
export function threadsAtOnce(state: State): number {
  const bench = host(state);
  for (let thread = 0; thread < 30; thread++) bench.spawn();
  return bench.started().length;
}

/** How many of ten children are started at once. */
export function childrenAtOnce(state: State): number {
  const bench = host(state);
  const parent = bench.spawn({ spawns: 20 });
  for (let child = 0; child < 10; child++) bench.spawn({ parent });
  return bench.started().length - 1;
}

/** Which threads are cancelled when a parent ends so. */
export function cancelledWithParent(state: State, path: string): unknown {
  const bench = host(state);
  const parent = bench.spawn();
  bench.spawn({ parent });
  const { thread } = parent.lineage;
  if (path.endsWith('cancel')) bench.host.tell({ type: 'CANCEL', thread, reason: 'no' });
  else bench.end(parent, path.endsWith('error') ? 'error' : 'completed');
  bench.commit();
  return bench.cancelled();
}

/** Which threads are cancelled when one of two that are waited for together fails. */
export function cancelledSiblings(state: State): unknown {
  const bench = host(state);
  const parent = bench.spawn();
  const children = [bench.spawn({ parent }), bench.spawn({ parent })];
  const questions = questionsOf(bench);
  const threadIds = children.map(({ lineage }) => lineage.threadId);
  const wait = {
    type: 'wait',
    ref: 1,
    thread: parent.lineage.thread,
    threadIds,
    timeoutMs: 1000,
    failFast: true,
  } as const;
  questions.ask(0, wait);
  const [first] = children;
  if (first) bench.end(first, 'error');
  bench.commit();
  return bench.cancelled();
}

/** After how many seconds a thread is told to leave its worker that waits for a child; undefined = not within some minutes. */
export function awayAfter(state: State): number | undefined {
  const bench = host(state);
  const parent = bench.spawn();
  const { thread } = parent.lineage;
  const threadIds = [bench.spawn({ parent }).lineage.threadId];
  const call = { id: 'call' };
  questionsOf(bench).ask(0, { type: 'wait', ref: 1, thread, threadIds, timeoutMs: undefined, failFast: false, call });
  bench.host.tell({ type: 'WAITING', thread });
  for (let seconds = 0; seconds < 200; seconds++) {
    if (bench.sent.at(-1)?.type === 'leave') return seconds;
    bench.clock.advance(1000);
  }
  return undefined;
}

function questionsOf({ host }: HostBench): ReturnType<typeof createQuestionHandler> {
  const recall = (threadId: string) => ({ threadId, status: 'not_found', ending: undefined }) as never; // not asked
  const workers = { workers: async () => [], machines: () => undefined };
  const operations = createOperations(liveThreads({ host, recall, isStopped: () => false, ...workers }));
  const symbols = createSymbolQuestions(() => Promise.reject(new Error('there are no symbols here')));
  return createQuestionHandler({ host, functions: createHostFunctions(), operations, recall, symbols });
}

/** What is done with a thread that the end of a runtime has interrupted: those started again, and what the store is asked. */
export function interrupted(state: State): unknown {
  const bench = host(state);
  const { lineage } = bench.spawn();
  bench.host.tell({ type: 'SUSPENDED', thread: lineage.thread, reason: 'shutdown', cost: undefined });
  const reader = { ...bench.host.reader, interrupted: () => [lineage] };
  createRecovery({ ...bench.host, reader }, { schedule: (work) => work() }).start();
  return [bench.started(), bench.pending];
}

/** Whether an ending is still in memory some time later. */
export function remembered(state: State): boolean {
  const bench = host(state);
  const [first, second] = [bench.spawn(), bench.spawn()];
  bench.end(first);
  bench.clock.advance(700_000);
  bench.end(second);
  return bench.host.table.get(first.lineage.thread) !== undefined;
}

/** How many workers are lost, for no thread's doing, until the runtime stops. */
export function unexplainedLosses(state: State): number {
  const bench = host(state);
  let stops = 0;
  const tell: HostBench['host']['tell'] = ({ type }) => void (stops += type === 'FAILED' ? 1 : 0);
  const lose = createWorkerLosses(
    { ...bench.host, tell },
    { ask: unasked, abandon: unasked, lost: () => undefined, close: () => undefined },
  );
  const failure = { code: 'worker_lost', message: 'gone' } as const;
  for (let worker = 0; ; worker++) {
    if (stops > 0) return worker;
    lose({ worker, failure, wasUp: true, wasApart: false, wasHurried: false, suspect: 0 });
    bench.commit();
  }
}

function unasked(): never {
  throw new Error('nothing is asked here');
}

/** After how many seconds a worker is found out whose loop stands still. */
export function stillness(state: State): number {
  const { clock } = host(state);
  const { workerHeartbeatSeconds } = state.config.resilience.coordination;
  const found: number[] = [];
  const vitals = createVitals();
  vitals[0] = 1;
  createHeartbeat({ clock, seconds: () => workerHeartbeatSeconds }).watch(vitals, () => found.push(clock.now()));
  while (found.length === 0) clock.advance(500);
  return found[0] ?? 0;
}

/** The heap that workers may have. */
export function heap({ config }: State): unknown {
  return heapOf(config.resilience.coordination.workerMemoryMb);
}
