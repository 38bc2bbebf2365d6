/*
 * What looking into machines costs: CPU per turn of this process without `inspect`, with it and nobody who looks, and with a
 * viewer in a process of its own that sees a share of the threads. The cases take turns.
 * `npm run build && node bench/inspect.bench.ts [threads] [rounds]`
 */
import { tmpdir } from 'node:os';
import type { InspectOptions, RelayCounts, Runtime } from '../src/index.ts';
import { startInspectViewer } from './inspect-viewer.ts';
import { createBenchProject, fanOutScript, startSkein } from './skein-project.ts';
import { spawnFanOut } from './spawn-threads.ts';

const TURNS = 10;

type Case = { readonly name: string; readonly inspect: false | InspectOptions; readonly isSeen: boolean };
type Run = { readonly microseconds: number; readonly counts: RelayCounts | undefined };

const CASES: readonly Case[] = [
  { name: 'without inspect', inspect: false, isSeen: false },
  { name: 'with inspect, nobody looks', inspect: {}, isSeen: false },
  { name: 'a viewer, 1 % of the threads', inspect: { sample: 0.01 }, isSeen: true },
  { name: 'a viewer, 10 % of the threads', inspect: { sample: 0.1 }, isSeen: true },
  { name: 'a viewer, all threads', inspect: {}, isSeen: true },
];

const threads = Number(process.argv[2] ?? 1_000);
const rounds = Number(process.argv[3] ?? 5);
const runs = new Map<Case, Run[]>(CASES.map((one) => [one, []]));
for (let round = 0; round < rounds; round++) {
  for (const [one, list] of runs) list.push(await measure(one));
}
for (const [{ name }, list] of runs) {
  const sorted = list.map(({ microseconds }) => microseconds).toSorted((a, b) => a - b);
  const [least = 0, middle = 0, most = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const { sent = 0, dropped = 0 } = list.at(-1)?.counts ?? {};
  console.log(
    `${name}: ${[middle, least, most].map((n) => n.toFixed(0)).join(', ')} µs a turn (median, least, most); ${sent} messages sent, ${dropped} dropped`,
  );
}

async function measure({ inspect, isSeen }: Case): Promise<Run> {
  using project = createBenchProject(tmpdir());
  await using runtime = await startSkein(project.folder, { 'fan-out': fanOutScript(TURNS, 0) }, { inspect });
  const viewer = isSeen ? await startInspectViewer(runtime) : undefined;
  await fanOut(runtime, threads / 4);
  const before = process.cpuUsage();
  await fanOut(runtime, threads);
  const { user, system } = process.cpuUsage(before);
  const counts = runtime.inspector?.counts();
  viewer?.kill();
  return { microseconds: (user + system) / (threads * TURNS), counts };
}

async function fanOut(runtime: Runtime, count: number): Promise<void> {
  const handles = await Promise.all(Array.from({ length: count }, (_, index) => spawnFanOut(runtime, index)));
  await Promise.all(handles.map(({ result }) => result));
}
