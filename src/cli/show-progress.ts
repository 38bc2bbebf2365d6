import { formatUsd } from '../core/money.ts';
import type { Clock } from '../core/clock.ts';
import { describeFailure, type Failure, type ThreadEvent } from '../index.ts';
import { createEventRate } from './event-rate.ts';
import { formatCount, formatDuration, plural } from './format.ts';
import type { CliIo } from './io.ts';
import { createLiveScreen, type LiveScreen } from './live-screen.ts';
import { treeLines } from './live-tree.ts';
import { createPaint, type Paint } from './paint.ts';
import { printable } from './printable.ts';
import { createProgress, type Notice, type Progress } from './progress.ts';

/** Shows a run on stderr. */
export interface Show {
  event(event: ThreadEvent): void;
  problem(failure: Failure): void;
  /** Names a thread that another runtime has started. */
  meet: Progress['meet'];
  /** Prints a line above the live tree. */
  say(line: string): void;
  /** Removes the live tree. */
  stop(): void;
  /** Says how it went, and where the transcript is. */
  summary(transcript: { readonly threadId: string; readonly database: string }): void;
}

/** Shows a run: a live tree on a terminal, else a line for each change of state. Troubles get a line either way. */
export function showProgress(io: CliIo, clock: Clock): Show {
  const isLive = io.stderr.isTTY === true && io.env['TERM'] !== 'dumb';
  const progress = createProgress();
  const paint = createPaint({ stream: io.stderr, env: io.env });
  const startedAt = clock.stopwatch();
  const told = new Set<string>();
  const screen = isLive ? liveScreen(io, { progress, paint, clock }) : undefined;
  const print = (line: string): void => {
    if (screen) screen.keep(line);
    else io.stderr.write(`${line}\n`);
  };
  return {
    event(event) {
      const notice = progress.take(event);
      screen?.changed();
      if (notice && (!screen || isTrouble(notice))) print(noticeLine(notice, clock.stopwatch() - startedAt, paint));
    },
    problem(failure) {
      const line = printable(describeFailure(failure));
      // Every worker finds the same things wrong with the same files.
      if (!told.has(line)) print(paint.red(`skein: ${line}`));
      told.add(line);
    },
    meet: (thread) => progress.meet(thread),
    say: print,
    stop: () => screen?.stop(),
    summary({ threadId, database }) {
      print(summaryLine(progress, clock.stopwatch() - startedAt));
      print(`Transcript: ${printable(database)}, thread ${threadId}`);
    },
  };
}

type Around = { readonly progress: Progress; readonly paint: Paint; readonly clock: Clock };

function liveScreen(io: CliIo, { progress, paint, clock }: Around): LiveScreen {
  const rate = createEventRate();
  return createLiveScreen({
    stream: io.stderr,
    clock,
    draw(size) {
      rate.sample(progress.totals().events, clock.stopwatch());
      // Since when a thread is running is stored as a time of day.
      return treeLines(progress, { ...size, now: clock.now(), eventsPerSecond: rate.perSecond(), paint });
    },
  });
}

function isTrouble(notice: Notice): boolean {
  return notice.kind === 'trouble' || ['error', 'cancelled', 'suspended'].includes(notice.status);
}

const MAX_DETAIL_CHARS = 500;

/** `   1.2 s  3f9a01c2  completed  demo/survey-file path=README.md`; ids are told apart by their last digits. */
function noticeLine(notice: Notice, elapsedMs: number, paint: Paint): string {
  const { thread, label, detail } = notice;
  const word = notice.kind === 'trouble' ? 'trouble' : notice.status;
  const bad = word === 'error' || word === 'cancelled';
  const styled = bad ? paint.red(word) : word === 'trouble' || word === 'suspended' ? paint.yellow(word) : word;
  const padding = ' '.repeat(Math.max(0, 9 - word.length));
  const more = detail === '' ? '' : `  ${printable(detail.slice(0, MAX_DETAIL_CHARS))}`;
  const time = formatDuration(elapsedMs).padStart(8);
  return `${time}  ${thread.slice(-8)}  ${styled}${padding}  ${printable(label)}${more}`;
}

function summaryLine(progress: Progress, elapsedMs: number): string {
  const { started, ended, turns, inputTokens, outputTokens, spend, events } = progress.totals();
  const counts = [...ended, ...LIVE_STATES.map((status) => [status, progress.count(status)] as const)];
  const states = counts.filter(([, count]) => count > 0).map(([status, count]) => `${formatCount(count)} ${status}`);
  return [
    `${plural(started, 'thread')}: ${states.join(', ')}`,
    plural(turns, 'turn'),
    `${formatCount(inputTokens + outputTokens)} tokens`,
    formatUsd(spend),
    `${formatCount(events)} events`,
    formatDuration(elapsedMs),
  ].join(' · ');
}

const LIVE_STATES = ['suspended', 'running', 'queued'] as const;
