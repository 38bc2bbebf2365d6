/*
 * What looking into machines costs where very many threads run at once: CPU per thread of this process until all of them wait
 * for their models, without `inspect`, with it and nobody who looks, and with a viewer in a process of its own that sees one in
 * a hundred. The cases take turns.
 * `npm run build && node bench/inspect-many.bench.ts [threads] [rounds]`
 */
import { tmpdir } from 'node:os';
import type { InspectOptions } from '../src/index.ts';
import { startInspectViewer } from './inspect-viewer.ts';
import { createBenchProject, fanOutScript, startSkein } from './skein-project.ts';
import { spawnFanOut, spawnInWaves } from './spawn-threads.ts';

const WAVE = 250;
/** No answer comes while it is measured. */
const ANSWER_MS = 3_600_000;

type Case = { readonly name: string; readonly inspect: false | InspectOptions; readonly isSeen: boolean };

const CASES: readonly Case[] = [
  { name: 'without inspect', inspect: false, isSeen: false },
  { name: 'with inspect, nobody looks', inspect: {}, isSeen: false },
  { name: 'a viewer, 1 % of the threads', inspect: { sample: 0.01 }, isSeen: true },
];

const threads = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 3);
const runs = new Map<Case, number[]>(CASES.map((one) => [one, []]));
for (let round = 0; round < rounds; round++) {
  for (const [one, list] of runs) list.push(await measure(one));
}
for (const [{ name }, list] of runs) {
  const sorted = list.toSorted((a, b) => a - b);
  const [least = 0, middle = 0, most = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  console.log(
    `${name}: ${[middle, least, most].map((n) => n.toFixed(0)).join(', ')} µs a thread (median, least, most)`,
  );
}

async function measure({ inspect, isSeen }: Case): Promise<number> {
  using project = createBenchProject(tmpdir());
  const runtime = await startSkein(project.folder, { 'fan-out': fanOutScript(1, ANSWER_MS) }, { inspect });
  const viewer = isSeen ? await startInspectViewer(runtime) : undefined;
  const before = process.cpuUsage();
  await spawnInWaves({ threads, wave: WAVE, spawn: (index) => spawnFanOut(runtime, index) });
  while ((await calling(runtime)) < threads) await new Promise((resolve) => setTimeout(resolve, 100));
  const { user, system } = process.cpuUsage(before);
  await runtime.close({ graceMs: 0 });
  viewer?.kill();
  return (user + system) / threads;
}

async function calling(runtime: Awaited<ReturnType<typeof startSkein>>): Promise<number> {
  const { workers } = await runtime.view();
  return workers.reduce((sum, { states }) => sum + (states['running.calling'] ?? 0), 0);
}
