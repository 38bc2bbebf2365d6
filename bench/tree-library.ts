import type { Library, RunThread } from './contenders/contender.ts';
import {
  answerIn,
  measureRounds,
  nestedThreads,
  runNested,
  toolRunning,
  type Count,
  type RoundCost,
} from './nested-threads.ts';
import { lookUp, modelDelay } from './workload.ts';

/** Levels below the root, threads that each above the last runs, threads of all of it, and how long a model takes. */
type Shape = {
  readonly levels: number;
  readonly fanOut: number;
  readonly threads: number;
  readonly llmMs: number;
};

/** A tree of a library's: an agent whose tool runs others of the level below. It needs no turn to wait for them. */
export function treeOfLibrary(library: Library, shape: Shape): Promise<RoundCost> {
  const count = { ended: 0 };
  const run = threadsAt(shape.levels, { ...shape, library, count });
  const phase = { threads: shape.threads, roots: 1, run: () => run('Start the threads, then wait.') };
  return measureRounds(() => runNested(library, count, phase));
}

type Growing = Pick<Shape, 'fanOut' | 'llmMs'> & { readonly library: Library; readonly count: Count };

function threadsAt(levels: number, growing: Growing): RunThread {
  const { library, llmMs, fanOut, count } = growing;
  const callModel = (): Promise<void> => modelDelay(llmMs);
  if (levels === 0) {
    const answerOf = (turn: number) => answerIn(turn, 'Done.');
    return nestedThreads(library, { turns: 1, callModel, answerOf, callTool: lookUp }, count);
  }
  const inputs = Array.from({ length: fanOut }, (_, index) => ({ word: `Wait: ${index}` }));
  const answerOf = (turn: number) =>
    turn === 1 ? answerIn(turn, 'All of them.', inputs) : answerIn(turn, 'All of them have ended.');
  const callTool = toolRunning(threadsAt(levels - 1, growing));
  return nestedThreads(library, { turns: 2, callModel, answerOf, callTool }, count);
}
