import { formatUsd } from '../core/money.ts';
import type { ThreadStatus } from '../index.ts';
import { formatCount, formatDuration, plural } from './format.ts';
import type { LiveThread, Progress } from './progress.ts';
import { printable } from './printable.ts';
import type { Paint } from './paint.ts';
import { fit, textWidth } from './text-width.ts';

/** What the tree is drawn with. */
export type TreeView = {
  readonly columns: number;
  /** Most lines. */
  readonly rows: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly eventsPerSecond: number;
  readonly paint: Paint;
};

/**
 * The live tree as lines that fit the terminal: threads that have not ended below their parents, with the state of each
 * one's children, and the sums of the whole run last. Threads that don't fit are counted.
 */
export function treeLines(progress: Progress, view: TreeView): readonly string[] {
  const most = Math.max(0, view.rows - 1);
  const lines = [...threadLines(progress).take(most + 1)].map((line) => drawLine(line, view));
  const more = view.paint.dim(fit('  …', view.columns));
  const tree = lines.length > most ? [...lines.slice(0, Math.max(0, most - 1)), more].slice(0, most) : lines;
  return [...tree, view.paint.dim(fit(sumsLine(progress, view), view.columns))];
}

type TreeLine = {
  readonly depth: number;
  readonly isLast: boolean;
  readonly thread: LiveThread;
  readonly children: string;
};

/** Depth first, running threads only below the roots. Lazy, so that no more is looked at than is shown. */
function* threadLines(progress: Progress): Generator<TreeLine> {
  for (const thread of progress.roots()) yield* linesOf(progress, { thread, depth: 0, isLast: false });
}

function* linesOf(progress: Progress, line: Omit<TreeLine, 'children'>): Generator<TreeLine> {
  const children = [...line.thread.children].map((id) => progress.thread(id)).filter((child) => child !== undefined);
  yield { ...line, children: childrenText(line.thread, children) };
  const running = children.filter(({ status }) => status === 'running');
  for (const thread of running) {
    yield* linesOf(progress, { thread, depth: line.depth + 1, isLast: thread === running.at(-1) });
  }
}

/** Looks at each child once: there may be ten thousand, ten times a second. */
function childrenText({ ended }: LiveThread, children: readonly LiveThread[]): string {
  const live = { running: 0, queued: 0, suspended: 0 };
  for (const { status } of children) live[status]++;
  const counts = [
    ...Object.entries(live),
    ...[...ended].map(([status, count]) => [WORDS[status] ?? status, count] as const),
  ];
  const present = counts.filter(([, number]) => number > 0);
  return present.map(([word, number]) => `${formatCount(number)} ${word}`).join(', ');
}

const WORDS: Partial<Readonly<Record<ThreadStatus, string>>> = { completed: 'done', error: 'failed' };

function drawLine({ depth, isLast, thread, children }: TreeLine, { columns, now, paint }: TreeView): string {
  const mark = depth === 0 ? '●' : isLast ? '└' : '├';
  const facts = [
    `turn ${thread.turns + 1}`,
    formatDuration(Math.max(0, now - thread.since)),
    ...[...new Set(thread.calls.values())].slice(0, 2),
  ];
  const head = fit(`${'  '.repeat(depth)}${mark} ${printable(thread.directive)}`, columns);
  const details = [children, ...facts].filter(Boolean).join(' · ');
  // What tells threads of one directive apart comes before what changes.
  const rest = depth === 0 ? `  ${details}` : ` ${printable(thread.inputs)}  ${details}`;
  const room = columns - textWidth(head);
  return `${paint.bold(head)}${paint.dim(fit(printable(rest), room))}`;
}

function sumsLine(progress: Progress, { eventsPerSecond }: TreeView): string {
  const { started, turns, inputTokens, outputTokens, spend } = progress.totals();
  return [
    plural(started, 'thread'),
    plural(turns, 'turn'),
    formatUsd(spend),
    `${formatCount(Math.round(eventsPerSecond))} events/s`,
    `${formatCount(inputTokens + outputTokens)} tokens`,
  ].join(' · ');
}
