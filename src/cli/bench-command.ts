import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readArguments } from './arguments.ts';
import { BENCH_OPTIONS } from './bench-options.ts';
import type { Command } from './command.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';

/** What it measures, in this order. */
const SCENARIOS = [
  'fanout',
  'scale',
  'spawn',
  'parked',
  'tree',
  'pipeline',
  'tools',
  'cancel',
  'resume',
  'recover',
  'idle',
];

/** `skein bench`: measures this package on this machine, in processes of its own (ADR 57). */
export const benchCommand: Command = {
  name: 'bench',
  takes: '[SCENARIO...]',
  words: SCENARIOS,
  summary: 'measure this package on this machine: thousands of scripted threads, and what each of them costs',
  options: BENCH_OPTIONS,
  examples: [
    ['skein bench', 'every scenario; some minutes'],
    ['skein bench fanout --threads 10000 --turns 3 --llm 100', 'one scenario, one size'],
  ],
  notes:
    `Scenarios: ${SCENARIOS.join(', ')}. No model is called and nothing of the project is touched. ` +
    'Do nothing else on the machine meanwhile.',
  async run(args, io) {
    readArguments(args, { name: 'bench', options: BENCH_OPTIONS });
    const folder = dirname(createRequire(import.meta.url).resolve('skein/package.json'));
    return await runProgram([join(folder, 'dist', 'bench', 'installed.js'), ...args], io);
  },
};

const CODES: ReadonlySet<unknown> = new Set(Object.values(EXIT));

async function runProgram(words: readonly string[], io: CliIo): Promise<ExitCode> {
  const child = spawn(process.execPath, [...words], {
    cwd: io.cwd,
    env: io.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => io.stdout.write(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => io.stderr.write(text));
  let isInterrupted = false;
  const stopListening = io.onInterrupt(() => {
    isInterrupted = true;
    child.kill();
  });
  try {
    const [code, signal] = await once(child, 'close');
    // Ctrl-C of a terminal is sent to both.
    if (isInterrupted || signal === 'SIGINT') return EXIT.interrupted;
    // The bench's own: those of `EXIT`.
    return CODES.has(code) ? (code as ExitCode) : EXIT.internal;
  } finally {
    stopListening();
  }
}
