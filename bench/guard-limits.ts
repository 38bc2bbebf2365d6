import { readBenchArguments } from './arguments.ts';
import type { Scenario } from './job.ts';
import type { Result } from './results.ts';
import { measureScenario } from './suite.ts';

type Limit = {
  readonly scenario: string;
  readonly metric: string;
  /** What it is divided by: the lower bound's number for this metric of `fanout`; absent: nothing. */
  readonly over?: string;
  readonly max: number;
};

const RUN = ['--contender', 'skein', '--contender', 'plain-encode', '--llm', '0'];
/** What is run: few threads; the ratio that is held most closely is of medians of five runs. */
const WORDS: readonly (readonly string[])[] = [
  ['fanout', '--threads', '2000', '--runs', '5', ...RUN],
  ['parked', '--threads', '2000', '--runs', '1', ...RUN],
  ['resume', '--threads', '1000', '--runs', '3', ...RUN],
];

/**
 * Far less than twice what was seen when they were set (a turn: 7.4 on a quiet machine, 8.8 and 9.9 on a busy one), so that
 * what takes twice as much fails. The lower bound encodes the events that Skein stores, so their number and size are held as
 * well: with more of them the bound would grow, too.
 */
const LIMITS: readonly Limit[] = [
  { scenario: 'fanout', metric: 'cpu_per_turn', over: 'cpu_per_turn', max: 13 },
  { scenario: 'fanout', metric: 'events_per_thread', max: 20 },
  { scenario: 'fanout', metric: 'event_bytes_per_thread', max: 4_700 },
  { scenario: 'fanout', metric: 'checkpoints_per_thread', max: 4 },
  { scenario: 'resume', metric: 'cpu_per_thread', over: 'cpu_per_turn', max: 70 },
  { scenario: 'parked', metric: 'heap_per_thread', max: 8_192 },
];

/** What is measured, by the processes of which file, and where. */
export type Guarded = { readonly scenarios: readonly Scenario[]; readonly entry: string; readonly scratch: string };

/** Runs the short form of the scenarios that there are, and says what has gone wrong or is past its limit. */
export async function guard({ scenarios, entry, scratch }: Guarded): Promise<string[]> {
  const problems: string[] = [];
  const results: Result[] = [];
  for (const words of WORDS) {
    const scenario = scenarios.find(({ name }) => name === words[0]);
    if (!scenario) continue;
    const asked = readBenchArguments([...words, '--scratch', scratch], scenarios);
    results.push(...(await measureScenario(scenario, { entry, asked, problems, failed: new Set() })));
  }
  const limits = LIMITS.filter((limit) => scenarios.some(({ name }) => name === limit.scenario));
  return [...problems, ...limits.flatMap((limit) => hold(limit, results))];
}

/** The line that says so, if a figure is past its limit. */
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
