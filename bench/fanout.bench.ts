/*
 * The bench's driver. Every run of every contender has a process of its own, and the contenders of a case take turns
 * (A B A B), so that whatever else the machine does falls on all of them. See README.md for the method.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments, USAGE, type BenchArguments } from './arguments.ts';
import { renderChart } from './chart.ts';
import type { Job, Measured, Params, Scenario } from './job.ts';
import { describeMachine } from './machine.ts';
import { describeCase, encodeResults, summarise, type Result } from './results.ts';
import { runJob, type RunOptions } from './run-job.ts';
import { SCENARIOS } from './scenarios/all.ts';
import { sample as sampleScenario } from './scenarios/sample.ts';
import { renderTable } from './table.ts';
import { checkTargets } from './targets.ts';
import type { ThreadSample } from './thread-sample.ts';

const RUN_TIMEOUT_MS = 600_000;
const RESULTS = fileURLToPath(new URL('./results', import.meta.url));
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
    save(scenario.name, found);
  }
  report(results, problems, asked);
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

function save(name: string, results: readonly Result[]): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), encodeResults(describeMachine(), results));
  writeFileSync(join(RESULTS, `${name}.svg`), renderChart(results, PICTURED[name] ?? ''));
}

function report(results: readonly Result[], problems: readonly string[], { json }: BenchArguments): void {
  if (json) console.log(JSON.stringify({ machine: describeMachine(), results, problems }, undefined, 2));
  else {
    console.log(`${renderTable(results)}\n\nTargets`);
    for (const { text, reached } of checkTargets(results)) console.log(`  ${markOf(reached)}  ${text}`);
    for (const problem of problems) console.log(`  PROBLEM  ${problem}`);
  }
  if (problems.length > 0) process.exitCode = 1;
}

function markOf(reached: boolean | undefined): string {
  if (reached === undefined) return '       ';
  return reached ? 'reached' : 'MISSED ';
}
