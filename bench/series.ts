import type { Measured } from './job.ts';
import { printReport, saveResults } from './report.ts';
import { summarise } from './results.ts';

/** A bench that runs one thing several times, and what is asked of it; `items`: how many things a run has. */
export type RunSeries = {
  readonly scenario: string;
  readonly items: number;
  readonly runs: number;
  readonly json: boolean;
};

/** Runs it, saves the results and prints the report. */
export async function runSeries(
  { scenario, items, runs, json }: RunSeries,
  measureOnce: () => Measured | Promise<Measured>,
): Promise<void> {
  const measured: Measured[] = [];
  for (let run = 1; run <= runs; run++) {
    const one = await measureOnce();
    measured.push(one);
    console.error(`${scenario}, run ${run}: ${JSON.stringify(one.metrics)}`);
  }
  const params = { threads: 0, turns: 0, llmMs: 0, items };
  const results = summarise({ scenario, contender: 'skein', params, runs: measured });
  saveResults(scenario, results);
  const problems = measured.flatMap((one, index) => one.problems.map((problem) => `run ${index + 1}: ${problem}`));
  printReport(results, problems, json);
}
