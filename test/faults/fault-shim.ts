import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the shim does; see fault-shim.c. */
export type Fault = Partial<
  Readonly<
    Record<'FAULT_SYNC_FILE' | 'FAULT_SYNC_FROM' | 'FAULT_SYNC_TO' | 'FAULT_FULL_AFTER' | 'FAULT_RECORD', string>
  >
>;

/** Why the shim can't be had here; undefined: it can. */
export function whyNoShim(): string | undefined {
  if (process.platform !== 'linux') return 'files are made to fail by LD_PRELOAD, which Linux has';
  const { error } = spawnSync('cc', ['--version']);
  return error && 'there is no C compiler (cc) to build what makes files fail';
}

/** Compiles the shim into a folder and returns the library's path. */
export function buildShim(folder: string): string {
  const library = join(folder, 'fault-shim.so');
  const source = fileURLToPath(new URL('fault-shim.c', import.meta.url));
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  if (status !== 0) throw new Error(`cc failed: ${String(stderr)}`);
  return library;
}
