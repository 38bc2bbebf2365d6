import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { readArguments } from '../src/cli/arguments.ts';
import { BENCH_OPTIONS } from '../src/cli/bench-options.ts';
import { SkeinError } from '../src/index.ts';
import { SIZE_OPTIONS, type AskedSizes, type Scenario, type SizeOption } from './job.ts';

/** The command line of the bench. */
export type BenchArguments = {
  /** Names of the scenarios; empty = all. */
  readonly scenarios: readonly string[];
  readonly sizes: AskedSizes;
  readonly runs: number;
  /** Names of the contenders; empty = those that a scenario runs by itself. */
  readonly contenders: readonly string[];
  readonly json: boolean;
  /** Folder for results, if one was given. */
  readonly out: string | undefined;
  /** Folder for CPU profiles, one file per thread of each process. */
  readonly profiles: string | undefined;
  readonly scratch: string;
  /** A run that takes longer has failed. */
  readonly timeoutMs: number;
};

/** Reads the command line. @throws SkeinError `invalid_argument` with a line for the person who typed it */
export function readBenchArguments(argv: readonly string[], known: readonly Scenario[]): BenchArguments {
  const { values, positionals } = readArguments(argv, { name: 'bench', options: BENCH_OPTIONS });
  const { threads = [], turns = '3', llm = [], runs = '3', contender = [], json = false, long = false } = values;
  const names = known.map(({ name }) => name);
  for (const name of positionals) checkName('scenario', name, names);
  const contenders = [...new Set(known.flatMap((scenario) => scenario.contenders))];
  for (const name of contender) checkName('contender', name, contenders);
  const asked = known.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  if (contender.length > 0 && !asked.some(({ contenders: own }) => own.some((name) => contender.includes(name))))
    throw new SkeinError('invalid_argument', `${contender.join(', ')} takes no part in ${positionals.join(', ')}`);
  for (const option of SIZE_OPTIONS) if (values[option] !== undefined) checkTaken(option, asked, known);
  return {
    scenarios: positionals,
    sizes: {
      threads: threads.map((text) => wholeNumber('threads', text, 1)),
      turns: wholeNumber('turns', turns, 1),
      llmMs: llm.map((text) => wholeNumber('llm', text, 0)),
      isLong: long,
    },
    runs: wholeNumber('runs', runs, 1),
    contenders: contender,
    json,
    out: values.out === undefined ? undefined : resolve(values.out),
    profiles: values.profile,
    scratch: resolve(values.scratch ?? tmpdir()),
    timeoutMs: long ? 3_600_000 : 600_000,
  };
}

/** Whoever gives a size wants something else to be measured. */
function checkTaken(option: SizeOption, asked: readonly Scenario[], known: readonly Scenario[]): void {
  const takes = ({ takes: own = ['threads'] }: Scenario): boolean => own.includes(option);
  if (asked.some(takes)) return;
  const names = (scenarios: readonly Scenario[]): string => scenarios.map(({ name }) => name).join(', ');
  throw new SkeinError(
    'invalid_argument',
    `--${option} is not for ${names(asked)}; it is for ${names(known.filter(takes))}`,
  );
}

function checkName(what: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw new SkeinError(
    'invalid_argument',
    `There is no ${what} ${JSON.stringify(name)}; there are: ${names.join(', ')}`,
  );
}

/** What a command line says; one that is wrong ends the process with why, the usage and 2. */
export function readOrExit<Read>(usage: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

/** Reads a whole number. @throws SkeinError `invalid_argument` naming the option */
export function wholeNumber(name: string, text: string, min: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= min) return value;
  throw new SkeinError('invalid_argument', `--${name} is "${text}"; a whole number from ${min} is expected`);
}
