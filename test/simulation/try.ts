import { createDisk } from './disk.ts';
import { simulate } from './simulate.ts';
import { createWorkloads } from './workload.ts';
using disk = createDisk();
using workloads = createWorkloads();
const [from = '1', count = '1', mode = ''] = process.argv.slice(2);
const kinds = new Map<string, number[]>();
const t0 = process.cpuUsage();
let steps = 0, threads = 0;
for (let seed = Number(from); seed < Number(from) + Number(count); seed++) {
  const start = performance.now();
  const out = await simulate({ seed, workloads, path: disk.database(), ...(mode === 'trace' && { trace: (l: string) => console.log(l) }) });
  steps += out.steps; threads += out.threads;
  if (mode === 'v' || out.findings.length > 0) console.log(JSON.stringify({ ...out, ms: Math.round(performance.now() - start) }));
}
const cpu = process.cpuUsage(t0);
console.log({ cpuMs: (cpu.user + cpu.system) / 1000 / Number(count), steps: steps / Number(count), threads: threads / Number(count) });
