import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ToolOutcome } from '../core/tool.ts';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createToolBench, hasEnded, pidIn, type ToolBench } from './fixtures/tool-bench.ts';

const SHELL = { extension: '.sh' };
/** Leaves the pid of its launcher and its own, and waits. */
const ENDLESS = 'echo $PPID > launcher; echo $$ > pid; sleep 1000';

/** Its stdin ends when the launcher has said that it is there. */
const STARTED = 'cat > /dev/null;';

function reasonOf(outcome: ToolOutcome): unknown {
  return outcome.ok ? outcome.value : outcome.failure.detail?.['reason'];
}

function pidOf(bench: ToolBench, file: string): Promise<number> {
  return vi.waitUntil(() => pidIn(join(bench.projectPath, file)), { timeout: 10_000 });
}

describe('The launcher', () => {
  test('is one for all calls, and not the process that asks', async () => {
    using bench = createToolBench();
    const [first, second] = [await bench.run('echo $PPID', SHELL), await bench.run('echo $PPID', SHELL)];
    expect(first).toEqual(second);
    expect(first).not.toEqual({ ok: true, value: process.pid });
  });

  // Only Linux shows the environment of another process like this.
  test.skipIf(process.platform !== 'linux')('has no more of the environment than a tool gets', async () => {
    using bench = createToolBench({ env: { PATH: process.env['PATH'], SOME_KEY: 'sk-secret' } });
    const seen = await bench.run(`tr '\\0' '\\n' < /proc/$PPID/environ`, SHELL);
    expect(seen).toMatchObject({ ok: true, value: expect.stringContaining('PATH=') });
    expect(JSON.stringify(seen)).not.toContain('SOME_KEY');
  });

  test('ends when no more tools are to be started, with those that run', async () => {
    using bench = createToolBench();
    bench.start(bench.item(ENDLESS, SHELL), {}, () => {});
    const [launcher, pid] = [await pidOf(bench, 'launcher'), await pidOf(bench, 'pid')];
    bench.runtime.killAll();
    await vi.waitUntil(() => hasEnded(launcher) && hasEnded(pid), { timeout: 10_000 });
    expect(await bench.run('echo 1', SHELL)).toEqual({ ok: true, value: 1 });
  });

  test('does not keep a process alive that has nothing more to do', async () => {
    const host = spawn(process.execPath, [fileURLToPath(new URL('fixtures/one-tool-host.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: string[] = [];
    host.stdout.on('data', (words) => said.push(String(words)));
    onTestFinished(() => void host.kill('SIGKILL'));
    const [code] = await once(host, 'close');
    expect([code, said.join('')]).toEqual([0, '{"ok":true,"value":1}\n']);
  });

  test.each(['TERM', 'INT', 'HUP'])('goes on when everybody is sent SIG%s: it ends with its line', async (signal) => {
    using bench = createToolBench();
    expect(await bench.run(`kill -${signal} $PPID; echo 1`, SHELL)).toEqual({ ok: true, value: 1 });
    expect(await bench.run('echo 2', SHELL)).toEqual({ ok: true, value: 2 });
  });

  test.each([
    ['is not there', '/there/is/no/node', '/there/is/no/node'],
    ['can have no such name', 'no\0node', 'null bytes'],
  ])('whose program %s fails the call', async (_name, nodePath, why) => {
    using bench = createToolBench({ nodePath, maxProcesses: 1 });
    // Some of them in line, so that each begins when the one before has failed.
    const outcomes = await Promise.all([1, 2, 3].map(() => bench.run('echo 1', SHELL)));
    expect(outcomes.map(reasonOf)).toEqual(['not_started', 'not_started', 'not_started']);
    expect(JSON.stringify(outcomes)).toContain(why);
  });
});

describe('A launcher whose line ends', () => {
  test.each(['in the moment of an order', 'while it is stopped'])('%s kills what it has started', async (moment) => {
    using bench = createToolBench();
    bench.start(bench.item(`${STARTED} ${ENDLESS}`, SHELL), {}, () => {});
    const [launcher, pid] = [await pidOf(bench, 'launcher'), await pidOf(bench, 'pid')];
    if (moment === 'while it is stopped') process.kill(launcher, 'SIGSTOP');
    bench.start(bench.item(ENDLESS.replace('> pid', '> other'), SHELL), {}, () => {});
    bench.runtime.killAll();
    const areGone = (...pids: number[]): Promise<boolean> =>
      vi.waitUntil(() => pids.every(hasEnded), { timeout: 10_000 });
    expect(await areGone(launcher, pid)).toBe(true);
    // It may not have been started any more.
    const other = pidIn(join(bench.projectPath, 'other'));
    expect(await areGone(...(other === undefined ? [] : [other]))).toBe(true);
  });

  test('and has no word left for anybody ends in good order', async () => {
    const entry = fileURLToPath(import.meta.resolve('#workers/launch-tools.js'));
    const launcher = spawn(process.execPath, [entry], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    const said: string[] = [];
    launcher.stderr?.on('data', (words) => said.push(String(words)));
    // What it answers has nobody to go to by then.
    for (let call = 1; call <= 100; call++) launcher.send({ type: 'signal', call, signal: 'SIGTERM' });
    launcher.disconnect();
    if (!launcher.stderr) throw new Error('it was given one');
    const isSilent = once(launcher.stderr, 'end');
    const [code, signal] = await once(launcher, 'exit');
    await isSilent;
    expect([code, signal, said]).toEqual([0, null, []]);
  });
});

describe('A tool', () => {
  test('that kills its launcher fails, with all calls of that one, and the next one is started by another', async () => {
    using bench = createToolBench();
    const innocent = bench.run(ENDLESS, SHELL);
    const [launcher, pid] = [await pidOf(bench, 'launcher'), await pidOf(bench, 'pid')];
    const wild = bench.run(`${STARTED} echo $$ > wild; kill -9 $PPID; sleep 1000`, SHELL);
    expect((await Promise.all([innocent, wild])).map(reasonOf)).toEqual(['lost', 'lost']);
    const last = await pidOf(bench, 'wild');
    await vi.waitUntil(() => [launcher, pid, last].every(hasEnded), { timeout: 10_000 });
    expect(await bench.run('echo 1', SHELL)).toEqual({ ok: true, value: 1 });
  });

  test('that stops its launcher is ended with it when its time is over', async () => {
    const clock = createHandClock();
    using bench = createToolBench({ clock });
    const wild = bench.run(`${STARTED} kill -STOP $PPID; ${ENDLESS}`, { ...SHELL, timeoutSeconds: 1 });
    const [launcher, pid] = [await pidOf(bench, 'launcher'), await pidOf(bench, 'pid')];
    // Its time, the grace after SIGTERM, and how long the launcher may say nothing after SIGKILL.
    for (const ms of [1_000, 2_000, 5_000]) clock.advance(ms);
    expect(reasonOf(await wild)).toBe('lost');
    await vi.waitUntil(() => [launcher, pid].every(hasEnded), { timeout: 10_000 });
    expect(await bench.run('echo 1', SHELL)).toEqual({ ok: true, value: 1 });
  });
});

describe('A tool ends, and its launcher,', () => {
  const HOST = fileURLToPath(new URL('fixtures/endless-tool-host.ts', import.meta.url));

  test.each([
    ['the whole runtime is killed', 'main', (host: ReturnType<typeof spawn>) => host.kill('SIGKILL')],
    ['its worker is terminated', 'worker', (host: ReturnType<typeof spawn>) => host.stdin?.write('now\n')],
  ])('when %s', async (_name, mode, strike) => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-orphans-'));
    const pidFile = join(folder, 'pid');
    const host = spawn(process.execPath, [HOST, mode, pidFile], { stdio: ['pipe', 'ignore', 'inherit'] });
    try {
      const pid = await vi.waitUntil(() => pidIn(pidFile), { timeout: 20_000 });
      const launcher = Number(readFileSync(`${pidFile}.launcher`, 'utf8'));
      expect([pid, launcher].map(hasEnded)).toEqual([false, false]);
      strike(host);
      await vi.waitUntil(() => [pid, launcher].every(hasEnded), { timeout: 10_000 });
    } finally {
      host.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
