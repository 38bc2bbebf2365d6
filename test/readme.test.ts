import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isBroken } from './fixtures/document-links.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const README = readFileSync(join(PACKAGE_ROOT, 'README.md'), 'utf8');

/** The text of the first code block of a language, however long its fence. */
function codeBlock(language: string): string {
  const [, , code] = new RegExp(`^(\`{3,})${language}\\n([^]*?)^\\1$`, 'm').exec(README) ?? [];
  if (code === undefined) throw new Error(`the README has no ${language} block`);
  return code;
}

describe("The README's example", () => {
  let folder: string;

  beforeAll(() => {
    // Inside the package, so that it is found by its name; in the build, which nobody keeps.
    folder = mkdtempSync(join(PACKAGE_ROOT, 'dist', 'readme-'));
    mkdirSync(join(folder, '.ai', 'directives'), { recursive: true });
    writeFileSync(join(folder, '.ai', 'directives', 'hello.md'), codeBlock('markdown'));
    writeFileSync(join(folder, 'example.ts'), codeBlock('ts'));
    const config = { extends: '../../tsconfig.json', compilerOptions: { rootDir: '../..' }, include: ['example.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has about ten lines', () => {
    expect(codeBlock('ts').trim().split('\n').length).toBeLessThanOrEqual(14);
  });

  test('type-checks against the built package', () => {
    const tsc = join(PACKAGE_ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    expect(run([tsc, '-p', folder])).toBe('');
  });

  test('runs the directive above it', () => {
    const printed = run([join(folder, 'example.ts')]).split('\n');
    expect(printed).toContain('directive_return');
    expect(printed.at(-2)).toBe('completed Hello, Ada! $0');
  });

  function run(args: readonly string[]): string {
    try {
      return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      // What the compiler says is on stdout.
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      return `${stdout}${stderr}`;
    }
  }
});

test.each(['npm ci && npm run demo', 'npm ci && npm test'])('The README gives the command %s', (command) => {
  expect(README).toContain(`\`\`\`sh\n${command}\n\`\`\``);
});

test('every npm script and file the documents name exists', () => {
  const contributing = readFileSync(join(PACKAGE_ROOT, 'CONTRIBUTING.md'), 'utf8');
  const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const scripts = [...`${README}${contributing}`.matchAll(/npm run ([a-z:-]*[a-z])/g)].map(([, name]) => name);
  const links = [...README.matchAll(/\]\(([^):]+)\)/g)].map(([, link = '']) => link);
  expect(scripts.filter((name = '') => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  expect(links.filter((link) => isBroken(link, join(PACKAGE_ROOT, 'README.md')))).toEqual([]);
});
