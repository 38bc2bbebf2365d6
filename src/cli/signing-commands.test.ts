import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { commandIn } from './fixtures/command-in.ts';

/* From the sources, where the system space is not signed; test/signing.test.ts has what was built. */

let root: string;
let project: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-cli-signing-'));
  project = join(root, 'project');
  put('project/.ai/knowledge/k.md', '---\ntitle: K\n---\ntext\n');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('skein keys', () => {
  test('list shows whose items each key vouches for, as text and as JSON', async () => {
    expect(await skein('keys', 'list')).toEqual({ code: 0, out: '', err: expect.stringContaining('skein keys init') });
    const key = (await skein('keys', 'init')).out.trim();
    await skein('keys', 'trust', ownKey(key), '--project', project);
    const { out } = await skein('keys', 'list');
    expect(out).toContain(`${key}  user     own  vouches for items of project and user  `);
    const own = { fingerprint: key, own: true };
    expect(JSON.parse((await skein('keys', 'list', '--json')).out)).toEqual([
      { ...own, space: 'user', vouches_for: ['project', 'user'], file: ownKey(key) },
      { ...own, space: 'project', vouches_for: ['project'], file: join(project, '.ai/keys/trusted', `${key}.pem`) },
    ]);
    put('user/config/agent.yaml', 'schema_version: "1.0.0"\ntrust: {project: strict}\n');
    expect((await skein('keys', 'list')).out).toContain(`${key}  project  own  vouches for nothing  `);
  });

  test('can not be written where a file is in the way, which is said of the folder', async () => {
    put('user/keys', 'a file');
    const refusal = expect.stringMatching(/^skein: Keys can't be written there: .*\/user\/keys\) \[key_unusable\]\n$/);
    expect(await skein('keys', 'init')).toEqual({ code: 3, out: '', err: refusal });
  });

  test('list names a signing key and trusted files that are of no use', async () => {
    put('user/keys/private.pem', 'nothing');
    put('user/keys/trusted/x.pem', 'nothing');
    const { code, err } = await skein('keys', 'list');
    expect(code).toBe(0);
    expect(err).toMatch(/private\.pem.*\[key_unusable\]/);
    expect(err).toMatch(/passed over.*x\.pem/);
    expect(err).not.toContain('keys init');
  });

  test('trust takes a file or the text of a key, for the user or for a project', async () => {
    const key = (await skein('keys', 'init')).out.trim();
    const pem = readFileSync(ownKey(key), 'utf8');
    rmSync(join(root, 'user'), { recursive: true });
    expect(await skein('keys', 'trust', pem)).toMatchObject({ code: 0, out: `${key}\n` });
    expect(readFileSync(ownKey(key), 'utf8')).toBe(pem);
    put('project/key.pem', pem);
    expect(await skein('keys', 'trust', 'key.pem', '--project', '.')).toMatchObject({ code: 0, out: `${key}\n` });
    expect(readFileSync(join(project, '.ai/keys/trusted', `${key}.pem`), 'utf8')).toBe(pem);
    expect((await skein('keys', 'trust', 'key.pem')).err).toContain('already');
  });
});

describe('skein sign', () => {
  test('refuses what does not meet the schema of its kind, and names every problem', async () => {
    await skein('keys', 'init');
    put('project/.ai/knowledge/bad.md', '---\ntags: 5\n---\ntext\n');
    const { code, out, err } = await skein('sign', 'bad');
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/bad\.md.*\[invalid_item\]/);
    expect(err).toMatch(/"title"/);
    expect(err).toMatch(/"tags"/);
    expect(readFileSync(join(project, '.ai/knowledge/bad.md'), 'utf8')).not.toContain('rye:signed');
  });

  test('changes nothing when one of the items is not there', async () => {
    await skein('keys', 'init');
    expect((await skein('sign', 'k', 'nobody')).err).toContain('[item_not_found]');
    expect(readFileSync(join(project, '.ai/knowledge/k.md'), 'utf8')).not.toContain('rye:signed');
  });

  test('says which items were not tried after one that can not be signed', async () => {
    await skein('keys', 'init');
    put('project/.ai/knowledge/bad.md', '---\ntags: 5\n---\ntext\n');
    put('project/.ai/knowledge/l.md', '---\ntitle: L\n---\ntext\n');
    const { code, out, err } = await skein('sign', 'k', 'bad', 'l');
    expect({ code, out }).toEqual({
      code: 3,
      out: expect.stringMatching(/^signed {2}project {2}knowledge {2}k .*\n$/),
    });
    expect(err).toMatch(/^not tried: l\n/);
    expect(readFileSync(join(project, '.ai/knowledge/l.md'), 'utf8')).not.toContain('rye:signed');
  });

  test('asks for the kind where several have the id, and takes the space it is told', async () => {
    await skein('keys', 'init');
    put('project/.ai/tools/k.sh', '# __version__: 1.0.0\n# __tool_type__: tool\n# __tool_description__: d\n');
    put('user/knowledge/k.md', '---\ntitle: K\n---\ntext\n');
    expect(await skein('sign', 'k')).toMatchObject({ code: 2, err: expect.stringContaining('--kind') });
    const { out } = await skein('sign', 'k', '--kind', 'knowledge', '--space', 'user');
    expect(out).toMatch(/^signed {2}user {2}knowledge {2}k {2}key [0-9a-f]{16}\n$/);
  });

  test('refuses the system space', async () => {
    await skein('keys', 'init');
    expect((await skein('sign', 'rye/file-system/read')).err).toContain('[permission_denied]');
  });
});

describe('skein verify', () => {
  test('tells the states of all spaces, and fails for what is refused', async () => {
    expect(await skein('verify', 'k')).toEqual({
      code: 0,
      out: expect.stringMatching(/^unsigned +project +knowledge +k +.*not signed.*\n$/),
      err: '1 item, none refused\n',
    });
    put('user/knowledge/k.md', '<!-- rye:signed:t -->\ntext\n');
    const { code, out } = await skein('verify', 'k', '--json');
    expect(code).toBe(1);
    const item = { kind: 'knowledge', id: 'k' };
    expect(JSON.parse(out)).toEqual([
      {
        ...item,
        space: 'project',
        file: join(project, '.ai/knowledge/k.md'),
        state: 'unsigned',
        refused: false,
        remark: expect.stringContaining('not signed'),
      },
      {
        ...item,
        space: 'user',
        file: join(root, 'user/knowledge/k.md'),
        state: 'wrong',
        reason: 'the signature line is not well formed',
        line: 1,
        refused: true,
        remark: expect.stringContaining('wrong'),
      },
    ]);
    expect((await skein('verify', '--space', 'user')).out).toMatch(/^wrong .* REFUSED: .*\(\/.*k\.md\)\n$/);
  });

  test('shows no control characters of an item', async () => {
    put('project/.ai/directives/d.md', '<!-- rye:signed:\u001b[2J -->\n');
    expect((await skein('verify', 'd')).out).not.toContain('\u001b');
  });
});

test.each<readonly [what: string, args: readonly string[], code: string]>([
  ['no command', ['keys'], 'invalid_argument'],
  ['an unknown command', ['keys', 'make'], 'invalid_argument'],
  ['a word too many', ['keys', 'init', 'x'], 'invalid_argument'],
  ['no key', ['keys', 'trust'], 'invalid_argument'],
  ['two keys', ['keys', 'trust', 'a', 'b'], 'invalid_argument'],
  ['a key file that is not there', ['keys', 'trust', 'nowhere.pem'], 'invalid_argument'],
  ['a private key', ['keys', 'trust', '-----BEGIN PRIVATE KEY-----\n'], 'invalid_argument'],
  ['a project that is not there', ['keys', 'list', '--project', 'nowhere'], 'invalid_argument'],
  ['nothing to sign', ['sign'], 'invalid_argument'],
  ['an unknown kind', ['sign', 'k', '--kind', 'thing'], 'invalid_argument'],
  ['an unknown space', ['verify', '--space', 'world'], 'invalid_argument'],
  ['an item to sign that is not there', ['sign', 'nobody'], 'item_not_found'],
  ['an item to sign outside of its space', ['sign', '../x'], 'item_id_refused'],
  ['an item to verify that is not there', ['verify', 'nobody'], 'item_not_found'],
  ['an item to verify outside of its space', ['verify', '../x'], 'item_id_refused'],
  ['to sign without a key', ['sign', 'k'], 'key_unusable'],
])('%s is refused', async (_, args, code) => {
  const { code: exit, out, err } = await skein(...args);
  expect({ exit, out }).toEqual({ exit: code === 'invalid_argument' ? 2 : 3, out: '' });
  expect(err).toMatch(new RegExp(`\\[${code}\\]\n$`));
});

test('a private key is refused for what it is', async () => {
  expect((await skein('keys', 'trust', '-----BEGIN PRIVATE KEY-----\n')).err).toContain('private key');
});

function skein(...args: readonly string[]): ReturnType<typeof commandIn> {
  return commandIn(root, args);
}

function ownKey(fingerprint: string): string {
  return join(root, 'user', 'keys', 'trusted', `${fingerprint}.pem`);
}

function put(path: string, text: string): void {
  writeBelow(root, path, text);
}
