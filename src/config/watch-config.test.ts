import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { systemClock } from '../core/clock.ts';
import { configStamp } from './config-files.ts';
import type { ConfigSources } from './layers.ts';
import { watchConfig } from './watch-config.ts';

let root: string;
let stop: (() => void) | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-watch-'));
  mkdirSync(join(root, 'project'));
});
afterEach(() => {
  stop?.();
  rmSync(root, { recursive: true });
});

const sources = (): ConfigSources => ({
  systemDir: join(root, 'system'),
  userDir: join(root, 'home', 'user'),
  projectDir: join(root, 'project'),
});

/** Watches; `next` resolves with the next change that is told. */
function follow(read = configStamp(sources())): { readonly next: () => Promise<void>; readonly count: () => number } {
  let count = 0;
  let stamp = read;
  let told = Promise.withResolvers<void>();
  stop = watchConfig({
    sources: sources(),
    stamp: () => stamp,
    clock: systemClock,
    changed() {
      count++;
      stamp = configStamp(sources());
      told.resolve();
      told = Promise.withResolvers<void>();
    },
    failed: ({ message }) => told.reject(new Error(message)),
  });
  return { next: () => told.promise, count: () => count };
}

function put(file: string, text = 'x: 1'): void {
  writeBelow(root, file, text);
}

/** Makes a link, or has it lead elsewhere, in one step. */
function link(file: string, target: string): void {
  symlinkSync(target, join(root, 'new-link'));
  renameSync(join(root, 'new-link'), join(root, file));
}

describe('Noticed is', () => {
  const FILES = [
    'project/.ai/config/resilience.yaml',
    'project/.ai/config/agent/resilience.yaml',
    'project/.ai/config/extractors/tool_extractor.yaml',
    'home/user/config/agent/extractors/tool_extractor.yaml',
  ];

  test.each(FILES)('%s where there was no folder for it, then another text, then that it is gone', async (file) => {
    const { next, count } = follow();
    for (const change of [() => put(file), () => put(file, 'x: 22'), () => rmSync(join(root, file))]) {
      const told = next();
      change();
      await told;
    }
    expect(count()).toBe(3);
  });

  test('an editor that writes another file and renames it', async () => {
    put('project/.ai/config/agent.yaml');
    const { next, count } = follow();
    const told = next();
    put('project/.ai/config/.agent.yaml.swp', 'x: 2');
    renameSync(join(root, 'project/.ai/config/.agent.yaml.swp'), join(root, 'project/.ai/config/agent.yaml'));
    await told;
    expect(count()).toBe(1);
  });

  test('a folder that is replaced by another', async () => {
    put('project/.ai/config/agent.yaml');
    put('project/other/agent.yaml', 'x: 2');
    const { next } = follow();
    const moved = next();
    renameSync(join(root, 'project/.ai/config'), join(root, 'project/old'));
    renameSync(join(root, 'project/other'), join(root, 'project/.ai/config'));
    await moved;
    const again = next();
    put('project/.ai/config/agent.yaml', 'x: 3');
    await expect(again).resolves.toBeUndefined();
  });

  test('another text behind a symbolic link, behind two of them, and a link that leads elsewhere', async () => {
    put('shared/agent.yaml');
    put('shared/other.yaml', 'x: 333');
    put('project/.ai/config/notes.txt');
    link('shared/current.yaml', 'agent.yaml');
    link('project/.ai/config/agent.yaml', join(root, 'shared/current.yaml'));
    const { next, count } = follow();
    for (const change of [
      () => put('shared/agent.yaml', 'x: 22'),
      () => link('shared/current.yaml', 'other.yaml'),
      () => put('shared/other.yaml', 'x: 4444'),
    ]) {
      const told = next();
      change();
      await told;
    }
    expect(count()).toBe(3);
  });

  test('a folder that its files are linked into and that is exchanged as a whole', async () => {
    put('project/.ai/config/..1/agent.yaml');
    put('project/.ai/config/..2/agent.yaml', 'x: 22');
    link('project/.ai/config/..data', '..1');
    link('project/.ai/config/agent.yaml', '..data/agent.yaml');
    const { next, count } = follow();
    const told = next();
    link('project/.ai/config/..data', '..2');
    await told;
    expect(count()).toBe(1);
  });

  test('what changed between reading the files and watching them', async () => {
    const before = configStamp(sources());
    put('project/.ai/config/agent.yaml');
    const { count } = follow(before);
    await Promise.resolve();
    expect(count()).toBe(1);
  });
});

test('A file that is no config file is nobody’s business, and several changes at once are one', async () => {
  const { next, count } = follow();
  const told = next();
  put('project/.ai/config/notes.txt');
  put('project/.ai/threads/threads.db');
  put('project/.ai/config/agent.yaml');
  put('project/.ai/config/resilience.yaml');
  await told;
  expect(count()).toBe(1);
});
