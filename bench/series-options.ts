import { tmpdir } from 'node:os';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { readOrExit, wholeNumber } from './arguments.ts';

/** A number that a bench is asked for as `--NAME N`. */
type Size = { readonly about: string; readonly standard: number; readonly least: number };

/** What the command line of a bench of one measurement says: its own sizes, and what each of them takes. */
export type SeriesOptions<Name extends string> = {
  readonly sizes: Readonly<Record<Name, number>>;
  readonly runs: number;
  readonly json: boolean;
  /** Folder for what the bench makes. */
  readonly scratch: string;
};

const RUNS: Size = { about: 'runs, of which the median counts', standard: 3, least: 1 };

/** Reads the command line of `bench/SCENARIO.bench.ts`; one that is wrong ends the process with the usage and 2. */
export function readSeriesOptions<Name extends string>(
  scenario: string,
  sizes: Readonly<Record<Name, Size>>,
): SeriesOptions<Name> {
  return readOrExit(usageOf(scenario, sizes), () => read(sizes));
}

function read<Name extends string>(sizes: Readonly<Record<Name, Size>>): SeriesOptions<Name> {
  const names = Object.keys({ ...sizes, runs: RUNS });
  const options: ParseArgsOptionsConfig = {
    ...Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const)),
    json: { type: 'boolean' },
    scratch: { type: 'string' },
  };
  const { values } = parseArgs({ options });
  const numberOf = (name: string, { standard, least }: Size): number =>
    wholeNumber(name, String(values[name] ?? standard), least);
  const own = Object.entries<Size>(sizes).map(([name, size]) => [name, numberOf(name, size)] as const);
  return {
    // Each name of `sizes`, and no other.
    sizes: Object.fromEntries(own) as Record<Name, number>,
    runs: numberOf('runs', RUNS),
    json: values.json === true,
    scratch: String(values.scratch ?? tmpdir()),
  };
}

function usageOf(scenario: string, sizes: Readonly<Record<string, Size>>): string {
  const rows = [
    ...Object.entries({ ...sizes, runs: RUNS }).map(
      ([name, { about, standard }]) => [`--${name} N`, `${about} (default ${standard})`] as const,
    ),
    ['--json', 'print the results as JSON'] as const,
    ['--scratch FOLDER', 'where what it makes is put (default: the temporary folder)'] as const,
  ];
  const lines = rows.map(([option, about]) => `  ${option.padEnd(18)} ${about}`);
  return [`Usage: node bench/${scenario}.bench.ts [options]`, ...lines].join('\n');
}
