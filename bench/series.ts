import type { Measured } from './job.ts';
import { beginRun, type MeasuredCode } from './machine.ts';
import { printReport, saveResults } from './report.ts';
import { describeCase, summarise } from './results.ts';

/** A bench that runs one thing several times, and what is asked of it; `items`: how many things a run has. */
export type RunSeries = {
  readonly scenario: string;
  readonly code: MeasuredCode;
  readonly items: number;
  /** Which form of it, if not the usual one. */
  readonly variant?: string | undefined;
  readonly runs: number;
  readonly json: boolean;
  /** Folder for results; default: where the repository keeps them. */
  readonly out?: string | undefined;
};

/** Runs it, saves the results, if nothing was wrong with them, and prints the report. */
export async function runSeries(
  { scenario, code, items, variant, runs, json, out }: RunSeries,
  measureOnce: () => Measured | Promise<Measured>,
): Promise<void> {
  const describeRun = beginRun(code);
  const measured: Measured[] = [];
  for (let run = 1; run <= runs; run++) {
    const one = await measureOnce();
    measured.push(one);
    console.error(`${scenario}, run ${run}: ${JSON.stringify(one.metrics)}`);
  }
  const params = { threads: 0, turns: 0, llmMs: 0, items, ...(variant !== undefined && { variant }) };
  const results = summarise({ scenario, contender: 'skein', params, runs: measured });
  const problems = measured.flatMap((one, index) => one.problems.map((problem) => `run ${index + 1}: ${problem}`));
  const failed = new Set(problems.length > 0 ? [describeCase(params)] : []);
  saveResults(scenario, { ...describeRun(), results, failed }, out);
  printReport(results, problems, json);
}
