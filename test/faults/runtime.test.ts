import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { project, startOn, type Part } from '../fixtures/scene.ts';

const PROGRAM = fileURLToPath(new URL('runtime-under-fault.ts', import.meta.url));
const QUICK: Readonly<Record<string, Part>> = { quick: { says: [{ text: 'done' }] } };

test.skipIf(process.platform !== 'linux')(
  'a runtime whose disk is full says so, stops by itself, and the next one has every ending it has told',
  async () => {
    using made = project(QUICK);
    const child = spawn('prlimit', ['--fsize=3000000', process.execPath, PROGRAM, made.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], NODE_DISABLE_COMPILE_CACHE: '1' },
    });
    const exit = once(child, 'exit');
    const lines = (await text(child.stdout)).trimEnd().split('\n');
    expect(await exit).toEqual([0, null]);
    // A spawn that the store was writing hears what failed, one that comes after it that the runtime is over.
    expect(lines.at(-2)).toMatch(/^refused (?:store_failed|runtime_closed)$/);
    expect(lines.at(-1)).toBe('closed');
    expect(lines).toContain('problem store_failed');

    await using next = await startOn(made, QUICK);
    const completed = lines.flatMap((line) => /^ended (\S+) completed$/.exec(line)?.[1] ?? []);
    expect(completed.length).toBeGreaterThan(1);
    for (const id of completed) {
      const log = made.log(id);
      expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
      expect(log.at(-1)).toMatchObject({ event_type: 'thread_completed' });
    }
    expect(await (await next.spawn('quick')).result).toMatchObject({ status: 'completed' });
  },
);
