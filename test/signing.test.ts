import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Around, Finished } from '../src/cli/fixtures/carry-out.ts';
import { importSkein } from './fixtures/skein.ts';
import { skeinHere, startSkein } from './fixtures/skein-command.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';
import { writeBelow } from './fixtures/write-below.ts';

const HELLO = `# Hello

\`\`\`xml
<directive name="hello" version="1.0.0">
  <metadata><description>Says hello</description></metadata>
</directive>
\`\`\`

Say hello to Ada.
`;

let root: string;
let project: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-signing-'));
  project = join(root, 'project');
  put('project/.ai/directives/hello.md', HELLO);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a directive on its way', () => {
  test('is signed, one byte of its body changed, and refused', async () => {
    const { stdout: key } = await skein('keys', 'init');
    expect(key).toMatch(/^[0-9a-f]{16}\n$/);
    expect(await skein('sign', 'hello')).toMatchObject({
      code: 0,
      stdout: `signed  project  directive  hello  key ${key}`,
    });
    expect(await runHello()).toMatchObject({ status: 'completed', problems: [] });
    const file = join(project, '.ai', 'directives', 'hello.md');
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('Ada')] = 'E'.charCodeAt(0);
    writeFileSync(file, bytes);
    expect(await runHello()).toMatchObject({ code: 'signature_wrong', where: { file, line: 1 } });
    expect(await skein('verify', 'hello')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^wrong .*REFUSED: .* has a wrong signature: the content was changed/),
    });
  });

  test('is used with a warning when it is not signed, and refused under strict', async () => {
    expect(await runHello()).toMatchObject({
      status: 'completed',
      problems: [expect.stringContaining('not signed')],
    });
    expect(await runHello('strict')).toMatchObject({ code: 'item_unsigned' });
    expect(await runHello('off')).toMatchObject({ status: 'completed', problems: [] });
  });

  test('is refused with a wrong signature even where nothing is asked for', async () => {
    put('project/.ai/directives/hello.md', `<!-- rye:signed:t:h:s:k -->\n${HELLO}`);
    expect(await runHello('off')).toMatchObject({ code: 'signature_wrong' });
  });

  test('that a colleague signed is trusted with the key in the project, but not where the user is strict', async () => {
    const { stdout: key } = await skein('keys', 'init');
    await skein('sign', 'hello');
    const publicKey = join(root, 'user', 'keys', 'trusted', `${key.trim()}.pem`);
    put('key.pem', readFileSync(publicKey, 'utf8'));
    rmSync(join(root, 'user'), { recursive: true });
    expect(await runHello()).toMatchObject({ status: 'completed', problems: [expect.stringContaining(key.trim())] });
    expect(await skein('keys', 'trust', '../key.pem', '--project', '.')).toMatchObject({ code: 0, stdout: key });
    expect(await runHello()).toMatchObject({ status: 'completed', problems: [] });
    expect(await runHello('strict')).toMatchObject({ code: 'item_unsigned' });
    await skein('keys', 'trust', readFileSync(join(root, 'key.pem'), 'utf8'));
    expect(await runHello('strict')).toMatchObject({ status: 'completed', problems: [] });
  });
});

test('skein keys init makes one key and no second', async () => {
  const made = await skein('keys', 'init');
  expect(made.stderr).toContain(join(root, 'user', 'keys', 'private.pem'));
  expect(statSync(join(root, 'user', 'keys', 'private.pem')).mode & 0o777).toBe(0o600);
  const refused = { code: 3, stdout: '', stderr: expect.stringContaining('[key_unusable]') };
  expect(await skein('keys', 'init')).toMatchObject(refused);
});

test('skein sign and verify know every file type', async () => {
  await skein('keys', 'init');
  const tool = { version: '1.0.0', tool_type: 'tool', description: 'Does little', executor_id: 'a' };
  const constants = [`__version__ = '1.0.0'`, `__tool_type__ = 'tool'`, `__tool_description__ = 'Does little'`];
  put('project/.ai/tools/a.py', `#!/usr/bin/env python3\n${constants.join('\n')}\n`);
  put('project/.ai/tools/b.js', constants.map((line) => `export const ${line};\n`).join(''));
  put('project/.ai/tools/c.json', JSON.stringify(tool));
  put(
    'project/.ai/tools/d.yaml',
    Object.entries(tool)
      .map(([key, value]) => `${key}: '${value}'\n`)
      .join(''),
  );
  put('project/.ai/knowledge/e.md', '---\ntitle: Hello\n---\ntext\n');
  expect(await skein('sign', 'a', 'b', 'c', 'd', 'e', 'hello')).toMatchObject({ code: 0 });
  expect(read('tools/a.py')).toMatch(/^#!.*\n# rye:signed:/);
  expect(read('tools/b.js')).toMatch(/^\/\/ rye:signed:/);
  expect(read('tools/c.json')).toMatch(/^\{"_signature":"rye:signed:/);
  expect(read('tools/d.yaml')).toMatch(/^# rye:signed:/);
  expect(read('knowledge/e.md')).toMatch(/^---\ntitle: Hello\n---\n<!-- rye:signed:/);
  const { stdout } = await skein('verify', '--space', 'project', '--json');
  const states = (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state);
  expect(states).toEqual(Array(6).fill('trusted'));
});

test('skein verify finds everything that ships signed by the build', async () => {
  const { code, stdout } = await skein('verify', '--space', 'system', '--json');
  const items = JSON.parse(stdout) as { id: string; state: string; refused: boolean }[];
  expect(code).toBe(0);
  expect(items.length).toBeGreaterThan(5);
  expect(items.filter(({ state, refused }) => state !== 'trusted' || refused)).toEqual([]);
});

test('skein verify finds an item of the package that was changed after the build', async () => {
  const copy = join(root, 'package');
  cpSync(join(PACKAGE_ROOT, 'dist'), join(copy, 'dist'), { recursive: true });
  cpSync(join(PACKAGE_ROOT, 'package.json'), join(copy, 'package.json'));
  symlinkSync(join(PACKAGE_ROOT, 'node_modules'), join(copy, 'node_modules'));
  const file = join(copy, 'dist', 'config', 'space', 'tools', 'rye', 'file-system', 'read.js');
  writeFileSync(file, `${readFileSync(file, 'utf8')}// and more\n`);
  const program = join(copy, 'dist', 'src', 'cli', 'main.js');
  const run = (...args: readonly string[]) => startSkein(args, { ...around(), program }).ended;
  expect(await run('verify', 'rye/file-system/read')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^wrong .*REFUSED/),
  });
  expect(await run('verify', 'rye/file-system/write')).toMatchObject({ code: 0 });
});

type Told = {
  readonly status?: string;
  readonly problems?: readonly string[];
  readonly code?: string;
  readonly where?: object | undefined;
};

/** Runs the directive under a policy for items of projects: how it ended, and what runtime and thread told, or the refusal. */
async function runHello(trust?: 'strict' | 'warn' | 'off'): Promise<Told> {
  const { createRuntime, SkeinError } = await importSkein();
  const agent = {
    tiers: { general: { provider: 'scripted', model: 'hi' } },
    ...(trust !== undefined && { trust: { project: trust } }),
  };
  await using runtime = await createRuntime({
    project,
    userSpace: join(root, 'user'),
    workers: 1,
    scripts: { hi: { rules: [{ text: 'Hello!' }] } },
    config: { agent },
  });
  const problems: string[] = [];
  runtime.on('problem', ({ message }) => problems.push(message));
  runtime.on('warning', ({ payload }) => problems.push(payload.message));
  try {
    const { status } = await (await runtime.spawn('hello')).result;
    return { status, problems };
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    return { code: thrown.code, where: thrown.where };
  }
}

function skein(...args: readonly string[]): Promise<Finished> {
  return skeinHere(args, around());
}

function around(): Around {
  return { cwd: project, env: { PATH: process.env['PATH'], SKEIN_USER_SPACE: join(root, 'user') } };
}

function put(path: string, text: string): void {
  writeBelow(root, path, text);
}

function read(path: string): string {
  return readFileSync(join(project, '.ai', path), 'utf8');
}
