import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHandClock, type HandClock } from '../../test/conformance/hand-clock.ts';
import { hasEnded, pidIn } from './fixtures/tool-bench.ts';
import type { LaunchEnd, LaunchOrder, LaunchReport } from './launch-messages.ts';
import { serveLaunches, type Launches } from './serve-launches.ts';

const PATIENCE = { timeout: 10_000 };

let folder: string;
let clock: HandClock;
let said: LaunchReport[];
let launches: Launches;
let hasClosed: boolean;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-launches-'));
  writeFileSync(join(folder, 'tool.sh'), '');
  clock = createHandClock();
  said = [];
  hasClosed = false;
  launches = serveLaunches({ clock, say: (report) => void said.push(report), end: () => (hasClosed = true) });
});

afterEach(() => {
  launches.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a shell with a script of a tool. */
function start(script: string, order: Partial<LaunchOrder> = {}, call = 1): void {
  const file = join(folder, 'tool.sh');
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  launches.receive({
    type: 'start',
    call,
    order: {
      command: '/bin/sh',
      args: ['-c', script],
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '' },
      input: '',
      verified: { file, sha256 },
      resultOn: 'stdout',
      maxOutputBytes: 1_000,
      memoryLimitMb: 0,
      ...order,
    },
  });
}

async function endOf(call = 1): Promise<LaunchEnd> {
  const ended = await vi.waitUntil(
    () => said.find((report) => report.type === 'ended' && report.call === call),
    PATIENCE,
  );
  return (ended as Extract<LaunchReport, { type: 'ended' }>).end;
}

describe('A process that is started', () => {
  test('is told of with its pid, and then how it has ended, and leaves no timer', async () => {
    start('cat; echo words >&2; exit 3', { input: 'the input' });
    expect(await endOf()).toEqual({
      kind: 'exited',
      exitCode: 3,
      signal: null,
      result: 'the input',
      printed: 'words\n',
      wasSignalled: false,
    });
    expect(said.map(({ type }) => type)).toEqual(['started', 'ended']);
    expect(clock.pending()).toBe(0);
  });

  test('ends by a signal, and the launcher says that it has sent it', async () => {
    start('exec sleep 1000');
    launches.receive({ type: 'signal', call: 1, signal: 'SIGTERM' });
    expect(await endOf()).toMatchObject({ kind: 'exited', signal: 'SIGTERM', wasSignalled: true });
    expect(said.map(({ type }) => type)).toEqual(['started', 'signalled', 'ended']);
  });

  test('has ended by itself although a signal comes while its pipes are still open', async () => {
    const script = `
      const other = require('node:child_process').spawn('sleep', ['1000'], { stdio: 'inherit', detached: true });
      other.unref();
      require('node:fs').writeFileSync('other', other.pid + '\\n');
      console.log('the result');`;
    start('', { command: process.execPath, args: ['-e', script] });
    const other = await vi.waitUntil(() => pidIn(join(folder, 'other')), PATIENCE);
    try {
      // Set when the process is gone: the other one holds its pipes.
      await vi.waitUntil(() => clock.pending() === 1, PATIENCE);
      launches.receive({ type: 'signal', call: 1, signal: 'SIGTERM' });
      clock.advance(500);
      expect(await endOf()).toMatchObject({ exitCode: 0, result: 'the result\n', wasSignalled: false });
    } finally {
      process.kill(other, 'SIGKILL');
    }
  });

  test.each([
    ['its result', 'yes', {}],
    ['what it prints', 'yes >&2', { maxOutputBytes: 10 }],
  ])('is killed when %s is too long', async (_name, script, order) => {
    start(script, order);
    expect(await endOf()).toMatchObject({ kind: 'too_much_output' });
  });

  test('is killed with all others, and what they have started', async () => {
    start('sleep 1000 & echo $! > first; wait');
    start('sleep 1000 & echo $! > second; wait', {}, 2);
    const pids = await Promise.all(
      ['first', 'second'].map((file) => vi.waitUntil(() => pidIn(join(folder, file)), PATIENCE)),
    );
    launches.receive({ type: 'close' });
    expect(hasClosed).toBe(true);
    const ends = await Promise.all([endOf(1), endOf(2)]);
    expect(ends).toMatchObject([{ signal: 'SIGKILL' }, { signal: 'SIGKILL' }]);
    await vi.waitUntil(() => pids.every(hasEnded), PATIENCE);
  });
});

describe('A process that can’t be started', () => {
  test.each<[string, Partial<LaunchOrder>, object]>([
    ['of a program that is not there', { command: '/no/such/program' }, { kind: 'not_started' }],
    ['in a folder that is not there', { cwd: '/no/such/folder' }, { kind: 'not_started' }],
    ['with a word that can be none', { args: ['a\0b'] }, { kind: 'not_started' }],
    ['of a file that has changed', { verified: { file: import.meta.filename, sha256: '' } }, { kind: 'file_changed' }],
  ])('%s is told of once', async (_name, order, end) => {
    start('echo 1', order);
    expect(said).toEqual([]);
    expect(await endOf()).toMatchObject(end);
    expect(said).toHaveLength(1);
  });
});

test('A signal for a process that is not there is answered: the launcher is alive', () => {
  launches.receive({ type: 'signal', call: 7, signal: 'SIGKILL' });
  expect(said).toEqual([{ type: 'signalled', call: 7 }]);
});
