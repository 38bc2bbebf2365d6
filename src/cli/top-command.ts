import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../core/clock.ts';
import { projectStatus, SkeinError } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { createLiveScreen } from './live-screen.ts';
import { looks } from './looks.ts';
import { COMMON, flag, valued } from './options.ts';
import { createPaint } from './paint.ts';
import { noPositionals } from './positionals.ts';
import { printableJson } from './printable.ts';
import { statusJson } from './status-command.ts';
import { untilLeft, type Leaving } from './until-left.ts';
import { ratesBetween, type Sample } from './thread-sample.ts';
import { topLines } from './top-view.ts';
import { writeOut } from './write-out.ts';

/** `skein top`: threads by state, how fast they go, what they cost, and the workers; again and again on a terminal. */
export const topCommand: Command = defineCommand({
  name: 'top',
  takes: '',
  summary: 'threads by state, turns and events a second, spend, and the workers; q leaves',
  options: {
    once: flag('look once (the default where no terminal shows it, and with --json)'),
    watch: flag('look again and again, also where no terminal shows it; with --json a line each time'),
    interval: valued('SECONDS', 'time between two looks, over which rates are taken (default: 1)'),
    project: COMMON.project,
    json: COMMON.json,
  },
  examples: [
    ['skein top', 'beside a run in another terminal'],
    ['skein top --json --watch --interval 10 >> load.jsonl', 'a line every ten seconds'],
  ],
  async run({ values, positionals }, io) {
    noPositionals('top', positionals);
    const { once = false, watch = false, json = false, project = '.' } = values;
    if (once && watch) throw new SkeinError('invalid_argument', 'top takes either --once or --watch');
    const order = { project: resolve(io.cwd, project), intervalMs: readInterval(values.interval), json };
    const isTerminal = io.stdout.isTTY === true && io.env['TERM'] !== 'dumb';
    const isLive = isTerminal && !json && !once;
    const leaving = untilLeft(io, { keys: isLive });
    const show = isLive ? showLive : watch ? printAll : lookOnce;
    const code = await show(order, leaving, io).finally(() => leaving[Symbol.dispose]());
    // What a runtime that does not answer was asked would keep the process.
    if (leaving.hasLeft()) io.exit(code);
    return code;
  },
});

type Order = { readonly project: string; readonly intervalMs: number; readonly json: boolean };

const MAX_SECONDS = 3_600;

function readInterval(text = '1'): number {
  const seconds = Number(text.trim() || Number.NaN);
  if (seconds >= 0.1 && seconds <= MAX_SECONDS) return seconds * 1_000;
  const expected = `a number from 0.1 to ${MAX_SECONDS} is expected`;
  throw new SkeinError('invalid_argument', `--interval is ${JSON.stringify(text)}; ${expected}`);
}

/** Rates need two looks; where nothing runs there are none, nor for somebody who leaves before the second. */
async function lookOnce(order: Order, leaving: Leaving, io: CliIo): Promise<ExitCode> {
  const first = await leaving.unlessLeft(() => look(order, io));
  if (!first) return EXIT.interrupted;
  const hasRates = first.status.runtime?.workers !== undefined;
  if (hasRates) await leaving.wait(order.intervalMs);
  const second = hasRates ? await leaving.unlessLeft(() => look(order, io)) : undefined;
  await print(second && first, second ?? first, { order, io });
  return EXIT.completed;
}

async function printAll(order: Order, leaving: Leaving, io: CliIo): Promise<ExitCode> {
  let before: Sample | undefined;
  for await (const now of samples(order, leaving, io)) {
    await print(before, now, { order, io });
    before = now;
  }
  return EXIT.completed;
}

async function showLive(order: Order, leaving: Leaving, io: CliIo): Promise<ExitCode> {
  const paint = createPaint({ stream: io.stdout, env: io.env });
  let [before, now]: [Sample?, Sample?] = [];
  const draw = (size: { readonly columns: number; readonly rows: number }): readonly string[] =>
    now ? topLines(before, now, { ...size, paint }) : [];
  const screen = createLiveScreen({ stream: io.stdout, clock: systemClock, draw });
  try {
    for await (const next of samples(order, leaving, io)) {
      [before, now] = [now, next];
      screen.changed();
    }
  } finally {
    screen.stop();
  }
  if (now) await print(before, now, { order, io });
  return EXIT.completed;
}

/** One look after the other, until somebody leaves. */
function samples(order: Order, leaving: Leaving, io: CliIo): AsyncGenerator<Sample, void> {
  const { intervalMs } = order;
  // What this process has worked: what it waits for the runtime is not in it.
  const workedMs = (): number => performance.eventLoopUtilization().active;
  return looks(() => look(order, io), { intervalMs, leaving, workedMs });
}

async function look({ project }: Order, { env }: CliIo): Promise<Sample> {
  const status = await projectStatus({ project, env });
  return { status, at: systemClock.now(), stopwatch: systemClock.stopwatch() };
}

type Printing = { readonly order: Order; readonly io: CliIo };

async function print(before: Sample | undefined, now: Sample, { order, io }: Printing): Promise<void> {
  const rates = ratesBetween(before, now);
  if (order.json) {
    const json = { time: new Date(now.at).toISOString(), rates: rates ?? null, ...statusJson(now.status) };
    return writeOut(io.stdout, `${printableJson(json)}\n`);
  }
  const columns = io.stdout.columns || Number.POSITIVE_INFINITY;
  const paint = createPaint({ stream: io.stdout, env: io.env });
  const lines = topLines(before, now, { columns, rows: Number.POSITIVE_INFINITY, paint });
  return writeOut(io.stdout, `${lines.join('\n')}\n`);
}
