/*
 * The bench's driver. Every run of every contender has a process of its own, and the contenders of a case take turns
 * (A B A B), so that whatever else the machine does falls on all of them.
 */
import { join } from 'node:path';
import { benchCommand } from '../src/cli/bench-command.ts';
import { EXIT, type ExitCode } from '../src/cli/exit-code.ts';
import { commandHelp } from '../src/cli/help.ts';
import type { CliIo } from '../src/cli/io.ts';
import { start } from '../src/cli/start.ts';
import { readBenchArguments, type BenchArguments } from './arguments.ts';
import type { Measured, Params, Scenario } from './job.ts';
import { beginRun, isInMemory } from './machine.ts';
import { checkPlaces, printReport, saveResults } from './report.ts';
import { describeCase, summarise, type Result, type Series } from './results.ts';
import { answerJob, JOB, runJob, type LateScenarios, type RunOptions } from './run-job.ts';
import { sample as sampleScenario } from './scenarios/sample.ts';
import type { ThreadSample } from './thread-sample.ts';
import { youngGenerationOf } from './young-generation.ts';

/** What can be run, and the file whose process runs one job of it when it is told so. */
export type Suite = {
  readonly scenarios: readonly Scenario[];
  /** Those that use the source and not the package: to load it takes a second, which the runs of all others do without. */
  readonly fromSource?: LateScenarios;
  readonly entry: string;
  /** Folder for results; undefined: none unless one is asked for. */
  readonly out: string | undefined;
};

/** The whole of a process: runs what its command line asks for; in the process of one run, that run. */
export function runSuite(suite: Suite): Promise<void> {
  const [word, ...more] = process.argv.slice(2);
  if (word === JOB) return answerJob([...suite.scenarios, sampleScenario], more[0] ?? '', suite.fromSource);
  return start(process, (io) => runAsked(suite, io));
}

async function runAsked(
  { scenarios: shipped, fromSource = {}, entry, out }: Suite,
  { stdout }: CliIo,
): Promise<ExitCode> {
  const words = process.argv.slice(2);
  if (words.includes('--help')) {
    stdout.write(commandHelp(benchCommand, 120));
    const more = Object.keys(fromSource).join(', ');
    if (more !== '') stdout.write(`\nScenarios of the repository alone: ${more}.\n`);
    return EXIT.completed;
  }
  const scenarios = [...shipped, ...(await Promise.all(Object.values(fromSource).map((load) => load())))];
  const asked = readBenchArguments(words, scenarios);
  const wanted = scenarios.filter(({ name }) => asked.scenarios.length === 0 || asked.scenarios.includes(name));
  const folder = folderOf(asked, out);
  if (folder !== undefined)
    checkPlaces(
      wanted.map(({ name }) => name),
      folder,
    );
  const from = performance.now();
  const describeRun = beginRun('dist');
  const problems: string[] = [];
  const results: Result[] = [];
  for (const scenario of wanted) {
    const began = performance.now();
    const failed = new Set<string>();
    const series = await measureScenario(scenario, { entry, asked, problems, failed });
    const found = series.flatMap(summarise);
    results.push(...found);
    if (folder !== undefined) {
      try {
        saveResults(scenario.name, { ...describeRun(), results: found, failed }, folder);
      } catch (error) {
        // What was measured is printed all the same.
        problems.push(`${scenario.name} is not stored: ${messageOf(error)}`);
      }
    }
    console.error(`${scenario.name} took ${minutesSince(began)} minutes`);
  }
  console.error(`All of it took ${minutesSince(from)} minutes`);
  printReport(results, problems, asked.json);
  return problems.length > 0 ? EXIT.failed : EXIT.completed;
}

/** Where results are written, if they are. */
function folderOf({ out: asked, profiles, scratch }: BenchArguments, own: string | undefined): string | undefined {
  // What is profiled is slower.
  if (profiles !== undefined) return undefined;
  if (asked !== undefined || own === undefined || !isInMemory(scratch)) return asked ?? own;
  console.error(`${scratch} is kept in memory, where a commit costs nothing: nothing is stored without --out`);
  return undefined;
}

function minutesSince(from: number): string {
  return ((performance.now() - from) / 60_000).toFixed(1);
}

/** What a scenario is measured with; what is wrong is added to `problems`, and the case it is wrong in to `failed`. */
export type Measuring = {
  readonly entry: string;
  readonly asked: BenchArguments;
  readonly problems: string[];
  readonly failed: Set<string>;
};

/** Runs all cases of a scenario; gives back what was run, by case and contender. */
export async function measureScenario(scenario: Scenario, measuring: Measuring): Promise<Series[]> {
  const { asked } = measuring;
  const names = scenario.contenders.filter((name) => asked.contenders.length === 0 || asked.contenders.includes(name));
  const samples = new Map<number, Taken>();
  const series: Series[] = [];
  for (const params of scenario.cases(asked.sizes)) {
    // Whoever is asked for by name runs every case of which it has a form.
    const isNamed = asked.contenders.length > 0;
    const contenders = names.filter((name) => {
      if (scenario.lacks?.(name, params)) return false;
      return isNamed || (scenario.takesPart?.(name, params, asked.sizes) ?? true);
    });
    const { turns } = params;
    const before = measuring.problems.length;
    const isSampled = scenario.needsSample && contenders.some((name) => name !== 'skein');
    if (isSampled && !samples.has(turns)) samples.set(turns, await takeSample(turns, measuring));
    const taken = isSampled ? samples.get(turns) : undefined;
    const runs = await runCase({ scenario, params, contenders, sample: taken?.sample }, measuring);
    if (measuring.problems.length > before || taken?.isWrong) measuring.failed.add(describeCase(params));
    for (const [contender, measured] of runs) {
      series.push({ scenario: scenario.name, contender, params, runs: measured });
    }
  }
  return series;
}

/** A sample; one that is wrong is so for every case that it is taken for. */
type Taken = { readonly sample: ThreadSample | undefined; readonly isWrong: boolean };

/** What Skein stores for a thread of so many turns. */
async function takeSample(turns: number, { entry, asked, problems }: Measuring): Promise<Taken> {
  const params = { threads: 1, turns, llmMs: 0 };
  const job = { scenario: sampleScenario.name, contender: 'skein', params, scratch: asked.scratch };
  const name = `sample of ${turns} turns`;
  try {
    const taken = await runJob(job, { entry, nodeArguments: [], timeoutMs: asked.timeoutMs });
    problems.push(...taken.problems.map((problem) => `${name}: ${problem}`));
    return { sample: taken.sample, isWrong: taken.problems.length > 0 };
  } catch (error) {
    // Who needs it says so as well, run by run.
    problems.push(`${name}: ${messageOf(error)}`);
    return { sample: undefined, isWrong: true };
  }
}

type Case = {
  readonly scenario: Scenario;
  readonly params: Params;
  readonly contenders: readonly string[];
  readonly sample: ThreadSample | undefined;
};

/** Runs of one case by contender, interleaved. A run that fails is reported and left out. */
async function runCase(
  { scenario, params, contenders, sample }: Case,
  { entry, asked, problems }: Measuring,
): Promise<Map<string, Measured[]>> {
  const runs = new Map<string, Measured[]>(contenders.map((name) => [name, []]));
  for (let run = 1; run <= asked.runs; run++) {
    for (const contender of contenders) {
      const name = `${scenario.name} ${describeCase(params)}, ${contender}, run ${run}`;
      const folder = `${scenario.name}-${contender}-${describeCase(params)}-${run}`.replaceAll(/[^\w.]+/g, '-');
      const job = { scenario: scenario.name, contender, params, scratch: asked.scratch, ...(sample && { sample }) };
      try {
        const measured = await runJob(job, { entry, ...optionsOf(scenario, { contender, folder }, asked) });
        runs.get(contender)?.push(measured);
        problems.push(...measured.problems.map((problem) => `${name}: ${problem}`));
        console.error(`${name}: ${JSON.stringify(measured.metrics)}`);
      } catch (error) {
        problems.push(`${name}: ${messageOf(error)}`);
      }
    }
  }
  return runs;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function optionsOf(
  scenario: Scenario,
  { contender, folder }: { readonly contender: string; readonly folder: string },
  { profiles, timeoutMs }: BenchArguments,
): Omit<RunOptions, 'entry'> {
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(profiles, folder)}`];
  const nodeArguments = [...youngGenerationOf(contender, scenario), ...(scenario.nodeArguments ?? []), ...profiling];
  return { nodeArguments, timeoutMs };
}
