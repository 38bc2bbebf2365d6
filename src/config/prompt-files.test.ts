import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { SYSTEM_DIR } from './default-places.ts';
import { PROMPT_NAMES, promptSourcesOf, readPrompt, readSystemPrompt, type PromptSources } from './prompt-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-prompts-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string | Buffer): void {
  writeBelow(root, path, text);
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(target, join(root, path));
}

function sources(userSpace = 'user', project: 'strict' | 'warn' = 'warn'): PromptSources {
  return promptSourcesOf({
    systemDir: SYSTEM_DIR,
    userSpace: join(root, userSpace),
    projectPath: join(root, 'project'),
    trust: { project, user: 'off', system: 'strict' },
  });
}

const USER = 'user/config/prompts';
const PROJECT = 'project/.ai/config/prompts';

test.each(PROMPT_NAMES.filter((name) => name !== 'system_extra'))('%s ships', (name) => {
  expect(readPrompt(name, sources()).length).toBeGreaterThan(100);
});

test('system_extra does not ship, and need not be there', () => {
  expect(readPrompt('system_extra', sources())).toBe('');
  expect(readSystemPrompt(sources())).toBe(readPrompt('system', sources()));
});

test.each([
  ['a role', /^You are an experienced software engineer/],
  ['the symbol map', /^# Symbol map$/m],
  ['the form of edits', /^# Edits$[\s\S]*<<<<<<< EDIT\n[\s\S]*=======\n[\s\S]*>>>>>>> REPLACE/m],
  ['what changes files', /^Files are changed by the tools[\s\S]*nothing applies them/m],
  ['the workflow', /^# Workflow$[\s\S]*Search[\s\S]*Trace[\s\S]*name the files[\s\S]*Read[\s\S]*Edit/m],
  ['what to do when an edit fails', /^# When an edit fails$/m],
  ['what to trust', /^# What to trust$/m],
])('the system prompt that ships has %s (S1 "Content Structure")', (_topic, pattern) => {
  expect(readPrompt('system', sources())).toMatch(pattern);
});

test.each([
  ['conventional types', /feat, fix/],
  ['the imperative', /imperative/],
  ['50 characters', /50 characters/],
  ['72 characters', /72 characters/],
  ['no commentary', /nothing else/],
])('the commit prompt that ships asks for %s (S1 "Other Prompts")', (_rule, pattern) => {
  expect(readPrompt('commit', sources())).toMatch(pattern);
});

test.each([
  ['that blocks are closed', /^- .*\ba block .*EDIT, the dividing line and REPLACE$/m],
  ['that text is copied exactly', /^- the text to be replaced is copied exactly\b/m],
  ['that anchors are unique', /^- its lines occur only once\b/m],
  ['that edits are small', /^- .*\bsmall edits\b/m],
  ['that nothing stands for what was left out', /^- every line is written out, nothing stands for lines\b/m],
])('the reminder that ships says %s (S1 "Other Prompts")', (_rule, pattern) => {
  expect(readPrompt('system_reminder', sources())).toMatch(pattern);
});

test('a file is read for every request: the project wins over the user, the user over what ships', () => {
  const opened = sources();
  const shipped = readPrompt('commit', opened);
  write(`${USER}/commit.md`, 'user\n\n');
  expect(readPrompt('commit', opened)).toBe('user');
  write(`${PROJECT}/commit.md`, 'project');
  expect(readPrompt('commit', opened)).toBe('project');
  write(`${PROJECT}/commit.md`, '');
  expect(readPrompt('commit', opened)).toBe('');
  rmSync(join(root, 'project'), { recursive: true });
  rmSync(join(root, 'user'), { recursive: true });
  expect(readPrompt('commit', opened)).toBe(shipped);
});

test('a file of a project whose items are to be signed does not count', () => {
  const shipped = readPrompt('commit', sources());
  write(`${PROJECT}/commit.md`, 'project');
  expect(readPrompt('commit', sources('user', 'strict'))).toBe(shipped);
});

test('the system prompt is both files, a blank line apart, and changes with either', () => {
  write(`${PROJECT}/system.md`, 'main\n');
  write(`${PROJECT}/system_extra.md`, 'extra\n');
  expect(readSystemPrompt(sources())).toBe('main\n\nextra');
  write(`${PROJECT}/system_extra.md`, 'other');
  expect(readSystemPrompt(sources())).toBe('main\n\nother');
  write(`${PROJECT}/system.md`, '');
  expect(readSystemPrompt(sources())).toBe('other');
});

test.each<[string, (path: string) => void, RegExp]>([
  ['too large', (path) => write(path, 'x'.repeat(300 * 1024)), /larger than 256 KiB/],
  ['no text', (path) => write(path, Buffer.from([0xff, 0xfe, 0x80])), /UTF-8/],
  ['a folder', (path) => mkdirSync(join(root, path), { recursive: true }), /not a regular file/],
])('a file that is %s is refused with its name', (_title, make, message) => {
  make(`${PROJECT}/system.md`);
  expect(() => readPrompt('system', sources())).toThrow(message);
});

describe('a link', () => {
  test.each([
    ['to a file of the user', `${PROJECT}/commit.md`, '../../../../user/id_ed25519'],
    ['to a file of the project outside of its space', `${PROJECT}/commit.md`, '../../../.env'],
    ['in place of the folder', PROJECT, '../../../user'],
  ])('%s is refused in a project with its name', (_, path, target) => {
    for (const secret of ['user/id_ed25519', 'user/commit.md', 'project/.env']) write(secret, 'secret');
    link(path, target);
    const where = { file: join(root, PROJECT, 'commit.md') };
    expect(() => readPrompt('commit', sources())).toThrow(expect.objectContaining({ code: 'invalid_config', where }));
  });

  test.each([
    ['within the project’s space', `${PROJECT}/commit.md`, '../../rules.md', 'user'],
    ['that is the project’s space', 'project/.ai', '../shared', 'user'],
    ['of the user', `${USER}/commit.md`, '../../../rules.md', 'user'],
    ['of the user whose space is the project’s', `${PROJECT}/commit.md`, '../../../../rules.md', 'project/.ai'],
  ])('%s is followed', (_, path, target, userSpace) => {
    for (const file of ['rules.md', 'shared/config/prompts/commit.md']) write(file, 'rules');
    link(path, target);
    write('project/.ai/rules.md', 'rules');
    expect(readPrompt('commit', sources(userSpace))).toBe('rules');
  });

  test('to nothing is no file', () => {
    link(`${PROJECT}/system_extra.md`, 'nowhere');
    expect(readPrompt('system_extra', sources())).toBe('');
  });
});
