/*
 * The bench's driver. Every run of every contender has a process of its own, and the contenders of a case take turns
 * (A B A B), so that whatever else the machine does falls on all of them. See README.md for the method.
 */
import { join } from 'node:path';
import { readArguments, USAGE, type BenchArguments } from './arguments.ts';
import { renderChart } from './chart.ts';
import type { Job, Measured, Params, Scenario } from './job.ts';
import { printReport, saveResults } from './report.ts';
import { describeCase, summarise, type Result } from './results.ts';
import { runJob, type RunOptions } from './run-job.ts';
import { SCENARIOS } from './scenarios/all.ts';
import { sample as sampleScenario } from './scenarios/sample.ts';
import type { ThreadSample } from './thread-sample.ts';

const RUN_TIMEOUT_MS = 600_000;
/** The metric that a scenario's picture shows. */
const PICTURED: Readonly<Record<string, string>> = {
  fanout: 'cpu_per_turn',
  parked: 'heap_per_thread',
  cancel: 'cancel_latency',
  host: 'host_task_max',
  spawn: 'spawn_ratio',
};

await main();

async function main(): Promise<void> {
  let asked: BenchArguments;
  let scenarios: readonly Scenario[];
  try {
    asked = readArguments(process.argv.slice(2));
    scenarios = chosenScenarios(asked);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const problems: string[] = [];
  const results: Result[] = [];
  for (const scenario of scenarios) {
    const found = await runScenario(scenario, asked, problems);
    results.push(...found);
    saveResults(scenario.name, found, renderChart(found, PICTURED[scenario.name] ?? ''));
  }
  printReport(results, problems, asked.json);
}

function chosenScenarios({ scenarios, contenders }: BenchArguments): readonly Scenario[] {
  const unknown = scenarios.find((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown !== undefined) throw new Error(`There is no scenario "${unknown}"`);
  const stranger = contenders.find((name) => !SCENARIOS.some((scenario) => scenario.contenders.includes(name)));
  if (stranger !== undefined) throw new Error(`There is no contender "${stranger}"`);
  return scenarios.length === 0 ? SCENARIOS : SCENARIOS.filter(({ name }) => scenarios.includes(name));
}

async function runScenario(scenario: Scenario, asked: BenchArguments, problems: string[]): Promise<Result[]> {
  const contenders = scenario.contenders.filter(
    (name) => asked.contenders.length === 0 || asked.contenders.includes(name),
  );
  const sample = contenders.some((name) => name !== 'skein') ? await takeSample(asked) : undefined;
  const results: Result[] = [];
  for (const params of scenario.cases(asked.sizes)) {
    const runs = await runCase({ scenario, params, contenders, asked, sample }, problems);
    for (const [contender, measured] of runs) {
      results.push(...summarise({ scenario: scenario.name, contender, params, runs: measured }));
    }
  }
  return results;
}

async function takeSample(asked: BenchArguments): Promise<ThreadSample | undefined> {
  const [params] = sampleScenario.cases(asked.sizes);
  if (!params) return undefined;
  const job: Job = { scenario: sampleScenario.name, contender: 'skein', params, scratch: asked.scratch };
  return (await runJob(job, { nodeArguments: [], timeoutMs: RUN_TIMEOUT_MS })).sample;
}

type Case = {
  readonly scenario: Scenario;
  readonly params: Params;
  readonly contenders: readonly string[];
  readonly asked: BenchArguments;
  readonly sample: ThreadSample | undefined;
};

/** Runs of one case by contender, interleaved. A run that fails is reported and left out. */
async function runCase(one: Case, problems: string[]): Promise<Map<string, Measured[]>> {
  const { scenario, params, contenders, asked, sample } = one;
  const runs = new Map<string, Measured[]>(contenders.map((name) => [name, []]));
  for (let run = 1; run <= asked.runs; run++) {
    for (const contender of contenders) {
      const name = `${scenario.name} ${describeCase(params)}, ${contender}, run ${run}`;
      const job: Job = {
        scenario: scenario.name,
        contender,
        params,
        scratch: asked.scratch,
        ...(sample && { sample }),
      };
      try {
        const measured = await runJob(job, optionsOf(scenario, contender, asked));
        runs.get(contender)?.push(measured);
        problems.push(...measured.problems.map((problem) => `${name}: ${problem}`));
        console.error(`${name}: ${JSON.stringify(measured.metrics)}`);
      } catch (error) {
        problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return runs;
}

function optionsOf(scenario: Scenario, contender: string, { profiles }: BenchArguments): RunOptions {
  const profiling =
    profiles === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', join(profiles, `${scenario.name}-${contender}`)];
  return { nodeArguments: [...(scenario.nodeArguments ?? []), ...profiling], timeoutMs: RUN_TIMEOUT_MS };
}
