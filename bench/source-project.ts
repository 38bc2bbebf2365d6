import { copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** A project full of other people's sources, in a folder of its own that goes away with it. */
export type SourceProject = Disposable & { readonly root: string };

const PACKAGES = join(import.meta.dirname, '..', 'node_modules');

/** Bundles and generated tables are no sources. */
const MAX_BYTES = 200_000;

/** Copies source files of installed packages: the first ones by path, so that a lock file always gives the same. */
export function createSourceProject(files: number, scratch: string): SourceProject {
  mkdirSync(scratch, { recursive: true });
  const root = mkdtempSync(join(scratch, 'skein-symbols-'));
  mkdirSync(join(root, '.ai'));
  const found = globSync(
    '{openai,zod,@anthropic-ai,xstate,effect,@langchain,undici,yaml,re2js}/**/*.{ts,mts,cts,js,mjs,cjs}',
    {
      cwd: PACKAGES,
    },
  );
  const sources = found.toSorted().filter((path) => isSource(path));
  if (sources.length < files) throw new Error(`--files must be at most ${sources.length}, got ${files}`);
  for (const [at, path] of sources.slice(0, files).entries()) {
    const copy = join(root, 'src', dirname(path).replaceAll('node_modules', 'packages'), `s${at}${extname(path)}`);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(PACKAGES, path), copy);
  }
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

function isSource(path: string): boolean {
  const stats = statSync(join(PACKAGES, path));
  return stats.isFile() && stats.size > 0 && stats.size <= MAX_BYTES;
}
