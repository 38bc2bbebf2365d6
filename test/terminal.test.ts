import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { EXIT_CODES } from '../src/cli/exit-code.ts';
import { textWidth } from '../src/cli/text-width.ts';
import type { Runtime } from '../src/index.ts';
import { NEVER, project, startOn, starterOf, until, type Part, type Project } from './fixtures/scene.ts';
import { SKEIN, skeinHere } from './fixtures/skein-command.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const PARTS: Readonly<Record<string, Part>> = {
  quick: { says: [{ text: 'done' }] },
  endless: { says: [NEVER] },
  parent: starterOf(['quick', 'quick', 'quick', 'quick', 'endless'], NEVER),
};

let own: Project;
let runtime: Runtime;
let parent: string;

beforeAll(async () => {
  own = project(PARTS);
  mkdirSync(join(own.path, 'home', '.ai', 'config'), { recursive: true });
  own.write('home/.ai/config/agent.yaml', 'trust: { project: "off" }\n');
  own.write('hangs.yaml', 'rules: [{ text: done, delay_ms: 3000 }]');
  own.write(
    'alone/.ai/directives/long/name-of-a-directive/that-has-no-end.md',
    '```xml\n<directive name="that-has-no-end" version="1.0.0"/>\n```\n\nDo it.\n',
  );
  runtime = await startOn(own, PARTS);
  const handle = await runtime.spawn('parent');
  parent = handle.id;
  let started = 0;
  await until(handle, 'child_thread_started', () => ++started === 5);
  const { children } = await runtime.orchestrator
    .listChildren(parent)
    .then((answer) => ('children' in answer ? answer : { children: [] }));
  const quick = children.filter(({ directive }) => directive === 'quick');
  await runtime.waitAll(quick.map(({ threadId }) => threadId as `thread-${string}`));
});
afterAll(async () => {
  await runtime.close({ graceMs: 0 });
  own[Symbol.dispose]();
});

function environment(): Readonly<Record<string, string | undefined>> {
  return { PATH: process.env['PATH'], HOME: join(own.path, 'home'), TERM: 'xterm' };
}

describe('skein tree', () => {
  const tree = async (...args: readonly string[]) =>
    (await skeinHere(['tree', parent, ...args], { cwd: own.path, env: environment() })).stdout;

  test('shows each thread with its state, turns and spend', async () => {
    const lines = (await tree()).trimEnd().split('\n');
    expect(lines[0]).toBe(`parent  running · 1 turn · $0.00  ${parent}`);
    expect(lines).toHaveLength(6);
    expect(lines.slice(1, 5).every((line) => /^├ quick  completed · 1 turn · \$0\.00  thread-\w+$/.test(line))).toBe(
      true,
    );
    expect(lines[5]).toMatch(/^└ endless  running · 0 turns/);
  });

  test.each([
    [
      ['--width', '2'],
      [/^├ quick  completed/, /^├ endless  running/, /^└ 3 more: 3 completed · 3 turns · \$0\.00$/],
    ],
    [
      ['--depth', '1', '--width', '1'],
      [/^├ endless  running/, /^└ 4 more: 4 completed · 4 turns/],
    ],
  ])('%j counts what is beyond, and shows first what has not completed', async (args, expected) => {
    const [, ...lines] = (await tree(...args)).trimEnd().split('\n');
    expect(lines).toEqual(expected.map((line) => expect.stringMatching(line)));
  });
});

/** Runs a command line of the built program on a pseudo terminal, types keys, and gives all that was drawn. */
async function onTerminal(
  args: readonly string[],
  { columns, keys = '', env = {} }: { columns: number; keys?: string; env?: Readonly<Record<string, string>> },
): Promise<{ readonly code: number; readonly drawn: string }> {
  const line = ['stty', 'cols', String(columns), 'rows', '12', ';', 'exec', process.execPath, SKEIN, ...args].join(' ');
  return new Promise((resolve) => {
    const options = { cwd: own.path, env: { ...environment(), ...env }, encoding: 'utf8' } as const;
    const child = execFile('script', ['-qec', line, '/dev/null'], options, (error, drawn) => {
      resolve({ code: error === null ? 0 : Number(error.code), drawn });
    });
    // Keys that are typed before anything is drawn would go to the shell.
    let isTyped = keys === '';
    let seen = '';
    child.stdout?.on('data', (text: string) => {
      seen += text;
      if (isTyped || !/\[J/.test(seen)) return;
      isTyped = true;
      child.stdin?.write(keys);
    });
  });
}

const hasScript = spawnSync('script', ['--version']).status === 0;

/** Widths of the lines that a terminal shows, styles aside. */
function widthsOf(drawn: string): readonly number[] {
  // oxlint-disable-next-line no-control-regex
  return drawn.split('\n').map((line) => textWidth(line.replaceAll(/\u001B\[[\d;]*[A-Za-z]|\r/g, '')));
}

// Util-linux has `script`; without it there is no pseudo terminal to try this on.
describe.runIf(hasScript)('On a terminal', () => {
  test.each([
    ['q', 40],
    ['\u0003', 100],
  ])('skein top draws in place until %j, within %i columns', async (keys, columns) => {
    const { code, drawn } = await onTerminal(['top', '--interval', '0.2'], { columns, keys });
    expect(code).toBe(0);
    expect(drawn).toMatch(/\[\d+A\r.\[J/);
    expect(drawn).toContain('4 completed');
    expect(drawn).toContain('turns/s');
    expect(Math.max(...widthsOf(drawn))).toBeLessThanOrEqual(columns);
  });

  test('NO_COLOR leaves no styles', async () => {
    const { code, drawn } = await onTerminal(['top', '--once'], { columns: 80, env: { NO_COLOR: '1' } });
    expect([code, drawn.includes('\u001B')]).toEqual([0, false]);
    expect((await onTerminal(['top', '--once'], { columns: 80 })).drawn).toContain('\u001B[1m');
  });

  test('skein run draws its tree within a narrow terminal, and leaves the result', async () => {
    const args = ['run', 'long/name-of-a-directive/that-has-no-end', '--project', 'alone'];
    const { code, drawn } = await onTerminal([...args, '--script', 's=hangs.yaml', '--model', 'scripted:s'], {
      columns: 30,
    });
    expect(code).toBe(0);
    const tree = drawn.slice(0, drawn.lastIndexOf('\u001B[J'));
    expect(tree).toContain('●');
    expect(Math.max(...widthsOf(tree))).toBeLessThanOrEqual(30);
    expect(drawn).toMatch(/done\r\n$/);
  });
});

describe('docs/cli.md', () => {
  const document = readFileSync(join(PACKAGE_ROOT, 'docs', 'cli.md'), 'utf8');

  test('has the exit codes of the program', () => {
    const rows = [...document.matchAll(/^\| (\d+) +\| (\w+) +\|/gm)].map(([, code, name]) => ({
      code: Number(code),
      name,
    }));
    expect(rows).toEqual(EXIT_CODES.map(({ code, name }) => ({ code, name })));
  });

  test('names every command', () => {
    const missing = COMMANDS.filter(({ name }) => !name.startsWith('threads ') && !document.includes(`skein ${name}`));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});
