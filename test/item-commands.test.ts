import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Around, Finished } from '../src/cli/fixtures/carry-out.ts';
import { skeinHere, skeinProcess } from './fixtures/skein-command.ts';
import { writeBelow } from './fixtures/write-below.ts';

const CHECK = `\`\`\`xml
<directive name="check" version="1.0.0">
  <metadata>
    <description>Checks a service</description>
    <permissions><execute><tool>rye/bash</tool></execute></permissions>
  </metadata>
</directive>
\`\`\`

Check the \u001b[31mservice\u001b[0m.
`;

let root: string;
let project: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-items-')));
  project = join(root, 'project');
  put('project/.ai/directives/check.md', CHECK);
  put('project/.ai/tools/rye/file-system/ls.sh', '# __tool_type__: tool\n# __tool_description__: Ours\n');
  put('project/.ai/knowledge/bad.md', '---\ntitle: one\ntitle: two\n---\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('skein item', () => {
  test('lists what ships as trusted, what is shadowed, and what can not be read, without failing', async () => {
    const { code, stdout, stderr } = await skeinProcess(['item', 'list'], around());
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines).toContain('unsigned     project  directive  check');
    expect(lines).toContain('unsigned     project  tool       rye/file-system/ls');
    expect(lines).toContain('trusted      system   tool       rye/file-system/ls  [shadowed by project]');
    expect(lines).toContainEqual(expect.stringMatching(/^unsigned +project +knowledge +bad +\[REFUSED: .*bad\.md:3\)/));
    expect(lines.filter((line) => line.includes('  system  ') && !line.startsWith('trusted  '))).toEqual([]);
    expect(stderr).toMatch(/^\d+ items, 1 shadowed, 1 refused\n$/);
  });

  test('shows how an item stands with its signature, before and after a change', async () => {
    const { stdout: key } = await skein('keys', 'init');
    await skein('sign', 'check');
    const trusted = await skein('item', 'show', 'check');
    expect(trusted).toMatchObject({ code: 0, stderr: '' });
    expect(trusted.stdout).toMatch(new RegExp(`^ {2}signature +trusted, key ${key.trim()}, \\d{4}-.*Z$`, 'm'));
    const file = join(project, '.ai/directives/check.md');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Check the', 'Break the'));
    const changed = await skein('item', 'show', 'check');
    expect(changed).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^skein: .*content was changed.*check\.md:1\) \[signature_wrong\]\n$/),
    });
    expect(changed.stdout).toMatch(/^ {2}signature +WRONG: the content was changed after it was signed \(line 1\)$/m);
    expect(changed.stdout).not.toContain('Break the');
  });

  test('shows the chain of a tool that ships', async () => {
    const { code, stdout } = await skein('item', 'show', 'rye/bash');
    expect(code).toBe(0);
    expect(stdout).toContain(
      'rye/bash (system) → rye/core/runtimes/node_runtime (system) → rye/core/primitives/subprocess',
    );
  });

  test('shows a file, and refuses a malformed one with file, line and reason', async () => {
    const good = await skein('item', 'show', '.ai/directives/check.md');
    expect(good).toMatchObject({ code: 0, stdout: expect.stringMatching(/^directive check, in the project space\n/) });
    const bad = await skein('item', 'show', './.ai/knowledge/bad.md');
    expect(bad).toMatchObject({ code: 3, stderr: expect.stringMatching(/^skein: .*bad\.md:3\) \[invalid_item\]\n$/) });
  });

  test('shows no control characters of an item', async () => {
    const { stdout } = await skein('item', 'show', 'check');
    expect(stdout).toContain('\nCheck the \\x1b[31mservice\\x1b[0m.\n');
    expect(stdout).not.toContain('\u001b');
    const [item] = JSON.parse((await skein('item', 'show', 'check', '--json')).stdout) as { data: { body: string } }[];
    expect(item?.data.body.trim()).toBe('Check the \u001b[31mservice\u001b[0m.');
  });

  test('finds items, and finds them again when a file has changed', async () => {
    const found = await skein('item', 'search', 'service', '--kind', 'directive', '--space', 'project');
    expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/^project {2}directive {2}check\n/) });
    put('project/.ai/directives/second.md', CHECK.replaceAll('check', 'second'));
    const { stdout } = await skein('item', 'search', 'service', '--kind', 'directive', '--space', 'project', '--json');
    const { results, total } = JSON.parse(stdout) as { results: { item_id: string }[]; total: number };
    expect({ ids: results.map(({ item_id: id }) => id).toSorted(), total }).toEqual({
      ids: ['check', 'second'],
      total: 2,
    });
  });
});

test.each<[string, readonly string[], number, string]>([
  ['an unknown command', ['item', 'make'], 2, 'invalid_argument'],
  ['an unknown option', ['item', 'show', 'check', '--nope'], 2, 'invalid_argument'],
  ['an unknown id', ['item', 'show', 'nobody'], 3, 'item_not_found'],
  ['an id that leads out of its space', ['item', 'show', 'a/../../b'], 3, 'item_id_refused'],
  ['a file that is not there', ['item', 'show', '../nowhere.md'], 3, 'item_not_found'],
  ['a query that is none', ['item', 'search', '"open'], 2, 'invalid_argument'],
])('%s is refused in one line', async (_, args, code, error) => {
  expect(await skein(...args)).toEqual({
    code,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^skein: [^\\n]+ \\[${error}\\]\\n$`)),
  });
});

function skein(...args: readonly string[]): Promise<Finished> {
  return skeinHere(args, around());
}

function around(): Around {
  return { cwd: project, env: { PATH: process.env['PATH'], SKEIN_USER_SPACE: join(root, 'user') } };
}

function put(path: string, text: string): void {
  writeBelow(root, path, text);
}
