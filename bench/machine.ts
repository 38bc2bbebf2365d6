import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';

/** What the numbers were taken on; nothing that tells whose machine it is. */
export type MachineInfo = {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
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

/** When something is measured, and of which state of the code: a commit of the repository, or the version of the package. */
export function describeState(): { readonly date: string; readonly commit: string } {
  return { date: new Date().toISOString(), commit: describeCommit() };
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
  return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`;
}
