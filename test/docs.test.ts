import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import type { Around } from '../src/cli/fixtures/carry-out.ts';
import { CONFIG_NAMES, type ConfigName } from '../src/config/layers.ts';
import { leavesOf } from '../src/config/leaves.ts';
import { loadConfig } from '../src/config/load.ts';
import { readMergedConfig } from '../src/config/merged-config.ts';
import { systemClock } from '../src/core/clock.ts';
import { CONDITION_OPERATORS } from '../src/core/condition.ts';
import { HOOK_EVENTS } from '../src/core/hook-events.ts';
import type { Action } from '../src/core/item.ts';
import { OPERATIONS } from '../src/core/operations.ts';
import { parseText } from '../src/items/fixtures/parse-text.ts';
import { SCHEMA_VERSION } from '../src/store/migrations.ts';
import { controlSchema } from '../src/thread/hooks/control.ts';
import { createItemServices } from '../src/tools/item-services.ts';
import { documentSteps, matchLines, matchJson, type Step } from './fixtures/document-steps.ts';
import { isBroken } from './fixtures/document-links.ts';
import { COMPILED, SKEIN, skeinHere } from './fixtures/skein-command.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const SYSTEM_DIR = join(PACKAGE_ROOT, 'dist', 'config');

type Shown = Partial<Readonly<Record<Step['kind'], number>>>;

/** What each document shows, at least how much of each, and commands whose JSON it explains. */
const DOCUMENTS: readonly (readonly [name: string, shows: Shown, explained: readonly string[]])[] = [
  [
    'items.md',
    { file: 5, command: 5, action: 5 },
    ['npx skein item list --json', 'npx skein item show ops/longest-line --json'],
  ],
  ['configuration.md', { file: 6, command: 4 }, []],
  ['hooks.md', { file: 7, command: 3 }, []],
  ['providers.md', { file: 4, command: 4 }, []],
  ['operating.md', { file: 3, command: 6 }, []],
  ['embedding.md', { file: 4, command: 3 }, []],
];

describe.each(DOCUMENTS)('docs/%s, from its beginning to its end in one project', (name, shows, explained) => {
  let root: string;
  let project: string;

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-docs-')));
    project = join(root, 'project');
    mkdirSync(join(root, 'bin'), { recursive: true });
    // `npx skein` is what was built.
    writeFileSync(join(root, 'bin', 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${SKEIN}" "$@"\n`);
    chmodSync(join(root, 'bin', 'npx'), 0o755);
    symlinkSync(process.execPath, join(root, 'bin', 'node'));
    // The package is a dependency of the project, and so is the schema library.
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    symlinkSync(PACKAGE_ROOT, join(project, 'node_modules', 'skein'));
    symlinkSync(join(PACKAGE_ROOT, 'node_modules', 'zod'), join(project, 'node_modules', 'zod'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const steps = documentSteps(readDocument(name));

  test('shows what it is meant to show', () => {
    const kinds = Map.groupBy(steps, ({ kind }) => kind);
    const fewer = Object.entries(shows).filter(([kind, least]) =>
      [...kinds].every(([k, all]) => k !== kind || all.length < least),
    );
    expect(fewer).toEqual([]);
  });

  test.each(steps.map((step) => [titleOf(step), step] as const))('%s', async (_, step) => {
    const { is, shouldBe } = await carryOut(step);
    expect(is).toEqual(shouldBe);
  });

  test.each(explained)('every key that %s gives is explained', async (command) => {
    const { printed } = await run(`${command} 2> /dev/null`);
    const keys = (JSON.parse(printed) as object[]).flatMap((item) => Object.keys(item));
    const document = readDocument(name);
    expect(new Set(keys).size).toBeGreaterThan(10);
    expect(keys.filter((key) => !document.includes(`\`${key}\``))).toEqual([]);
  });

  function carryOut(step: Step): Promise<Outcome> {
    switch (step.kind) {
      case 'file':
        return writeFile(step.path, step.text);
      case 'command':
        return runCommand(step.command, step.printed);
      case 'action':
        return runAction(step.xml, step.result);
    }
  }

  /** An example is an item without anything to remark on, or a setting that is accepted. */
  async function writeFile(path: string, text: string): Promise<Outcome> {
    const file = path.startsWith('~/') ? join(root, 'home', path.slice(2)) : join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (!/\.ai\/(?:directives|tools|knowledge)\//.test(path)) {
      const read = [await skeinHere(['item', 'list'], around()), await skeinHere(['config', 'show'], around())];
      return { is: read.map(({ code }) => code), shouldBe: [0, 0] };
    }
    // For somebody who does not insist on signatures.
    const trusting = { ...around(), env: { ...around().env, SKEIN_USER_SPACE: '/nowhere' } };
    const { stdout } = await skeinHere(['item', 'show', path, '--json'], trusting);
    const flawless = { warnings: [], refused: null, outside: false, declared: true };
    return { is: JSON.parse(stdout), shouldBe: [expect.objectContaining(flawless)] };
  }

  function around(): Around {
    return { cwd: project, env: { PATH: `${join(root, 'bin')}:${process.env['PATH']}`, HOME: join(root, 'home') } };
  }

  async function runCommand(command: string, lines: readonly string[]): Promise<Outcome> {
    return { is: await run(command), shouldBe: { code: 0, printed: expect.stringMatching(matchLines(lines)) } };
  }

  async function runAction(xml: string, result: unknown): Promise<Outcome> {
    const text = `\`\`\`xml\n<directive name="d" version="1"/>\n\`\`\`\n\n${xml}`;
    const { value, warnings } = parseText('directive', text, { id: 'd' });
    const is = { result: await dispatch(value.actions), warnings };
    return { is, shouldBe: { result: matchJson(result), warnings: [] } };
  }

  function dispatch([action]: readonly Action[]): Promise<unknown> {
    const places = { projectPath: project, userSpace: join(root, 'home', '.ai'), systemDir: SYSTEM_DIR };
    const { config } = loadConfig({ systemDir: SYSTEM_DIR, projectDir: project, userDir: places.userSpace });
    const services = createItemServices({ ...places, config, env: process.env, clock: systemClock });
    const caller = { threadId: undefined, callId: 'docs', projectPath: project, allows: () => true };
    return new Promise((resolve) => void services.dispatcher.dispatch(action ?? {}, caller, resolve)).finally(() =>
      services.close(),
    );
  }

  function run(command: string): Promise<{ readonly code: number; readonly printed: string }> {
    return new Promise((resolve) => {
      const { cwd, env } = around();
      execFile('sh', ['-c', `exec 2>&1\n${command}`], { cwd, env: { ...COMPILED, ...env } }, (error, printed) => {
        resolve({ code: error === null ? 0 : Number(error.code), printed });
      });
    });
  }
});

/** What people read, from the package's root. */
const PAGES = ['README.md', 'CONTRIBUTING.md', ...markdownIn('docs')];

test.each([...PAGES, 'bench/README.md', ...markdownIn('docs/adr')])(
  '%s links files and headings that are there',
  (page) => {
    const links = [...readPage(page).matchAll(/\]\(([^):]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => isBroken(link, join(PACKAGE_ROOT, page)));
    expect(broken).toEqual([]);
  },
);

/** Options of Node, and of vitest in its commands. */
const FOREIGN = /--max-semi-space-size|\bvitest [^\n`]*/g;

test.each(PAGES)('%s has options that skein --help knows', (page) => {
  const known = COMMANDS.flatMap((command) => Object.keys(command.options).map((option) => `--${option}`));
  const own = readPage(page).replaceAll(FOREIGN, '');
  const options = [...own.matchAll(/--[a-z][a-z-]*/g)].map(([option]) => option);
  expect(options.filter((option) => ![...known, '--help', '--version'].includes(option))).toEqual([]);
});

const { config: SHIPPED } = loadConfig({ systemDir: join(PACKAGE_ROOT, 'config') });
const INTERNAL_TOOLS = readdirSync(join(PACKAGE_ROOT, 'config/space/tools/rye/agent/threads/internal'));

test.each([
  ['hooks.md', 'every event', HOOK_EVENTS],
  ['hooks.md', 'every operator of conditions', CONDITION_OPERATORS],
  ['hooks.md', 'every control action', controlSchema.shape.action.options],
  ['hooks.md', 'every hook that ships', [...SHIPPED.hooks.builtin, ...SHIPPED.hooks.infra].map(({ id }) => id)],
  ['hooks.md', 'every internal tool', INTERNAL_TOOLS.map((file) => basename(file, '.yaml'))],
  ['configuration.md', 'every file', CONFIG_NAMES.map((file) => `${file}.yaml`)],
  ['configuration.md', 'every setting of resilience.yaml', settingNames('resilience')],
  ['operating.md', 'every operation', Object.keys(OPERATIONS).map((operation) => operation.replaceAll('_', '-'))],
])('docs/%s names %s', (name, _, words) => {
  const said = new Set(readDocument(name).match(/[\w/.-]*\w/g));
  expect(words.length).toBeGreaterThan(5);
  expect(words.filter((word) => !said.has(word) && ![...said].some((each) => each.endsWith(`.${word}`)))).toEqual([]);
});

test('docs/operating.md says which version databases have', () => {
  expect(readDocument('operating.md')).toContain(`(this is version ${SCHEMA_VERSION})`);
});

/** The last words of the paths of all settings in a shipped file; named policies are only examples. */
function settingNames(file: ConfigName): readonly string[] {
  const { document } = readMergedConfig({ systemDir: join(PACKAGE_ROOT, 'config') }).documents[file];
  return [...leavesOf(document).keys()].map((path) => path.split('.').at(-1) ?? path);
}

function readDocument(name: string): string {
  return readPage(join('docs', name));
}

function readPage(path: string): string {
  return readFileSync(join(PACKAGE_ROOT, path), 'utf8');
}

function markdownIn(folder: string): readonly string[] {
  const names = readdirSync(join(PACKAGE_ROOT, folder)).filter((name) => name.endsWith('.md'));
  return names.map((name) => `${folder}/${name}`);
}

type Outcome = { readonly is: unknown; readonly shouldBe: unknown };

function titleOf(step: Step): string {
  switch (step.kind) {
    case 'file':
      return `${step.path} is as it should be`;
    case 'command':
      return step.command;
    case 'action':
      return step.xml.trim();
  }
}
