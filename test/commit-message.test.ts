import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { skeinHere } from './fixtures/skein-command.ts';
import { writeBelow } from './fixtures/write-below.ts';

/** Answers with the rules' first line and the last line of the diff. */
const SCRIPT = `rules:
  - match: '(?s)(?P<rules>Be [^\\n]+)\\n.*\\n\\+(?P<line>[^\\n]*)'
    text: 'feat: \${captures.line} | \${captures.rules}'
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-commit-'));
  write('script.yaml', SCRIPT);
  write('app/a.txt', 'one\n');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  writeBelow(folder, path, text);
}

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: folder, env: environment(), stdio: 'pipe' });
}

function environment() {
  const home = { HOME: join(folder, 'home'), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: dirname(folder), ...home };
}

function commitMessage(...args: string[]) {
  const scripted = ['--script', 's=script.yaml', '--model', 'scripted:s'];
  return skeinHere(['commit-message', ...scripted, ...args], { cwd: folder, env: environment() });
}

describe('skein commit-message', () => {
  test('has a model write a message for what is staged, by the rules that stand in commit.md now', async () => {
    git('init', '-q');
    git('add', 'app');
    write('app/a.txt', 'two\n');
    write('.ai/config/prompts/commit.md', 'Be short.\nNo more.\n');
    const first = await commitMessage('--project', 'app/..');
    expect(first).toMatchObject({ code: 0, stdout: 'feat: one | Be short.\n' });
    git('add', 'app');
    write('.ai/config/prompts/commit.md', 'Be long.\nMuch more.\n');
    const second = await commitMessage('--json');
    expect(JSON.parse(second.stdout)).toMatchObject({ text: 'feat: two | Be long.', cost: { turns: 1 } });
  });

  test('sends the rules and the diff alone where other prompts stand in tiers', async () => {
    git('init', '-q');
    git('add', 'app');
    write('.ai/config/agent.yaml', "schema_version: '1.0.0'\nassembly: tiered\n");
    write('.ai/config/prompts/commit.md', 'Be short.\nNo more.\n');
    write('.ai/config/prompts/system_reminder.md', 'Mind the edits.\n');
    write('script.yaml', "rules:\n  - text: 'first: ${prompt} | last: ${last.text}'\n");
    const { stdout } = await commitMessage();
    expect(stdout).toMatch(/^first: ([^]*Be short\.[^]*\+one\n[^]*) \| last: \1\n$/);
    expect(stdout).not.toMatch(/Repository Files|Mind the edits/);
  });

  test('of a diff that is long sends the beginning and the list of its files, of which no more than fits', async () => {
    git('init', '-q');
    // Longer than git's answers may be; and more files than are listed.
    write('app/a.txt', 'a line of some length\n'.repeat(900_000));
    for (let no = 0; no < 600; no++) write(`many/${no}.txt`, 'one\n');
    git('add', 'app', 'many');
    write('.ai/config/prompts/commit.md', 'Be short.\n');
    write('script.yaml', "rules:\n  - text: '${prompt}'\n");
    const { stdout, code } = await commitMessage();
    expect(code).toBe(0);
    expect(stdout).toMatch(/ app\/a\.txt +\| 900000 \++\n/);
    expect(stdout.match(/^ many\/\d+\.txt +\|/gm)).toHaveLength(499);
    expect(stdout).toMatch(/\n 601 files changed, 900600 insertions\(\+\)\n/);
    expect(stdout).toMatch(/\n\+a line of some length\n\(The rest is not shown\)\n/);
    expect(stdout.length).toBeLessThan(250_000);
  });

  test.each<[string, readonly string[], readonly string[][], RegExp]>([
    ['there is no repository', [], [], /This folder is in no git repository/],
    ['nothing is staged', [], [['init', '-q']], /Nothing is staged in git here/],
    ['there is no such folder', ['--project', 'nowhere'], [], /is not a folder/],
    ['words are given', ['now'], [], /takes no words/],
  ])('refuses clearly where %s', async (_title, args, commands, message) => {
    for (const command of commands) git(...command);
    const { code, stderr, stdout } = await commitMessage(...args);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect([2, 3]).toContain(code);
  });
});
