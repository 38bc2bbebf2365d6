import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
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

/** Describes a run that begins now. */
export function describeRun(): Origin {
  return { machine: describeMachine(), date: new Date().toISOString(), commit: describeCommit() };
}

/** The commit of a run that ends now: the code may have been changed while it was measured. */
export function commitAtEnd({ commit }: Pick<Origin, 'commit'>): string {
  const now = describeCommit();
  return now === commit ? commit : `${commit}, at the end ${now}`;
}

function describeCommit(): string {
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
  return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}${describeBuild(folder)}`;
}
