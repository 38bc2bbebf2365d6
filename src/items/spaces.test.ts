import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { SkeinError } from '../core/errors.ts';
import { shippedRouter } from './fixtures/parse-text.ts';
import { createSpaces, type Spaces } from './spaces.ts';

let root: string;
let spaces: Spaces;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-spaces-')));
  const paths = { projectPath: join(root, 'p'), userSpace: join(root, 'u'), systemSpace: join(root, 's') };
  spaces = createSpaces(paths, shippedRouter);
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (path: string, content: string | Uint8Array = path): string => {
  return writeBelow(root, path, content);
};

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof SkeinError) return error.code;
    throw error;
  }
  return 'nothing';
};

/** Puts a symlink in the place of a folder and the folder back, without end. */
const EXCHANGE = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const [, folder, outside] = process.argv;
process.stdout.write('.');
for (;;) {
  renameSync(folder, folder + '-away');
  symlinkSync(outside, folder);
  unlinkSync(folder);
  renameSync(folder + '-away', folder);
}`;

describe('spaces', () => {
  test('the project wins over the user, the user over the system', () => {
    put('s/knowledge/a/b.md');
    expect(spaces.find('knowledge', 'a/b')?.space).toBe('system');
    put('u/knowledge/a/b.md');
    expect(spaces.find('knowledge', 'a/b')?.space).toBe('user');
    put('p/.ai/knowledge/a/b.md');
    expect(spaces.find('knowledge', 'a/b')).toMatchObject({ space: 'project', extension: '.md' });
  });

  test('a source looks into that space alone', () => {
    put('s/directives/d.md');
    put('p/.ai/directives/d.md');
    expect(spaces.read('directive', 'd', 'system').text).toBe('s/directives/d.md');
    expect(spaces.find('directive', 'd', 'user')).toBeUndefined();
  });

  test('the first extension of a tool wins, with a warning for the others', () => {
    put('p/.ai/tools/t.sh');
    put('p/.ai/tools/t.js');
    put('p/.ai/tools/t.py');
    const found = spaces.find('tool', 't');
    expect(found?.extension).toBe('.py');
    expect(found?.warnings).toEqual([expect.stringContaining('t.js'), expect.stringContaining('t.sh')]);
  });

  test('an item that is nowhere is refused with the places that were searched', () => {
    const run = (): unknown => spaces.read('tool', 'x/y');
    expect(codeOf(run)).toBe('item_not_found');
    expect(run).toThrow(/project .*\.ai.*user .*system /);
  });

  test('a byte order mark is no part of the text, and stays in the raw text', () => {
    put('p/.ai/knowledge/k.md', '\uFEFFhello');
    expect(spaces.read('knowledge', 'k')).toMatchObject({ text: 'hello', raw: '\uFEFFhello' });
  });

  test('the entries are the files of every space, shadowed ones after those that win', () => {
    for (const path of ['s/tools/a/b.js', 's/tools/c.js', 'p/.ai/tools/c.sh', 'p/.ai/tools/c.py', 'u/tools/d.json']) {
      put(path);
    }
    expect([...spaces.entries('tool')]).toEqual([
      { id: 'c', space: 'project', extension: '.py', file: join(root, 'p/.ai/tools/c.py') },
      { id: 'd', space: 'user', extension: '.json', file: join(root, 'u/tools/d.json') },
      { id: 'a/b', space: 'system', extension: '.js', file: join(root, 's/tools/a/b.js') },
      { id: 'c', space: 'system', extension: '.js', file: join(root, 's/tools/c.js') },
    ]);
  });

  test.each(['p', 'link'])('a project that is the home of the user, at %s, has one space, the user’s', (at) => {
    put('p/.ai/knowledge/k.md');
    symlinkSync('p', join(root, 'link'));
    const home = createSpaces({ projectPath: join(root, 'p'), userSpace: join(root, at, '.ai') }, shippedRouter);
    expect(Array.from(home.entries('knowledge'), ({ space }) => space)).toEqual(['user']);
  });

  test.each([
    '../../u/knowledge/k',
    '..',
    './k',
    'a/../../k',
    '/etc/passwd',
    'a%2f..',
    '%2e%2e/k',
    'a\\b',
    'k\0',
    'k/',
    '',
    'ä',
  ])('the id %j is refused', (id) => {
    put('u/knowledge/k.md');
    expect(codeOf(() => spaces.find('knowledge', id))).toBe('item_id_refused');
  });

  test('a symlink out of the space is refused, to a file and to a folder', () => {
    const secret = put('outside/secret.md');
    mkdirSync(join(root, 'p/.ai/knowledge'), { recursive: true });
    symlinkSync(secret, join(root, 'p/.ai/knowledge/link.md'));
    symlinkSync(dirname(secret), join(root, 'p/.ai/knowledge/folder'));
    expect(codeOf(() => spaces.read('knowledge', 'link'))).toBe('item_id_refused');
    expect(codeOf(() => spaces.find('knowledge', 'folder/secret'))).toBe('item_id_refused');
  });

  test('what a symlink out of the space leads to is not even opened', async () => {
    // A socket can't be opened: that would be another error.
    const server = createServer().listen(join(root, 'socket'));
    await once(server, 'listening');
    mkdirSync(join(root, 'p/.ai/knowledge'), { recursive: true });
    symlinkSync(join(root, 'socket'), join(root, 'p/.ai/knowledge/link.md'));
    expect(codeOf(() => spaces.read('knowledge', 'link'))).toBe('item_id_refused');
    await new Promise((closed) => server.close(closed));
  });

  test('a folder that is exchanged for a symlink all the time never gives a file from outside', async () => {
    put('outside/k.md', 'secret');
    put('p/.ai/knowledge/d/k.md', 'fine');
    const exchanger = spawn(process.execPath, ['-e', EXCHANGE, join(root, 'p/.ai/knowledge/d'), join(root, 'outside')]);
    await once(exchanger.stdout, 'data');
    const outcomes = new Set<string>();
    // Until the other process has had its turn, too.
    const until = performance.now() + 20_000;
    for (let round = 0; round < 3000 || (outcomes.size < 2 && performance.now() < until); round++) {
      outcomes.add(codeOf(() => expect(spaces.read('knowledge', 'd/k').text).toBe('fine')));
    }
    exchanger.kill();
    await once(exchanger, 'close');
    const allowed = new Set(['nothing', 'item_not_found', 'item_id_refused', 'invalid_item']);
    expect([...outcomes].filter((code) => !allowed.has(code))).toEqual([]);
    expect(outcomes.size).toBeGreaterThan(1);
  });

  test('a sibling whose name starts like the space is outside it', () => {
    const secret = put('p/.ai-other/secret.md');
    mkdirSync(join(root, 'p/.ai/knowledge'), { recursive: true });
    symlinkSync(secret, join(root, 'p/.ai/knowledge/link.md'));
    expect(codeOf(() => spaces.read('knowledge', 'link'))).toBe('item_id_refused');
  });

  test('a symlink inside the space and a linked space are followed', () => {
    put('real/knowledge/a.md', 'text');
    symlinkSync(join(root, 'real'), join(root, 'u'));
    symlinkSync(join(root, 'real/knowledge/a.md'), join(root, 'real/knowledge/b.md'));
    expect(spaces.read('knowledge', 'b').text).toBe('text');
  });

  test('what links lead to is listed as it is loaded: by the name of the link, with the file it leads to', () => {
    put('p/.ai/shelf/a.md');
    put('p/.ai/shelf/more/b.md');
    mkdirSync(join(root, 'p/.ai/knowledge'));
    symlinkSync(join(root, 'p/.ai/shelf/a.md'), join(root, 'p/.ai/knowledge/one.md'));
    symlinkSync('../shelf', join(root, 'p/.ai/knowledge/all'));
    expect([...spaces.entries('knowledge')].map(({ id, file }) => [id, file])).toEqual([
      ['all/a', join(root, 'p/.ai/shelf/a.md')],
      ['all/more/b', join(root, 'p/.ai/shelf/more/b.md')],
      ['one', join(root, 'p/.ai/shelf/a.md')],
    ]);
    for (const { id, file } of spaces.entries('knowledge')) {
      expect(spaces.read('knowledge', id).stamp.file).toBe(file);
    }
  });

  test('a folder of items that is a link is followed inside the space, and not out of it', () => {
    put('p/.ai/shelf/a.md');
    put('outside/b.py');
    symlinkSync('shelf', join(root, 'p/.ai/knowledge'));
    symlinkSync(join(root, 'outside'), join(root, 'p/.ai/tools'));
    expect([spaces.list('knowledge'), spaces.list('tool')]).toEqual([['a'], []]);
    expect(spaces.read('knowledge', 'a').text).toBe('p/.ai/shelf/a.md');
    expect(codeOf(() => spaces.read('tool', 'b'))).toBe('item_id_refused');
  });

  test.each([
    ['to a file out of the space', '../../../outside/secret.md', 'item_id_refused'],
    ['to itself', 'link.md', 'invalid_item'],
    ['to a folder out of the space', '../../../outside', 'item_id_refused'],
    ['to nothing', 'gone.md', 'item_not_found'],
  ])('a link %s is listed if it stands in the way of others, so that one learns why', (_, target, code) => {
    put('outside/secret.md');
    put('p/.ai/knowledge/other.md');
    symlinkSync(target, join(root, 'p/.ai/knowledge/link.md'));
    expect(codeOf(() => spaces.read('knowledge', 'link'))).toBe(code);
    const listed = code === 'item_not_found' ? ['other'] : ['link', 'other'];
    expect(spaces.list('knowledge')).toEqual(listed);
  });

  test.each([
    ['to its own folder', '.'],
    ['to a folder above', '..'],
    ['to a folder above its kind', '../..'],
  ])('a link %s leads in a circle: nothing is listed or loaded through it', (_, target) => {
    put('p/.ai/knowledge/a/b.md');
    symlinkSync(target, join(root, 'p/.ai/knowledge/a/loop'));
    const through = { '.': 'a/loop/b', '..': 'a/loop/a/b', '../..': 'a/loop/knowledge/a/b' }[target] ?? '';
    expect(spaces.list('knowledge')).toEqual(['a/b']);
    expect(codeOf(() => spaces.read('knowledge', through))).toBe('item_id_refused');
  });

  test('links between two folders are followed once', () => {
    put('p/.ai/knowledge/a/one.md');
    put('p/.ai/knowledge/b/two.md');
    symlinkSync('../b', join(root, 'p/.ai/knowledge/a/to-b'));
    symlinkSync('../a', join(root, 'p/.ai/knowledge/b/to-a'));
    expect(spaces.list('knowledge')).toEqual(['a/one', 'a/to-b/two', 'b/to-a/one', 'b/two']);
    expect(spaces.read('knowledge', 'a/to-b/two').text).toBe('p/.ai/knowledge/b/two.md');
    expect(codeOf(() => spaces.read('knowledge', 'a/to-b/to-a/one'))).toBe('item_id_refused');
  });

  test('a refused file is not passed over for one of a later space', () => {
    put('p/.ai/knowledge/k.md', new Uint8Array([0xff, 0xfe, 0xfd]));
    put('s/knowledge/k.md', 'fine');
    expect(codeOf(() => spaces.read('knowledge', 'k'))).toBe('invalid_item');
  });

  test.each([
    ['x\xff', 1],
    ['one\r\ntwo\n\xe4 three\nfour \xff', 3],
    ['\xef\xbb\xbfone\n\xc3', 2],
  ])('a file that is no UTF-8, %j, is refused with the line', (bytes, line) => {
    const file = put('p/.ai/knowledge/k.md', Buffer.from(bytes, 'latin1'));
    expect(() => spaces.read('knowledge', 'k')).toThrow(
      expect.objectContaining({ code: 'invalid_item', where: { file, line } }),
    );
  });

  test('a folder or a named pipe is no item and does not hang', () => {
    mkdirSync(join(root, 'p/.ai/knowledge/dir.md'), { recursive: true });
    execFileSync('mkfifo', [join(root, 'p/.ai/knowledge/pipe.md')]);
    expect(codeOf(() => spaces.read('knowledge', 'dir'))).toBe('invalid_item');
    expect(codeOf(() => spaces.read('knowledge', 'pipe'))).toBe('invalid_item');
  });

  test.each([
    [1024 * 1024, 'nothing'],
    [1024 * 1024 + 1, 'item_too_large'],
  ])('a file of %d bytes gives %s', (size, code) => {
    put('p/.ai/knowledge/k.md', 'x'.repeat(size));
    expect(codeOf(() => spaces.read('knowledge', 'k'))).toBe(code);
  });

  test('a file in the middle of a path is not there', () => {
    put('p/.ai/knowledge/a');
    expect(spaces.find('knowledge', 'a/b')).toBeUndefined();
  });

  test('the list has every id once, without hidden, ignored and foreign files', () => {
    for (const path of ['p/.ai/tools/b.py', 'u/tools/b.js', 's/tools/rye/fs/read.py', 's/tools/a.sh']) put(path);
    put('s/tools/build/compile.sh');
    for (const path of ['s/tools/node_modules/x.js', 's/tools/.git/x.py', 's/tools/read.md', 's/tools/a b.py'])
      put(path);
    symlinkSync(join(root, 's'), join(root, 's/tools/loop'));
    expect(spaces.list('tool')).toEqual(['a', 'b', 'build/compile', 'rye/fs/read']);
    expect(spaces.list('knowledge')).toEqual([]);
  });
});
