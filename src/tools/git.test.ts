import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { askForBeginning, createGit, PLAIN_DIFF, type Git } from './git.ts';

/** Nothing of the user's own settings. */
const ENV = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
const WHO = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'a@x', GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'a@x' };
/** Of git itself, which is to clone from a folder beside it. */
const FROM_FILES = ['-c', 'protocol.file.allow=always'];

let home: string;
/** The repository, and a file that is there once some program has run. */
let folder: string;
let ran: string;
let git: Git;

function run(...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, env: { ...ENV, ...WHO }, stdio: 'pipe', encoding: 'utf8' });
}

function write(path: string, text: string): void {
  writeBelow(folder, path, text);
}

/** A program that leaves a trace and then does what it is to do. */
function program(then: string): string {
  const file = join(home, 'program.sh');
  writeFileSync(file, `#!/bin/sh\ntouch ${ran}\n${then}\n`, { mode: 0o755 });
  return file;
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'skein-git-'));
  folder = join(home, 'repository');
  ran = join(home, 'ran');
  mkdirSync(folder);
  run('init', '-q', '-b', 'main');
  write('a.txt', 'one\n');
  write('same.txt', 'same\n');
  run('add', '-A');
  run('commit', '-qm', 'first');
  git = createGit(folder, ENV);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Git writes into its index that this file has not changed, which is a hook's business. */
function touchAgain(time: number): void {
  utimesSync(join(home, 'repository', 'same.txt'), time, time);
}

const NUMBERS = [...PLAIN_DIFF, '--numstat', 'HEAD', '--'];

describe('Git runs no program', () => {
  /** Each makes the repository name one, and gives a command for which git runs it if it is not told otherwise. */
  const PROGRAMS: Record<string, () => readonly string[]> = {
    'that cleans files'() {
      run('config', 'filter.x.y.clean', program('cat'));
      run('config', 'filter.x.y.required', 'true');
      write('.gitattributes', '*.txt filter=x.y\n');
      return ['diff', 'HEAD'];
    },
    'that cleans files and stays'() {
      run('config', 'filter.x.process', program('exit 1'));
      write('.gitattributes', '*.txt filter=x\n');
      return ['diff', 'HEAD'];
    },
    'that checks signatures'() {
      const commit = run('cat-file', 'commit', 'HEAD');
      const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n';
      const input = commit.replace('\n\n', `\n${signature}\n`);
      const made = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], { cwd: folder, input });
      run('reset', '-q', '--soft', made.toString().trim());
      run('config', 'gpg.program', program('exit 1'));
      run('config', 'log.showSignature', 'true');
      return ['log', '--format=%H', '--'];
    },
    'as a hook'() {
      symlinkSync(program(''), join(home, 'post-index-change'));
      run('config', 'core.hooksPath', home);
      return ['diff', 'HEAD'];
    },
    'that fetches what a partial clone lacks'() {
      run('config', 'uploadpack.allowFilter', 'true');
      write('a.txt', 'two\n');
      run('commit', '-qam', 'second');
      run(...FROM_FILES, 'clone', '-q', '--no-local', '--filter=blob:none', `file://${folder}`, join(home, 'partial'));
      folder = join(home, 'partial');
      run('config', 'remote.origin.uploadpack', program('exec git-upload-pack "$@"'));
      return ['diff', 'HEAD~1'];
    },
    'that a submodule names'() {
      run(...FROM_FILES, 'submodule', 'add', '-q', folder, 'sub');
      run('commit', '-qm', 'sub');
      write('.git/modules/sub/info/attributes', 'a.txt filter=x\n');
      run('-C', 'sub', 'config', 'filter.x.clean', program('cat'));
      write('sub/a.txt', 'two\n');
      return ['diff', 'HEAD'];
    },
    'of a repository that was written into a folder'() {
      for (const path of ['objects/x', 'refs/x']) write(`made/${path}`, '');
      write('made/HEAD', 'ref: refs/heads/main\n');
      write('made/config', `[core]\n  bare = false\n  worktree = .\n[alias]\n  x = "!touch ${ran}"\n`);
      folder = join(folder, 'made');
      return ['x'];
    },
  };

  test.each(Object.keys(PROGRAMS))('%s', async (name) => {
    const args = PROGRAMS[name]?.() ?? [];
    write('a.txt', 'new\n');
    rmSync(ran, { force: true });
    touchAgain(1);
    const asked = args[0] === 'diff' ? [...PLAIN_DIFF, ...args.slice(1), '--'] : args;
    await createGit(folder, ENV)(asked).catch(() => '');
    expect(existsSync(ran)).toBe(false);
    touchAgain(2);
    spawnSync('git', args, { cwd: folder, env: ENV });
    expect(existsSync(ran)).toBe(true);
  });
});

describe('Git', () => {
  test('compares files as they lie on the disk where a filter stores them otherwise', async () => {
    run('config', 'filter.x.clean', 'tr a-z A-Z');
    write('.gitattributes', 'b.txt filter=x\n');
    write('b.txt', 'stored\n');
    run('add', 'b.txt');
    run('commit', '-qm', 'second');
    // Else it would be as old as the index, and git could not tell.
    utimesSync(join(folder, 'b.txt'), 1_000_000, 1_000_000);
    run('update-index', '--refresh');
    expect(await git(NUMBERS)).toBe('');
    write('b.txt', 'stored so\n');
    expect(await git([...PLAIN_DIFF, 'HEAD', '--'])).toMatch(/\n-STORED\n\+stored so\n$/);
  });

  test('takes a file for a file, whatever its name', async () => {
    run('config', 'filter.x.clean', program('cat'));
    write('.gitattributes', '* filter=x\n');
    run('add', '-A');
    rmSync(ran);
    write('a.txt', 'two\n');
    expect(await git([...NUMBERS, 'a.txt', '--cached'])).toBe('1\t1\ta.txt\n');
    expect(existsSync(ran)).toBe(false);
  });

  test('does not compare with a filter whose name no option can have', async () => {
    run('config', 'filter.x=y.clean', program('cat'));
    write('.gitattributes', '*.txt filter=x=y\n');
    await expect(git(NUMBERS)).rejects.toMatchObject({ code: 'tool_failed', message: expect.stringContaining('x=y') });
    expect(existsSync(ran)).toBe(false);
  });

  test('gets little of the environment, and where a repository is', async () => {
    const env = { ...ENV, API_KEY: 'secret', GIT_SSH_COMMAND: 'ssh', GIT_INDEX_FILE: '.git/other', LANG: 'de' };
    const seen = (await createGit(folder, env)(['-c', 'alias.seen=!env', 'seen'])).split('\n');
    expect(seen).toEqual(expect.arrayContaining(['GIT_INDEX_FILE=.git/other', 'LC_ALL=C', 'LANG=de']));
    expect(seen.filter((line) => /^(?:API_KEY|GIT_SSH_COMMAND)=/.test(line))).toEqual([]);
  });

  test('gets the settings that the environment gives, which make it run no program', async () => {
    const given = { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: 'counted' };
    const env = {
      ...ENV,
      ...given,
      GIT_CONFIG_KEY_1: 'core.fsmonitor',
      GIT_CONFIG_VALUE_1: program(''),
      GIT_CONFIG_PARAMETERS: `'c.d=listed' 'core.fsmonitor=${program('')}'`,
    };
    const told = createGit(folder, env);
    expect([await told(['config', 'a.b']), await told(['config', 'c.d'])]).toEqual(['counted\n', 'listed\n']);
    await told(NUMBERS);
    expect(existsSync(ran)).toBe(false);
    spawnSync('git', NUMBERS, { cwd: folder, env });
    expect(existsSync(ran)).toBe(true);
  });

  test('asks for no filters where it compares what is stored, and runs none', async () => {
    run('config', 'filter.x=y.clean', program('cat'));
    write('.gitattributes', '*.txt filter=x=y\n');
    write('a.txt', 'two\n');
    run('add', '-A');
    rmSync(ran);
    const staged = [...PLAIN_DIFF, '--cached'];
    for (const text of ['two\n', 'two\n', 'three\n']) {
      expect(await git([...staged, '--stat', '--'])).toContain(' a.txt ');
      expect(await git([...staged, '--'])).toContain('\n-one\n+two\n');
      write('a.txt', text);
    }
    expect(existsSync(ran)).toBe(false);
  });

  const ONE = { mayEndWithOne: true };
  const NEW_FILE = [...PLAIN_DIFF, '--no-index', '--', '/dev/null', 'new.txt'];

  test.each([
    ['line ends', 'config', 'core.autocrlf', 'input'],
    ['line ends that are to be safe', 'config', 'core.safecrlf', 'true'],
    ['grep and submodules', 'config', 'submodule.recurse', 'true'],
    ['an attribute', 'config', 'core.attributesFile', 'attributes'],
  ])('answers whatever it is set to about %s', async (_name, ...setting) => {
    run(...setting);
    run('config', 'core.autocrlf', 'input');
    write('attributes', '* =\n');
    write('new.txt', 'one\r\n');
    expect(await git(NEW_FILE, ONE)).toMatch(/\n\+one\r?\n$/);
    expect(await git(['grep', '--untracked', '-e', 'one', '--', 'new.txt'], ONE)).toMatch(/^new.txt:one/);
    expect(await git(['grep', '--untracked', '-e', 'two', '--', 'new.txt'], ONE)).toBe('');
  });

  test('has no answer where it has failed and says so', async () => {
    const missing = [...PLAIN_DIFF, '--no-index', '--', '/dev/null', 'gone.txt'];
    await expect(git(missing, ONE)).rejects.toMatchObject({ message: expect.stringContaining('error: ') });
  });

  test('is stopped where an answer is too long, which is refused or cut', async () => {
    write('new.txt', 'x\n'.repeat(100_000));
    const maxBytes = 10_000;
    await expect(git(NEW_FILE, { ...ONE, maxBytes })).rejects.toMatchObject({ code: 'tool_failed' });
    const cut = await git(NEW_FILE, { ...ONE, maxBytes, mayBeCut: true });
    expect(cut).toHaveLength(maxBytes);
    expect(cut).toMatch(/\n\+x\n\+x\n/);
  });
});

test.each([
  ['short', 'short', false],
  ['one\ntwo three', 'one\n(The rest is not shown)', true],
  ['one line of many', 'one line\n(The rest is not shown)', true],
  ['a line 😀😀', 'a line \ufffd\n(The rest is not shown)', true],
])('of the answer %j the beginning is %j', async (answer, text, isCut) => {
  write('a.txt', answer);
  const blob = run('hash-object', '-w', 'a.txt').trim();
  expect(await askForBeginning(git, ['cat-file', 'blob', blob], { chars: 8 })).toEqual({ text, isCut });
});
