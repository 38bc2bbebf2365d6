/*
 * `node bench/profile.ts FOLDER [rows]`: the CPU profiles that a bench run with `--profile` wrote, one per thread of its
 * process: which functions, and which files, the threads' own time went to.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type ProfileNode = {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
};
type Profile = {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

const NOT_WORK = new Set(['(idle)']);

const [folder = '.', rows = '25'] = process.argv.slice(2);
for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
  // Written by Node.
  describe(file, JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile);
}

function describe(file: string, { nodes, samples, timeDeltas }: Profile): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const functions = new Map<string, number>();
  const files = new Map<string, number>();
  let total = 0;
  samples.forEach((id, index) => {
    const frame = byId.get(id)?.callFrame;
    if (!frame || NOT_WORK.has(frame.functionName)) return;
    const ms = (timeDeltas[index] ?? 0) / 1_000;
    const place = placeOf(frame.url);
    total += ms;
    add(functions, `${frame.functionName || '(anonymous)'} ${place}:${frame.lineNumber + 1}`, ms);
    add(files, place === '' ? frame.functionName : place, ms);
  });
  console.log(`\n${file}: ${total.toFixed(0)} ms not idle`);
  print('by function', functions, total);
  print('by file', files, total);
}

function add(sums: Map<string, number>, key: string, ms: number): void {
  sums.set(key, (sums.get(key) ?? 0) + ms);
}

/** A file as it is known in the package: without the folders above. */
function placeOf(url: string): string {
  return url
    .replace(/^.*\/node_modules\//, '')
    .replace(/^.*\/dist\//, '')
    .replace(/^.*\/bench\//, 'bench/');
}

function print(title: string, sums: ReadonlyMap<string, number>, total: number): void {
  console.log(`  ${title}`);
  const sorted = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, Number(rows));
  for (const [name, ms] of sorted) {
    console.log(`  ${((100 * ms) / total).toFixed(1).padStart(6)} %  ${ms.toFixed(0).padStart(6)} ms  ${name}`);
  }
}
