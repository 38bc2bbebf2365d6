/*
 * What a viewer of the dashboard costs that never reads: the same threads with and without one, in processes that take turns. See
 * README.md. `node bench/viewer.bench.ts [--runs N] [--threads N] [--json]`
 */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { wholeNumber } from './arguments.ts';
import type { Measured, Params } from './job.ts';
import { beginRun } from './machine.ts';
import { printReport, saveResults } from './report.ts';
import { describeCase, summarise } from './results.ts';
import { answerJob, JOB, runJob } from './run-job.ts';
import { viewer } from './scenarios/viewer.ts';

// The process of one run.
if (process.argv[2] === JOB) await answerJob([viewer], process.argv[3] ?? '');

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    threads: { type: 'string', default: '5000' },
    json: { type: 'boolean', default: false },
  },
});
const sizes = { threads: [wholeNumber('threads', values.threads, 1)], turns: 3, llmMs: [], isLong: false };
const [params] = viewer.cases(sizes);
if (!params) throw new Error('There is no case');
const describeRun = beginRun('dist');
const { runs, problems } = await runInTurn(params, wholeNumber('runs', values.runs, 1));
const results = [...runs].flatMap(([contender, measured]) =>
  summarise({ scenario: viewer.name, contender, params, runs: measured }),
);
const failed = new Set(problems.length > 0 ? [describeCase(params)] : []);
saveResults(viewer.name, { ...describeRun(), results, failed });
printReport(results, problems, values.json);

type Runs = { readonly runs: Map<string, Measured[]>; readonly problems: readonly string[] };

/** A B C A B C …; each run but the first contender's is held against that which stands beside it. */
async function runInTurn(params: Params, rounds: number): Promise<Runs> {
  const runs = new Map<string, Measured[]>(viewer.contenders.map((name) => [name, []]));
  const problems: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    let alone: Measured['metrics'] | undefined;
    for (const contender of viewer.contenders) {
      const job = { scenario: viewer.name, contender, params, scratch: tmpdir() };
      const measured = await runJob(job, {
        entry: import.meta.filename,
        nodeArguments: viewer.nodeArguments ?? [],
        timeoutMs: 300_000,
      });
      const metrics = { ...measured.metrics, ...(alone && ratiosTo(alone, measured.metrics)) };
      alone ??= measured.metrics;
      runs.get(contender)?.push({ ...measured, metrics });
      problems.push(...measured.problems.map((problem) => `${contender}, run ${round}: ${problem}`));
      console.error(`${contender}, run ${round}: ${JSON.stringify(metrics)}`);
    }
  }
  return { runs, problems };
}

function ratiosTo(alone: Measured['metrics'], own: Measured['metrics']): Record<string, number> {
  const ratio = (metric: string): number => (own[metric] ?? Number.NaN) / (alone[metric] ?? Number.NaN);
  return {
    cpu_ratio: ratio('cpu_per_turn'),
    posts_ratio: ratio('posts_per_tick'),
    messages_ratio: ratio('messages_per_thread'),
  };
}
