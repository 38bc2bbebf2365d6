import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkeinError } from '../core/errors.ts';
import { createSpaces, type Spaces } from './spaces.ts';

let root: string;
let spaces: Spaces;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-spaces-'));
  spaces = createSpaces({ projectPath: join(root, 'p'), userSpace: join(root, 'u'), systemSpace: join(root, 's') });
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (path: string, content: string | Uint8Array = path): string => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
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

  test('a byte order mark is no part of the text', () => {
    put('p/.ai/knowledge/k.md', '\uFEFFhello');
    expect(spaces.read('knowledge', 'k').text).toBe('hello');
  });

  test.each(['../../u/knowledge/k', '/etc/passwd', 'a%2f..', 'a\\b', 'a\0', ''])('the id %j is refused', (id) => {
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

  test('a refused file is not passed over for one of a later space', () => {
    put('p/.ai/knowledge/k.md', new Uint8Array([0xff, 0xfe, 0xfd]));
    put('s/knowledge/k.md', 'fine');
    expect(codeOf(() => spaces.read('knowledge', 'k'))).toBe('invalid_item');
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
    for (const path of ['s/tools/node_modules/x.js', 's/tools/.git/x.py', 's/tools/read.md', 's/tools/a b.py'])
      put(path);
    symlinkSync(join(root, 's'), join(root, 's/tools/loop'));
    expect(spaces.list('tool')).toEqual(['a', 'b', 'rye/fs/read']);
    expect(spaces.list('knowledge')).toEqual([]);
  });
});
