import { resolve } from 'node:path';
import { formatUsd, usdToNano } from '../core/money.ts';
import { projectStatus, type ProjectStatus } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { formatBytes, formatCount } from './format.ts';
import { COMMON } from './options.ts';
import { noPositionals } from './positionals.ts';
import { printable, printableJson } from './printable.ts';
import { fittedLines } from './write-out.ts';

/** `skein status`: threads by state, what they cost, the database, and the runtime that holds the project. */
export const statusCommand: Command = defineCommand({
  name: 'status',
  takes: '',
  summary: 'threads by status, what they cost, the database, and the runtime with its workers',
  options: COMMON,
  examples: [
    ['skein status', 'how the project stands'],
    ['skein threads get-status ID', 'how one thread stands'],
  ],
  async run({ values, positionals }, io) {
    noPositionals('status', positionals, 'one thread: skein threads get-status ID');
    const status = await projectStatus({ project: resolve(io.cwd, values.project ?? '.'), env: io.env });
    const text = values.json
      ? printableJson(statusJson(status))
      : fittedLines(statusLines(status).join('\n'), io.stdout);
    io.stdout.write(`${text}\n`);
    return EXIT.completed;
  },
});

function statusLines({ runtime, threads, archived, spend, database }: ProjectStatus): readonly string[] {
  const counts = Object.entries(threads).map(([status, count]) => `${formatCount(count)} ${status}`);
  if (archived > 0) counts.push(`${formatCount(archived)} archived`);
  return [
    `threads: ${counts.length === 0 ? 'none' : counts.join(', ')}`,
    `spend: ${formatUsd(usdToNano(spend))}`,
    `database: ${formatBytes(database.bytes)}${archived === 0 ? '' : `, archive ${formatBytes(database.archiveBytes)}`}`,
    ...runtimeLines(runtime),
  ];
}

function runtimeLines(runtime: ProjectStatus['runtime']): readonly string[] {
  if (!runtime) return ['runtime: none'];
  const { pid, running, queued, workers } = runtime;
  const holder = `runtime: process ${pid ?? 'unknown'}`;
  if (running === undefined || queued === undefined || !workers) return [`${holder}, which does not answer`];
  return [
    `${holder}, ${formatCount(running)} running, ${formatCount(queued)} queued`,
    ...workers.map(
      ({ number, threads, turns, spend, states, inputTokens: read = 0, cacheReadTokens: cachedTokens = 0 }) => {
        const inStates = Object.entries(states).map(([state, count]) => `${formatCount(count)} ${printable(state)}`);
        const share = read > 0 ? Math.round((100 * cachedTokens) / read) : 0;
        const cached = share > 0 ? `, ${share} % of the input from caches` : '';
        const doing = inStates.length === 0 ? '' : ` (${inStates.join(', ')})`;
        return `worker ${number}: ${formatCount(threads)} threads${doing}, ${formatCount(turns)} turns, ${formatUsd(usdToNano(spend))}${cached}`;
      },
    ),
  ];
}

/** The same with names as they are on the wire. */
export function statusJson({
  runtime,
  threads,
  archived,
  spend,
  database,
}: ProjectStatus): Readonly<Record<string, unknown>> {
  const { path, bytes, archiveBytes } = database;
  return {
    threads,
    archived,
    spend,
    database: { path, bytes, archive_bytes: archiveBytes },
    runtime: runtime ? runtimeJson(runtime) : null,
  };
}

function runtimeJson({ workers, ...runtime }: Runtime): Readonly<Record<string, unknown>> {
  if (!workers) return runtime;
  const named = workers.map(({ inputTokens, cacheReadTokens, ...worker }) => ({
    ...worker,
    input_tokens: inputTokens,
    cache_read_tokens: cacheReadTokens,
  }));
  return { ...runtime, workers: named };
}

type Runtime = NonNullable<ProjectStatus['runtime']>;
