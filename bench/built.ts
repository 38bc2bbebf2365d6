import { globSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/** A file that every build writes anew. */
const BUILT = 'dist/src/index.js';
/** What is built, but for tests and what they use. */
const SOURCES = '{src,machines,workers,config}/**/*.*';
const OF_TESTS = /\.test\.|[/\\]fixtures[/\\]/;

/** What has to be said of a package's build where that is measured; nothing if no source was changed since. */
export function describeBuild(folder: string): string {
  const built = statSync(join(folder, BUILT), { throwIfNoEntry: false });
  if (!built) return ', not built';
  const newer = globSync(SOURCES, { cwd: folder }).find(
    (path) => !OF_TESTS.test(path) && statSync(join(folder, path)).mtimeMs > built.mtimeMs,
  );
  return newer === undefined ? '' : `, dist older than ${newer.replaceAll(sep, '/')}`;
}
