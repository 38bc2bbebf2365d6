import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { describeBuild } from './built.ts';

/** What the numbers were taken on; nothing that tells whose machine it is. */
export type MachineInfo = {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
};

/** Where and when something is measured, and of which state of the code. */
export type Origin = {
  readonly machine: MachineInfo;
  /** Day and time at which it began, ISO 8601. */
  readonly date: string;
  /** Of the repository, with what is not as it was committed or built; of an installed package, its version. */
  readonly commit: string;
};

/** Describes this machine. */
export function describeMachine(): MachineInfo {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}

/** What Linux says of a file system that is kept in memory. */
const IN_MEMORY: ReadonlySet<number> = new Set([0x0102_1994 /* tmpfs */, 0x8584_58f6 /* ramfs */]);

/** Whether a folder, or where it will be made, is kept in memory: writing it to disk costs nothing there. */
export function isInMemory(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  let nearest = folder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  return IN_MEMORY.has(statfsSync(nearest).type);
}

/** What a bench measures: `dist`, which is what was built, or `src`, the sources themselves. */
export type MeasuredCode = 'dist' | 'src';

/** Begins a run; what comes back describes it at its end, since the code may be changed while it is measured. */
export function beginRun(code: MeasuredCode): () => Origin {
  const date = new Date().toISOString();
  const commit = describeCommit(code);
  return () => {
    const now = describeCommit(code);
    return { machine: describeMachine(), date, commit: now === commit ? commit : `${commit}, at the end ${now}` };
  };
}

function describeCommit(code: MeasuredCode): string {
  const manifest = createRequire(import.meta.url).resolve('skein/package.json');
  const folder = dirname(realpathSync(manifest));
  const git = (...words: string[]): string =>
    spawnSync('git', ['-C', folder, ...words], { encoding: 'utf8' }).stdout?.trim() ?? '';
  // A package may be installed in somebody else's repository.
  if (git('rev-parse', '--show-toplevel') !== folder) {
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
    return `version ${version}`;
  }
  const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!bench/results') !== '';
  const state = `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  return code === 'dist' ? state + describeBuild(folder) : state;
}
