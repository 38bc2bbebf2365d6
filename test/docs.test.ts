import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../src/config/load.ts';
import { systemClock } from '../src/core/clock.ts';
import type { Action } from '../src/core/item.ts';
import { parseText } from '../src/items/fixtures/parse-text.ts';
import { createItemServices } from '../src/tools/item-services.ts';
import { documentSteps, matchLines, matchJson, type Step } from './fixtures/document-steps.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const DOCUMENT = join(PACKAGE_ROOT, 'docs', 'items.md');
const SYSTEM_DIR = join(PACKAGE_ROOT, 'dist', 'config');

describe('docs/items.md, from its beginning to its end in one project', () => {
  let root: string;
  let project: string;

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-docs-')));
    project = join(root, 'project');
    mkdirSync(join(root, 'bin'), { recursive: true });
    const program = join(PACKAGE_ROOT, 'dist', 'src', 'cli', 'main.js');
    // `npx skein` is what was built.
    writeFileSync(join(root, 'bin', 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(join(root, 'bin', 'npx'), 0o755);
    mkdirSync(project);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const steps = documentSteps(readFileSync(DOCUMENT, 'utf8'));

  test('has files, commands and actions', () => {
    const kinds = Map.groupBy(steps, ({ kind }) => kind);
    expect([...kinds].map(([kind, all]) => [kind, all.length > 4])).toEqual([
      ['file', true],
      ['command', true],
      ['action', true],
    ]);
  });

  test.each(steps.map((step) => [titleOf(step), step] as const))('%s', async (_, step) => {
    const { is, shouldBe } = await carryOut(step);
    expect(is).toEqual(shouldBe);
  });

  test('every key that --json gives is explained', async () => {
    const { printed: listed } = await run('npx skein item list --json');
    const { printed: shown } = await run('npx skein item show ops/longest-line --json 2> /dev/null');
    const keys = [listed, shown].flatMap((json) => (JSON.parse(json) as object[]).flatMap((item) => Object.keys(item)));
    const document = readFileSync(DOCUMENT, 'utf8');
    expect(new Set(keys).size).toBeGreaterThan(15);
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
      return { is: await run('npx skein item list > /dev/null'), shouldBe: { code: 0, printed: expect.any(String) } };
    }
    // For somebody who does not insist on signatures.
    const { printed } = await run(`SKEIN_USER_SPACE=/nowhere npx skein item show ${path} --json 2> /dev/null`);
    const flawless = { warnings: [], refused: null, outside: false, declared: true };
    return { is: JSON.parse(printed), shouldBe: [expect.objectContaining(flawless)] };
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
    const env = { PATH: `${join(root, 'bin')}:${process.env['PATH']}`, HOME: join(root, 'home') };
    return new Promise((resolve) => {
      execFile('sh', ['-c', `exec 2>&1\n${command}`], { cwd: project, env }, (error, printed) => {
        resolve({ code: error === null ? 0 : Number(error.code), printed });
      });
    });
  }
});

test('every file that docs/items.md links is there', () => {
  const links = [...readFileSync(DOCUMENT, 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  expect(links.filter((path) => !path.startsWith('#') && !existsSync(join(dirname(DOCUMENT), path)))).toEqual([]);
});

test('every option of docs/items.md is one that skein --help knows', () => {
  const help = readFileSync(join(PACKAGE_ROOT, 'src', 'cli', 'help.ts'), 'utf8');
  const options = [...readFileSync(DOCUMENT, 'utf8').matchAll(/--[a-z]+/g)].map(([option]) => option);
  expect(options.filter((option) => !help.includes(option))).toEqual([]);
});

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
