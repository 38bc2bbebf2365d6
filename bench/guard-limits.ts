import { readBenchArguments } from './arguments.ts';
import type { Scenario } from './job.ts';
import { median, type Series } from './results.ts';
import { measureScenario } from './suite.ts';

/**
 * µs a turn of the lower bound, 6 to 9 elsewhere, beyond which it is memory that is dear, as on a machine whose pages were taken away: both
 * of a pair pay for their pages then (50 to 150 µs were seen), and twice the work may be within a limit.
 */
const DEAR_US = 30;

type Limit = {
  readonly scenario: GuardedName;
  readonly metric: string;
  /** What it is divided by: this metric of the lower bound; absent: nothing. */
  readonly over?: string;
  readonly max: number;
};

const RUN = ['--contender', 'skein', '--contender', 'plain-encode'];
const LOWER_BOUND = { scenario: 'fanout', contender: 'plain-encode' };
/** What is run: few threads; the ratio that is held most closely has five pairs of runs. */
const WORDS = {
  fanout: ['--threads', '2000', '--runs', '5', '--llm', '0', ...RUN],
  parked: ['--threads', '2000', '--runs', '1', ...RUN],
  resume: ['--threads', '1000', '--runs', '5', ...RUN],
} as const;

/** A scenario that has limits. */
export type GuardedName = keyof typeof WORDS;

// The keys of a literal.
const NAMES = Object.keys(WORDS) as GuardedName[];

/**
 * Between what was seen when they were set and twice that (a turn: 8.5 to 8.7, twice the work 15.1 to 16.4; a resumption: 55 to
 * 67), so that what takes twice as much fails. The lower bound encodes the events that Skein stores, so their number and size are
 * held as well: with more of them the bound would grow, too.
 */
const LIMITS: readonly Limit[] = [
  { scenario: 'fanout', metric: 'cpu_per_turn', over: 'cpu_per_turn', max: 11.5 },
  { scenario: 'fanout', metric: 'events_per_thread', max: 20 },
  { scenario: 'fanout', metric: 'event_bytes_per_thread', max: 4_700 },
  { scenario: 'fanout', metric: 'checkpoints_per_thread', max: 4 },
  { scenario: 'resume', metric: 'cpu_per_thread', over: 'cpu_per_turn', max: 90 },
  { scenario: 'parked', metric: 'heap_per_thread', max: 8_192 },
];

/** What is measured, by the processes of which file, and where; `names`: only these have to be there. */
export type Guarded = {
  readonly scenarios: readonly Scenario[];
  readonly entry: string;
  readonly scratch: string;
  readonly names?: readonly GuardedName[];
};

/** Runs the short form of the scenarios, and says what has gone wrong, is not there, or is past its limit. */
export async function guard({ scenarios, entry, scratch, names = NAMES }: Guarded): Promise<string[]> {
  const problems: string[] = [];
  const series: Series[] = [];
  for (const name of names) {
    const scenario = scenarios.find((one) => one.name === name);
    if (!scenario) {
      problems.push(`There is no scenario ${name}: what it costs is not known`);
      continue;
    }
    const asked = readBenchArguments([name, ...WORDS[name], '--scratch', scratch], scenarios);
    series.push(...(await measureScenario(scenario, { entry, asked, problems, failed: new Set() })));
  }
  return [...problems, ...pastLimits(names, series)];
}

/** Says which figures of these scenarios are past their limits, or were not measured. */
export function pastLimits(names: readonly GuardedName[], series: readonly Series[]): string[] {
  return LIMITS.filter(({ scenario }) => names.includes(scenario)).flatMap((limit) => hold(limit, series));
}

/** The line that says so, if a figure is past its limit. */
function hold({ scenario, metric, over, max }: Limit, series: readonly Series[]): string[] {
  const values = valuesOf(series, { scenario, contender: 'skein' }, metric);
  const bases = over === undefined ? [] : valuesOf(series, LOWER_BOUND, over);
  const figure = over === undefined ? median(values) : ratio(values, bases, scenario);
  const text = `${scenario} ${metric}${over === undefined ? '' : ' ÷ plain-encode'}: ${figure.toFixed(2)}, at most ${max}`;
  console.log(text);
  const bound = median(bases);
  if (bound > DEAR_US)
    console.log(`${scenario} ${metric} says little here: the lower bound takes ${bound.toFixed(0)} µs a turn`);
  // What is not a number was not measured.
  return figure <= max ? [] : [text];
}

/**
 * What each run is of the lower bound's that came right after it, by their median: a machine that slows down meanwhile slows
 * both of a pair down. Runs of another scenario have no neighbours, so medians stand for all.
 */
function ratio(values: readonly number[], bases: readonly number[], scenario: string): number {
  if (scenario !== LOWER_BOUND.scenario) return median(values) / median(bases);
  return median(values.map((value, run) => value / (bases[run] ?? Number.NaN)));
}

function valuesOf(
  series: readonly Series[],
  { scenario, contender }: { readonly scenario: string; readonly contender: string },
  metric: string,
): number[] {
  const found = series.find((one) => one.scenario === scenario && one.contender === contender);
  return found?.runs.flatMap(({ metrics }) => metrics[metric] ?? []) ?? [];
}
