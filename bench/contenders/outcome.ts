import type { Work } from '../workload.ts';
import type { Finished } from './contender.ts';

/** What each thread of this work has to come to. */
export function outcomeOf({ turns, answerOf }: Work): Finished {
  let toolResults = 0;
  for (let turn = 1; turn < turns; turn++) toolResults += answerOf(turn).toolInputs.length;
  return { answers: turns, toolResults, text: answerOf(turns).text };
}

/** Holds what a thread has come to against what it had to. @throws Error if it has not done all of it */
export function checkThread(finished: Finished, expected: Finished): void {
  const problem = problemOf(finished, expected);
  if (problem !== undefined) throw new Error(`a thread ${problem}`);
}

/** What a thread has not done of its work. */
export function problemOf({ answers, toolResults, text }: Finished, expected: Finished): string | undefined {
  if (answers !== expected.answers || toolResults !== expected.toolResults)
    return `ended with ${answers} of ${expected.answers} answers and ${toolResults} of ${expected.toolResults} tool results`;
  return text === expected.text ? undefined : `ended with "${text}"`;
}
