import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEvents } from '../bench/read-back.ts';
import { ORCHESTRATE } from './fixtures/scene.ts';
import { COMPILED } from './fixtures/skein-command.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';
import { writeBelow } from './fixtures/write-below.ts';

const DEMO = join(PACKAGE_ROOT, 'examples', 'demo');

/** What is surveyed; `headings` are counted by hand. */
const FILES: readonly { readonly path: string; readonly text: string; readonly headings?: number }[] = [
  {
    path: 'README.md',
    text: '# One\n\nSome words here.\n\n## Two\n\n```sh\n# no heading\n```\n\n#no heading\n',
    headings: 2,
  },
  { path: 'docs/deep/windows.MD', text: '# One\r\ntext\r\n~~~\r\n## no heading\r\n~~~\r\n###\r\nend', headings: 2 },
  { path: 'docs/empty.md', text: '', headings: 0 },
  {
    path: 'src/many.ts',
    text: [
      'import type { A } from "./a.ts";',
      'export type { A };',
      'export type B = { readonly export: 1 };',
      'export interface C { d: string }',
      'export const { e, f: g, ...h } = { e: 1, f: { x: 2 } };',
      'export async function* i() { yield `${{ a: `}` }.a} export const no = 1`; }',
      'export default abstract class J { export = /[/"`]/.test("}") }',
      "export { k as 'l', type M as N } from './k.ts';",
      'export * from "./unknown.ts";',
      'export * as o from "./o.ts";',
      '// export const comment = 1;',
      'const division = 1 / 2; export let p = 3 / division;',
      'declare module "q" { export const inside: number; }',
      'export function over(a: string): void;',
      'export function over(a: number): void;',
      'export function over(_a: unknown): void {}',
      'const k = 1; export { k, e as default2 };',
      '',
    ].join('\n'),
  },
  { path: 'src/none.mjs', text: 'console.log("export const a = 1");\n' },
  { path: 'src/one.js', text: '#!/usr/bin/env node\nexport const one = 1;' },
  { path: 'data.json', text: '{ "a": [1, 2, 3],\n  "b": "ünï ☃ 漢字"\n}\n' },
  { path: 'strange | name [1] `x` <b>.txt', text: 'a b\tc\n\n\nd' },
  { path: ' two  spaces.txt', text: 'word\n' },
  // More than a page of files.
  ...Array.from({ length: 55 }, (_, at) => ({
    path: `pages/file-${String(at).padStart(2, '0')}.txt`,
    text: 'word '.repeat(at),
  })),
];

/** What is not surveyed. */
const LEFT_OUT: readonly (readonly [path: string, content: string])[] = [
  ['.git/config', 'text'],
  ['node_modules/a/index.js', 'export const a = 1;'],
  ['dist/index.js', 'export const a = 1;'],
  ['.ai/threads/threads.txt', 'text'],
  ['binary.dat', 'a\0b'],
  ['survey.md', 'the report of an earlier run'],
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-demo-'));
  for (const [path, text] of [...FILES.map(({ path, text }) => [path, text] as const), ...LEFT_OUT]) {
    writeBelow(folder, `surveyed/${path}`, text);
  }
  symlinkSync(join(folder, 'surveyed', 'README.md'), join(folder, 'surveyed', 'link.md'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('The demo', { timeout: 180_000 }, () => {
  test('counts every file right, and prints the path of its report last', async () => {
    const cwd = join(folder, 'surveyed');
    const run = await demo(['.'], { cwd: PACKAGE_ROOT, env: { npm_lifecycle_event: 'demo', INIT_CWD: cwd } });
    expect(run).toMatchObject({ code: 0, stdout: `${join(cwd, 'survey.md')}\n` });
    expect(run.stderr).toMatch(new RegExp(`^${FILES.length + 1} threads: ${FILES.length + 1} completed`, 'm'));
    expect(run.stderr).toMatch(/^Transcript: .*threads\.db, thread thread-[0-9a-f]{32}$/m);
    // It comes with this package: nobody need be told that nobody signed it.
    expect(run.stderr).not.toMatch(/is not signed/);
    const report = readReport(cwd);
    expect(report.files).toEqual(expectedFiles(0));
    expect(report.head).toBe(expectedHead(expectedFiles(0)));
    expect(report.missing).toEqual({});
  });

  test('says what the count tool says: a tool that adds 1 to the lines puts every line count off by 1', async () => {
    const project = copyOfDemo('adds-one');
    patch(project, 'count.js', 'lines: countLines(read.text)', 'lines: countLines(read.text) + 1');
    const cwd = newFolder('adds-one-report');
    const run = await demo([join(folder, 'surveyed'), '--project', project], { cwd });
    expect(run.code).toBe(0);
    // Here the report of the first test is a file like any other.
    const files = readReport(cwd).files;
    delete files['survey.md'];
    expect(files).toEqual(expectedFiles(1));
  });

  test('lists the files that cannot be read instead of failing', async () => {
    const project = copyOfDemo('ghost');
    patch(
      project,
      'list-files.js',
      'const page = rest',
      "if (after === '') rest.push('zz-gone.txt');\n  const page = rest",
    );
    patch(
      project,
      'count.js',
      "if (path.includes('\\0'))",
      "if (path === 'broken.txt') process.abort();\n  if (path.includes('\\0'))",
    );
    const surveyed = newFolder('unreadable');
    writeFileSync(join(surveyed, 'big.txt'), 'x'.repeat(2 * 1024 * 1024 + 1));
    writeFileSync(join(surveyed, 'broken.txt'), 'x');
    writeFileSync(join(surveyed, 'late-nul.txt'), `${'x'.repeat(10_000)}\0`);
    writeFileSync(join(surveyed, 'one.txt'), 'fine\n');
    const cwd = newFolder('unreadable-report');
    const run = await demo([surveyed, '--project', project, '--workers', '1'], { cwd });
    expect(run.code).toBe(0);
    const report = readReport(cwd);
    expect(report.files).toEqual({ 'one.txt': [1, 1, '–', '–'] });
    expect(report.missing).toEqual({
      'big.txt': expect.stringContaining('too big'),
      'broken.txt': expect.stringContaining('SIGABRT'),
      'late-nul.txt': 'it is not text',
      'zz-gone.txt': 'it is no longer there',
    });
  });

  test.each([
    { files: 11, most: 4, waits: [4, 4, 3], why: 'as are configured' },
    { files: 65, most: 1000, waits: [60, 5], why: 'as it has money for, where more are configured' },
  ])('waits for as many children at once $why: $waits', async ({ files, most, waits }) => {
    const project = copyOfDemo(`waits-${most}`);
    const config = join(project, '.ai', 'config', 'resilience.yaml');
    appendFileSync(config, `\ncoordination: { max_wait_thread_ids: ${most} }\n`);
    const surveyed = newFolder(`surveyed-${most}`);
    for (let at = 0; at < files; at++) writeFileSync(join(surveyed, `${at}.txt`), 'word\n'.repeat(at));
    const cwd = newFolder(`waits-${most}-report`);
    const run = await demo([surveyed, '--project', project], { cwd });
    expect(run.code).toBe(0);
    expect(await waitsOf(project, run.stderr)).toEqual(waits);
    const expected = Array.from({ length: files }, (_, at) => [`${at}.txt`, [at, at, '–', '–']] as const);
    expect(readReport(cwd).files).toEqual(Object.fromEntries(expected));
  });

  test('reports on a folder without text files', async () => {
    const cwd = newFolder('empty-report');
    const run = await demo([newFolder('empty'), '--project', copyOfDemo('for-empty')], { cwd });
    expect(run).toMatchObject({ code: 0, stdout: `${join(cwd, 'survey.md')}\n` });
    expect(readReport(cwd)).toEqual({ head: expectedHead({}), files: {}, missing: {} });
  });

  test('has room for this repository, which the README has it survey', () => {
    const list = "import { execute } from './list-files.js'; console.log(execute(JSON.parse(process.argv[1])).total);";
    const input = JSON.stringify({ folder: PACKAGE_ROOT, page_size: 1 });
    const cwd = join(DEMO, '.ai', 'tools', 'demo');
    const total = Number(execFileSync('node', ['--input-type=module', '-e', list, input], { cwd, encoding: 'utf8' }));
    const directive = readFileSync(join(DEMO, '.ai', 'directives', 'demo', 'survey.md'), 'utf8');
    expect(total).toBeGreaterThan(1_000);
    expect(Number(/<spawns>(\d+)</.exec(directive)?.[1])).toBeGreaterThan(total);
  });

  test.each<[string, readonly string[], string]>([
    ['a folder that does not exist', ['nowhere'], 'invalid_argument'],
    ['two folders', ['.', '.'], 'invalid_argument'],
    ['an unknown option', ['--modle', 'x'], 'invalid_argument'],
    ['a number of workers that is none', ['--workers', 'two'], 'invalid_argument'],
    ['a model without its key', ['.', '--model', 'anthropic:claude-haiku-4-5'], 'provider_key_missing'],
    ['an unknown model', ['.', '--model', 'nobody:knows'], 'invalid_config'],
  ])('refuses %s in one line, and writes no report', async (title, args, code) => {
    const cwd = newFolder(`refused-${title}`);
    const run = await demo([...args, '--project', copyOfDemo(`for-${title}`)], { cwd });
    expect(run.code).toBeGreaterThan(1);
    expect(run.stdout).toBe('');
    expect(run.stderr).toMatch(new RegExp(`^skein: .* \\[${code}\\]\\n$`));
    expect(() => readReport(cwd)).toThrow('ENOENT');
  });
});

type Row = readonly [lines: number, words: number, headings: number | '–', exports: number | '–'];
type Rows = Record<string, Row>;

/** The counts by other means than the tool's. */
function expectedFiles(addedLines: number): Rows {
  const rows = FILES.map(({ path, text, headings }) => {
    const lines = text.replace(/\n$/, '').split('\n').length;
    const words = text.split(/\s/).filter((word) => word !== '').length;
    const row: Row = [(text === '' ? 0 : lines) + addedLines, words, headings ?? '–', exportsOf(path, text)];
    return [path, row] as const;
  });
  return Object.fromEntries(rows.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function exportsOf(path: string, text: string): number | '–' {
  if (!/\.(?:ts|m?js)$/.test(path)) return '–';
  const { module, errors } = parseSync(path, text);
  expect(errors).toEqual([]);
  const names = module.staticExports.flatMap(({ entries }) => entries).map(({ exportName }) => exportName);
  // `export * from` is neither named nor the default.
  const isKnown = ({ kind }: { readonly kind: string }): boolean => kind !== 'None';
  return new Set(names.filter(isKnown).map(({ name }) => name ?? 'default')).size;
}

function expectedHead(files: Rows): string {
  const rows = Object.values(files);
  const sum = (column: number): number => rows.reduce((total, row) => total + (Number(row[column]) || 0), 0);
  return `${rows.length} text files: ${sum(0)} lines, ${sum(1)} words, ${sum(2)} headings, ${sum(3)} exported names.`;
}

function readReport(cwd: string): { head: string; files: Rows; missing: Record<string, string> } {
  const text = readFileSync(join(cwd, 'survey.md'), 'utf8');
  const [, head = ''] = text.split('\n\n');
  return {
    head: head.trim(),
    files: Object.fromEntries(
      tableOf(text, 'Files').map(([name = '', ...cells]) => [name, cells.map(toCell) as unknown as Row]),
    ),
    missing: Object.fromEntries(tableOf(text, 'Not counted').map(([name = '', why = '']) => [name, why])),
  };
}

function toCell(text: string): number | '–' {
  return text === '–' ? text : Number(text);
}

/** Cells of the table under a heading, as a reader of Markdown sees them. */
function tableOf(report: string, heading: string): string[][] {
  const section = report.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => {
    const cells = row.split(/ (?<!\\)\| ?/).slice(0, -1);
    cells[0] = (cells[0] ?? '').replace(/^\| /, '');
    return cells.map((cell) => cell.replaceAll(/\\(.)/g, '$1'));
  });
}

function copyOfDemo(name: string): string {
  const project = join(folder, `demo-${name}`);
  cpSync(DEMO, project, { recursive: true, filter: (path) => !path.endsWith(join('.ai', 'threads')) });
  return project;
}

/** How many threads each wait of the survey was about, from its log. */
async function waitsOf(project: string, stderr: string): Promise<number[]> {
  const [, id = ''] = /^Transcript: .*, thread (\S+)$/m.exec(stderr) ?? [];
  const events = await readEvents(join(project, '.ai', 'threads', 'threads.db'), id);
  return events.flatMap(({ event_type, payload }) => {
    if (event_type !== 'tool_call_start' || !('input' in payload) || payload.tool !== ORCHESTRATE) return [];
    const { thread_ids: ids } = payload.input;
    return Array.isArray(ids) ? [ids.length] : [];
  });
}

function patch(project: string, tool: string, from: string, to: string): void {
  const file = join(project, '.ai', 'tools', 'demo', tool);
  const text = readFileSync(file, 'utf8');
  expect(text.split(from)).toHaveLength(2);
  writeFileSync(
    file,
    text.replace(from, () => to),
  );
}

function newFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

type Around = { readonly cwd: string; readonly env?: Readonly<Record<string, string>> };

function demo(
  args: readonly string[],
  { cwd, env = {} }: Around,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const given = { ...COMPILED, PATH: process.env['PATH'], HOME: folder, ...env };
  return new Promise((resolve) => {
    const command = [join(DEMO, 'run.mjs'), ...args];
    execFile(process.execPath, command, { cwd, env: given, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}
