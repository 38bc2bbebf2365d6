/*
 * `node bench/profile.ts FOLDER [rows]`: the CPU profiles that a bench run with `--profile` wrote, one per thread of its
 * process: which layers, functions and files the threads' own time went to, and the layers of all of them together.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spentIn, sumBy, type Profile, type Spent } from './profile-layers.ts';

const [folder = '.', rows = '25'] = process.argv.slice(2);
const all: Spent[] = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
  // Written by Node.
  const spent = spentIn(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile);
  for (const one of spent) all.push(one);
  print(`${file}, by function`, spent, ({ name, place }) => `${name} ${place}`);
  print(`${file}, by file`, spent, ({ name, place }) => place || name);
  print(`${file}, by layer`, spent, ({ layer }) => layer);
}
print('All threads, by layer', all, ({ layer }) => layer);

function print(title: string, spent: readonly Spent[], keyOf: (one: Spent) => string): void {
  const total = spent.reduce((sum, { ms }) => sum + ms, 0);
  console.log(`\n${title}: ${total.toFixed(0)} ms not idle`);
  for (const [name, ms] of sumBy(spent, keyOf).slice(0, Number(rows))) {
    console.log(`  ${((100 * ms) / total).toFixed(1).padStart(6)} %  ${ms.toFixed(0).padStart(6)} ms  ${name}`);
  }
}
