import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { AskedSizes } from './job.ts';

/** The command line of the bench. */
export type BenchArguments = {
  /** Names of the scenarios; empty = all. */
  readonly scenarios: readonly string[];
  readonly sizes: AskedSizes;
  readonly runs: number;
  /** Names of the contenders; empty = all that a scenario has. */
  readonly contenders: readonly string[];
  readonly json: boolean;
  /** Folder for CPU profiles, one file per thread of each process. */
  readonly profiles: string | undefined;
  readonly scratch: string;
};

export const USAGE = `Usage: npm run bench -- [scenario …] [options]
  scenario           fanout, parked, idle, cancel, host, spawn (default: all)
  --threads N        threads of a run; may be given several times
  --turns N          turns of a thread (default 3)
  --llm MS           length of a model call; may be given several times
  --runs N           runs of each case, of which the median counts (default 3)
  --contender NAME   skein, plain-encode, langgraph; may be given several times
  --json             print the results as JSON
  --profile FOLDER   write CPU profiles (slower: not for numbers)
  --scratch FOLDER   where projects are made (default: the temporary folder)`;

/** Reads the command line. @throws Error with a line for the person who typed it */
export function readArguments(argv: readonly string[]): BenchArguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      threads: { type: 'string', multiple: true, default: [] },
      turns: { type: 'string', default: '3' },
      llm: { type: 'string', multiple: true, default: [] },
      runs: { type: 'string', default: '3' },
      contender: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      profile: { type: 'string' },
      scratch: { type: 'string', default: tmpdir() },
    },
  });
  return {
    scenarios: positionals,
    sizes: {
      threads: values.threads.map((text) => wholeNumber('threads', text, 1)),
      turns: wholeNumber('turns', values.turns, 1),
      llmMs: values.llm.map((text) => wholeNumber('llm', text, 0)),
    },
    runs: wholeNumber('runs', values.runs, 1),
    contenders: values.contender,
    json: values.json,
    profiles: values.profile,
    scratch: values.scratch,
  };
}

/** Reads a whole number. @throws Error naming the option */
export function wholeNumber(name: string, text: string, min: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min) return value;
  throw new Error(`--${name} is "${text}"; a whole number from ${min} is expected`);
}
