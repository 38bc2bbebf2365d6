import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { findInterpreter, findProgram, interpreterSchema } from './interpreter.ts';

const PYTHON = interpreterSchema.parse({
  type: 'venv_python',
  var: 'RYE_PYTHON',
  venv_path: '.venv',
  program: 'python3',
});
const RUBY = interpreterSchema.parse({ type: 'program', var: 'RYE_RUBY', program: 'ruby' });
const NODE = interpreterSchema.parse({ type: 'node' });

const root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-programs-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

for (const name of ['a/python3', 'b/python3', 'b/ruby', 'b/my-python', 'with/.venv/bin/python']) {
  writeBelow(root, name, '');
  chmodSync(join(root, name), 0o755);
}
// Neither a folder nor a file that can't be executed is a program.
mkdirSync(join(root, 'without/.venv/bin/python'), { recursive: true });
mkdirSync(join(root, 'c'));
writeFileSync(join(root, 'c/ruby'), '');

type Variables = Readonly<Record<string, string>>;

function find(config: typeof PYTHON, project: string, variables: Variables): string {
  const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value.replaceAll('~', root)]));
  return findInterpreter(config, { projectPath: join(root, project), env, nodePath: '/the/node' });
}

describe('the interpreter', () => {
  test.each([
    ['of the project comes first', PYTHON, 'with', { PATH: '~/a' }, '~/with/.venv/bin/python'],
    ['is looked for on PATH next', PYTHON, 'without', { PATH: '~/c:~/a:~/b' }, '~/a/python3'],
    ['is on PATH where it can be executed', RUBY, 'with', { PATH: '~/c:~/b' }, '~/b/ruby'],
    ['is not looked for in relative folders', PYTHON, 'without', { PATH: '.:a::~/b' }, '~/b/python3'],
    ['may be named by its variable', PYTHON, 'with', { PATH: '~/a', RYE_PYTHON: '~/b/my-python' }, '~/b/my-python'],
    ['may be named without a path', PYTHON, 'with', { PATH: '~/a:~/b', RYE_PYTHON: 'my-python' }, '~/b/my-python'],
    ['is not named by an empty variable', PYTHON, 'with', { RYE_PYTHON: '' }, '~/with/.venv/bin/python'],
    ['of node is the one Skein runs on', NODE, 'with', { PATH: '' }, '/the/node'],
  ] as const)('%s', (_, config, project, variables, path) => {
    expect(find(config, project, variables)).toBe(path.replace('~', root));
  });

  test.each([
    [
      'everywhere',
      PYTHON,
      { PATH: '~/c:~/x' },
      ['~/without/.venv/bin/python', '~/c/python3', '~/x/python3', 'RYE_PYTHON'],
    ],
    ['where its variable says, and nowhere else', PYTHON, { PATH: '~/a', RYE_PYTHON: '~/no' }, ['looked for ~/no']],
    ['nowhere for a relative path', PYTHON, { PATH: '~/a', RYE_PYTHON: 'b/python3' }, ['there was no place to look']],
    ['nowhere without PATH', RUBY, {}, ['no ruby (RYE_RUBY may name one) was found: there was no place to look']],
  ] as const)('that is missing was looked for %s', (_, config, variables, places) => {
    const thrown = thrownBy(() => find(config, 'without', variables));
    expect(thrown).toMatchObject({ code: 'tool_failed', detail: { reason: 'no_interpreter' } });
    for (const place of places) expect(thrown.message).toContain(place.replaceAll('~', root));
  });

  test.each([
    { type: 'program', var: 'AWS_SECRET_KEY', program: 'x' },
    { type: 'program', program: '../x' },
    { type: 'program', program: '' },
    { type: 'program' },
    { type: 'venv_python', program: 'python3' },
    { type: 'node', var: 'RYE_NODE' },
    { type: 'docker', program: 'x' },
  ])('may not be described as %j', (config) => {
    expect(interpreterSchema.safeParse(config).success).toBe(false);
  });
});

describe('a program', () => {
  test.each([
    ['ruby', '~/b/ruby'],
    ['~/b/ruby', '~/b/ruby'],
  ])('%s is %s', (name, path) => {
    expect(findProgram(name.replace('~', root), { PATH: join(root, 'b') })).toBe(path.replace('~', root));
  });

  test.each(['./ruby', 'b/ruby', '~/c/ruby', 'no-such', ''])('%j is none', (name) => {
    expect(thrownBy(() => findProgram(name.replace('~', root), { PATH: join(root, 'b') })).code).toBe('tool_failed');
  });
});
