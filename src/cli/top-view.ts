import { formatUsd, usdToNano } from '../core/money.ts';
import type { ProjectStatus } from '../index.ts';
import { formatBytes, formatCount } from './format.ts';
import type { Paint } from './paint.ts';
import { printable } from './printable.ts';
import { fit } from './text-width.ts';
import { ratesBetween, type Sample } from './thread-sample.ts';

/** What is drawn with: at most so many columns and rows. */
export type TopSize = { readonly columns: number; readonly rows: number; readonly paint: Paint };

/** How a project stands, as lines that fit: threads by state, rates, spend, and the workers. */
export function topLines(
  before: Sample | undefined,
  now: Sample,
  { columns, rows, paint }: TopSize,
): readonly string[] {
  const head = headLines(before, now);
  const workers = workerLines(before, now);
  const room = Math.max(0, rows - head.length);
  const left = workers.length - room;
  const shown = left <= 0 ? workers : [...workers.slice(0, Math.max(0, room - 1)), `… ${left + 1} more workers`];
  const lines = [...head, ...shown].slice(0, rows).map((line) => fit(line, columns));
  return lines.map((line, at) => (at === 0 ? paint.bold(line) : at < head.length ? line : paint.dim(line)));
}

function headLines(before: Sample | undefined, now: Sample): readonly string[] {
  const { threads, archived, spend, database, runtime } = now.status;
  const states = Object.entries(threads).map(([status, count]) => `${formatCount(count)} ${status}`);
  const all = [...states, ...(archived > 0 ? [`${formatCount(archived)} archived`] : [])];
  const rates = ratesBetween(before, now);
  const speed = rates && [perSecond(rates.turns, 'turns'), perSecond(rates.events, 'events'), spendRate(rates.spend)];
  return [
    `${new Date(now.at).toISOString().slice(11, 19)} UTC  ${runtimeText(runtime)}`,
    `threads  ${all.length === 0 ? 'none' : all.join(' · ')}`,
    `spend    ${[formatUsd(usdToNano(spend)), ...(rates ? [spendRate(rates.spend)] : [])].join(' · ')}`,
    ...(speed ? [`rates    ${speed.slice(0, 2).join(' · ')}`] : []),
    `database ${formatBytes(database.bytes)}`,
  ];
}

function runtimeText(runtime: ProjectStatus['runtime']): string {
  if (!runtime) return 'no runtime';
  const { pid, running, queued } = runtime;
  const holder = `process ${pid ?? 'unknown'}`;
  if (running === undefined || queued === undefined) return `${holder}, which does not answer`;
  return `${holder} · ${formatCount(running)} running · ${formatCount(queued)} queued`;
}

type Worker = NonNullable<NonNullable<ProjectStatus['runtime']>['workers']>[number];

/** States last: they are what a narrow terminal has no room for. */
function workerLines(before: Sample | undefined, now: Sample): readonly string[] {
  const workers = now.status.runtime?.workers ?? [];
  const rows = workers.map((worker) => {
    const rates = ratesBetween(before, now, worker.number);
    const rate = (one: number | undefined): string => (one === undefined ? '-' : one.toFixed(1));
    const spend = formatUsd(usdToNano(worker.spend));
    const counts = [formatCount(worker.threads), rate(rates?.turns), rate(rates?.events), spend];
    return [String(worker.number), ...counts, statesOf(worker)];
  });
  if (rows.length === 0) return [];
  const table = [['worker', 'threads', 'turns/s', 'events/s', 'spend', 'states'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row.map((cell, column) => (column < row.length - 1 ? cell.padStart(widths[column] ?? 0) : cell)).join('  '),
  );
}

function statesOf({ states }: Worker): string {
  const most = Object.entries(states).toSorted(([, one], [, other]) => other - one);
  return most.map(([state, count]) => `${formatCount(count)} ${printable(state)}`).join(', ');
}

function perSecond(rate: number, what: string): string {
  return `${rate.toFixed(1)} ${what}/s`;
}

function spendRate(usdPerSecond: number): string {
  return `${formatUsd(usdToNano(usdPerSecond * 3_600))}/h`;
}
