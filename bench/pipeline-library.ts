import type { Library } from './contenders/contender.ts';
import { answerIn, measureRounds, nestedThreads, runNested, toolRunning, type RoundCost } from './nested-threads.ts';
import { answerOf, fanOutWork, modelDelay } from './workload.ts';

/** How many pipelines at once, of so many stages, each of so many turns, and how long a model takes. */
type Shape = {
  readonly pipelines: number;
  readonly stages: number;
  readonly turns: number;
  readonly llmMs: number;
};

/**
 * Pipelines of a library's: an agent whose tool runs the next stage. What a stage comes to is known, so the model that passes it on
 * has it in its answers.
 */
export function pipelinesOfLibrary(library: Library, { pipelines, stages, turns, llmMs }: Shape): Promise<RoundCost> {
  const count = { ended: 0 };
  const stage = nestedThreads(library, fanOutWork({ turns, llmMs }), count);
  const passedOn = answerOf(turns, turns).text;
  const work = {
    turns: stages + 1,
    callModel: () => modelDelay(llmMs),
    answerOf: (turn: number) =>
      turn > stages
        ? answerIn(turn, 'The last stage has ended.')
        : answerIn(turn, '', [{ word: turn === 1 ? 'the beginning' : passedOn }]),
    callTool: toolRunning(stage),
  };
  const line = nestedThreads(library, work, count);
  const run = (): Promise<unknown> =>
    Promise.all(Array.from({ length: pipelines }, (_, index) => line(`Start the threads, then wait: ${index}`)));
  const phase = { threads: pipelines * (stages + 1), roots: pipelines, run };
  return measureRounds(() => runNested(library, count, phase));
}
