import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of the clock by which Linux counts CPU time. */
const TICKS_PER_SECOND = 100;

/** CPU time another process has used, in microseconds; undefined where it can't be known (Linux tells). */
export function cpuOf(pid: number | undefined): number | undefined {
  return process.platform === 'linux' && pid !== undefined ? statOf(pid).cpuUs : undefined;
}

/** CPU time of the processes that this one has started and that still run, in microseconds; 0 where it can't be known. */
export function cpuOfChildren(): number {
  if (process.platform !== 'linux') return 0;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.reduce((sum, pid) => {
    try {
      const { parent, cpuUs } = statOf(pid);
      return parent === process.pid ? sum + cpuUs : sum;
    } catch {
      // It has ended since it was listed.
      return sum;
    }
  }, 0);
}

function statOf(pid: number | string): { readonly parent: number; readonly cpuUs: number } {
  // The name of the program, in brackets, may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [parent, user, system] = [Number(fields[1]), Number(fields[11]), Number(fields[12])];
  return { parent, cpuUs: ((user + system) * 1_000_000) / TICKS_PER_SECOND };
}
