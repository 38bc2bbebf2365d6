import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createRandom } from './random.ts';
import { readBack, readEventTypes } from './read-back.ts';
import { createBenchProject, killScripts, startSkein, type BenchProject } from './skein-project.ts';
import type { Runtime } from '../src/index.ts';

/** Settings of {@link killRounds}. */
export type KillOptions = {
  readonly rounds: number;
  /** Makes a run repeatable, as far as a kill can be. */
  readonly seed: number;
  readonly scratch: string;
  /** Hears how each round went. */
  readonly log?: (line: string) => void;
};

/** What was found in all rounds. */
export type KillReport = {
  readonly rounds: number;
  /** Critical events, admissions and endings that had been shown before the kill. */
  readonly acknowledged: number;
  /** Of those, how many the database did not have. */
  readonly lost: number;
  /** Threads that the kill left unfinished, and how many of those that were resumed went on to their end. */
  readonly leftOver: number;
  readonly resumed: number;
  readonly resumedToEnd: number;
  readonly problems: readonly string[];
};

/** What a killed process had shown: events as `sequence type` by thread, threads whose spawn had resolved, endings. */
type Shown = {
  readonly events: Map<string, string[]>;
  readonly spawned: Set<string>;
  readonly endings: Map<string, string>;
  count: number;
};
type Totals = { -readonly [Key in keyof KillReport]: KillReport[Key] } & { readonly problems: string[] };
type Plan = { readonly threads: number; readonly llmMs: number; readonly killAfter: number; readonly delayMs: number };

const TERMINAL = new Set(['completed', 'error', 'cancelled', 'continued']);
const MAX_RESUMED = 50;
/** Longest that a process lives which is to be killed: many times what it needs. */
const VICTIM_MS = 120_000;

/**
 * Kills a process that runs Skein with many threads, at a moment drawn from the seed, and opens its project again: what
 * it had shown as acknowledged must be in the database, everything unfinished must be suspended and able to go on. A
 * `kill -9` shows what a dying process loses, not what a power cut does: that is the file system's `fsync`.
 */
export async function killRounds({ rounds, seed, scratch, log }: KillOptions): Promise<KillReport> {
  const random = createRandom(seed);
  const totals: Totals = { rounds, acknowledged: 0, lost: 0, leftOver: 0, resumed: 0, resumedToEnd: 0, problems: [] };
  for (let round = 1; round <= rounds; round++) {
    using project = createBenchProject(scratch);
    const plan = drawPlan(random);
    const { shown, ended } = await runAndKill(project, plan);
    if (ended !== 'SIGKILL' || shown.count < plan.killAfter)
      totals.problems.push(`round ${round} was not killed as planned: ${ended} after ${shown.count} lines`);
    const before = { ...totals };
    await inspectAfterKill(project, shown, totals, plan.llmMs);
    log?.(
      `round ${round}: ${plan.threads} threads, ${plan.llmMs} ms model, killed after ${shown.count} lines; ` +
        `lost ${totals.lost - before.lost}, left over ${totals.leftOver - before.leftOver}, ` +
        `resumed ${totals.resumedToEnd - before.resumedToEnd} of ${totals.resumed - before.resumed}`,
    );
  }
  return totals;
}

function drawPlan(random: () => number): Plan {
  const threads = 200 + Math.floor(random() * 1_800);
  // A thread shows about 14 lines.
  const killAfter = 1 + Math.floor(random() * threads * 13);
  return { threads, llmMs: Math.floor(random() * 20), killAfter, delayMs: random() * 20 };
}

/** What it had shown, and how it ended. */
type Killed = { readonly shown: Shown; readonly ended: string };

async function runAndKill({ folder }: BenchProject, { threads, llmMs, killAfter, delayMs }: Plan): Promise<Killed> {
  const shown: Shown = { events: new Map(), spawned: new Set(), endings: new Map(), count: 0 };
  const file = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
  const order = JSON.stringify({ folder, threads, llmMs });
  const child: ChildProcess = spawn(process.execPath, [file, order], { stdio: ['ignore', 'pipe', 2] });
  const { stdout } = child;
  if (!stdout) throw new Error('the process to be killed has no output');
  const chunks: Buffer[] = [];
  let lines = 0;
  const timer = setTimeout(() => child.kill('SIGKILL'), VICTIM_MS);
  // Lines are only counted here: a reader that lags behind would kill too late.
  try {
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      const isEarly = lines < killAfter;
      chunks.push(chunk);
      lines += countLines(chunk);
      if (isEarly && lines >= killAfter) setTimeout(() => child.kill('SIGKILL'), delayMs);
    }
  } finally {
    clearTimeout(timer);
  }
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => child.once('exit', resolve));
  }
  for (const line of Buffer.concat(chunks).toString().split('\n')) noteLine(shown, line);
  return { shown, ended: child.signalCode ?? `exit code ${child.exitCode}` };
}

function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++;
  return count;
}

/** A line is whole only if it ends in `.`: the kill may have cut the last one. */
function noteLine(shown: Shown, line: string): void {
  if (!line.endsWith('.')) return;
  const [kind, id = '', ...rest] = line.slice(0, -1).split(' ');
  const text = rest.join(' ');
  if (kind === 'spawned') shown.spawned.add(id);
  else if (kind === 'ended') shown.endings.set(id, text);
  else if (kind === 'event') shown.events.set(id, [...(shown.events.get(id) ?? []), text]);
  else throw new Error(`the process to be killed wrote: ${line}`);
  shown.count++;
}

async function inspectAfterKill(project: BenchProject, shown: Shown, totals: Totals, llmMs: number): Promise<void> {
  const runtime = await startSkein(project.folder, killScripts(llmMs));
  const rows = runtime.list({ limit: 1_000_000 });
  const open = rows.filter(({ status }) => !TERMINAL.has(status));
  const notSuspended = open.filter(({ status }) => status !== 'suspended');
  if (notSuspended.length > 0) totals.problems.push(`${notSuspended.length} unfinished threads are not suspended`);
  totals.leftOver += open.length;
  await runtime.close();
  await countLost(project.database, shown, totals);
  const again = await startSkein(project.folder, killScripts(llmMs));
  await resumeSome(
    again,
    open.map(({ id }) => id),
    totals,
  );
  await again.close();
  totals.problems.push(...(await readBack(project.database, 'all')).problems);
}

async function countLost(database: string, shown: Shown, totals: Totals): Promise<void> {
  const stored = await readEventTypes(database);
  totals.acknowledged += shown.count;
  for (const id of shown.spawned) if (!stored.has(id)) totals.lost++;
  for (const [id, status] of shown.endings) if (stored.get(id)?.status !== status) totals.lost++;
  for (const [id, events] of shown.events) {
    for (const event of events) if (!stored.get(id)?.events.has(event)) totals.lost++;
  }
}

async function resumeSome(runtime: Runtime, ids: readonly string[], totals: Totals): Promise<void> {
  const some = ids.slice(0, MAX_RESUMED).map((id) => runtime.thread(id));
  totals.resumed += some.length;
  await Promise.all(
    some.map(async (handle) => {
      try {
        await handle.resume();
        const { status, error } = await Promise.race([handle.result, tooLate()]);
        if (status === 'completed') totals.resumedToEnd++;
        else totals.problems.push(`${handle.id} was resumed and is ${status}: ${error?.message ?? ''}`);
      } catch (error) {
        totals.problems.push(`${handle.id} could not be resumed: ${String(error)}`);
      }
    }),
  );
}

function tooLate(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('it did not end within 30 s')), 30_000).unref();
  });
}
