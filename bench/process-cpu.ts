import { readFileSync } from 'node:fs';

/** Ticks of the clock by which Linux counts CPU time. */
const TICKS_PER_SECOND = 100;

/** CPU time another process has used, in microseconds; undefined where it can't be known (Linux tells). */
export function cpuOf(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  // The name of the program, in brackets, may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return ((user + system) * 1_000_000) / TICKS_PER_SECOND;
}
