/*
 * `node bench/guard.ts`: a short form of the bench, in under a minute, for CI. What it holds against a limit is a ratio to
 * the lower bound (`plain-encode`) in the same run, or a size, which say the same on any machine. The limits are generous:
 * a change that makes a turn half as dear again passes, one that makes it three times as dear does not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchArguments } from './arguments.ts';
import { BY_NAME } from './contenders/by-name.ts';
import type { Result } from './results.ts';
import { scenariosWith } from './scenarios/shipped.ts';
import { measureScenario, type Measuring } from './suite.ts';

type Limit = {
  readonly scenario: string;
  readonly metric: string;
  /** What it is divided by: the bound's number for this metric of `fanout`; absent: nothing. */
  readonly over?: string;
  readonly max: number;
};

const SCENARIOS = scenariosWith(BY_NAME);
const RUN = ['--contender', 'skein', '--contender', 'plain-encode', '--llm', '0'];
/** What is run: few threads, few runs. */
const WORDS: readonly (readonly string[])[] = [
  ['fanout', '--threads', '2000', '--runs', '3', ...RUN],
  ['parked', '--threads', '2000', '--runs', '1', ...RUN],
  ['resume', '--threads', '1000', '--runs', '1', ...RUN],
];
/** Two to three times what was seen when they were set. */
const LIMITS: readonly Limit[] = [
  { scenario: 'fanout', metric: 'cpu_per_turn', over: 'cpu_per_turn', max: 18 },
  { scenario: 'resume', metric: 'cpu_per_thread', over: 'cpu_per_turn', max: 100 },
  { scenario: 'parked', metric: 'heap_per_thread', max: 12_288 },
];

const scratch = mkdtempSync(join(tmpdir(), 'skein-guard-'));
try {
  const problems: string[] = [];
  const results: Result[] = [];
  for (const words of WORDS) results.push(...(await measure(words, problems)));
  for (const limit of LIMITS) problems.push(...hold(limit, results));
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function measure(words: readonly string[], problems: string[]): Promise<Result[]> {
  const asked = readBenchArguments([...words, '--scratch', scratch], SCENARIOS);
  const measuring: Measuring = { entry: join(import.meta.dirname, 'run.ts'), asked, problems, failed: new Set() };
  const chosen = SCENARIOS.filter(({ name }) => asked.scenarios.includes(name));
  const found: Result[] = [];
  for (const scenario of chosen) found.push(...(await measureScenario(scenario, measuring)));
  return found;
}

function hold({ scenario, metric, over, max }: Limit, results: readonly Result[]): string[] {
  const value = find(results, { scenario, metric, contender: 'skein' });
  const base = over === undefined ? 1 : find(results, { scenario: 'fanout', metric: over, contender: 'plain-encode' });
  const figure = value / base;
  const text = `${scenario} ${metric}${over === undefined ? '' : ' ÷ plain-encode'}: ${figure.toFixed(2)}, at most ${max}`;
  console.log(text);
  // What is not a number was not measured.
  return figure <= max ? [] : [text];
}

function find(results: readonly Result[], { scenario, metric, contender }: Partial<Result>): number {
  const found = results.find(
    (result) => result.scenario === scenario && result.metric === metric && result.contender === contender,
  );
  return found?.value ?? Number.NaN;
}
