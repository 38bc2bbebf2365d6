/*
 * A git repository with one commit for each published release of an npm package that ships its sources.
 * `node bench/cache/git-from-releases.ts PACKAGE FOLDER FIRST LAST`: releases from FIRST to LAST, without pre-releases.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [name, folder, first, last] = process.argv.slice(2);
if (!name || !folder || !first || !last) throw new Error('Usage: git-from-releases.ts PACKAGE FOLDER FIRST LAST');
const repository: string = folder;

mkdirSync(repository, { recursive: true });
run('git', ['init', '-q']);
for (const version of releases(name, first, last)) {
  empty();
  const archive = run('npm', ['pack', '--silent', `${name}@${version}`]).trim();
  run('tar', ['xzf', archive, '--strip-components=1']);
  rmSync(join(repository, archive));
  run('git', ['add', '-A', '-f']);
  run('git', [
    '-c',
    'user.name=bench',
    '-c',
    'user.email=bench@localhost',
    'commit',
    '-q',
    '-m',
    version,
    '--allow-empty',
  ]);
  console.log(version);
}

function releases(package_: string, from: string, to: string): string[] {
  // A list of strings is what npm prints for more than one version.
  const all = JSON.parse(run('npm', ['view', package_, 'versions', '--json'])) as string[];
  return all
    .filter((version) => !version.includes('-') && compare(version, from) >= 0 && compare(version, to) <= 0)
    .toSorted(compare);
}

function compare(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function empty(): void {
  for (const entry of readdirSync(repository)) {
    if (entry !== '.git') rmSync(join(repository, entry), { recursive: true });
  }
}

function run(command: string, argv: readonly string[]): string {
  return execFileSync(command, argv, { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
