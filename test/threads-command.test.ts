import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Around, Finished } from '../src/cli/fixtures/carry-out.ts';
import type { Runtime } from '../src/index.ts';
import { createProjectLink } from '../src/inspect/server/project-link.ts';
import { createHandClock } from './conformance/hand-clock.ts';
import {
  call,
  give,
  NEVER,
  project,
  SPAWN,
  startOn,
  starterOf,
  until,
  type Part,
  type Project,
} from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { skeinHere, skeinProcess } from './fixtures/skein-command.ts';

const PROCESS = fileURLToPath(new URL('fixtures/runtime-process.ts', import.meta.url));

const WIDE = { tokens: 10_000_000, spend: 100 };
/** A turn after which the thread hands over. */
const FULL = { ...call('nothing'), usage: { input_tokens: 120_000 } };

const PARTS: Readonly<Record<string, Part>> = {
  leaf: { outputs: ['n:integer'], says: [give({ n: 7 })] },
  endless: { says: [NEVER] },
  chain: { limits: WIDE, says: [FULL, FULL, { text: 'done' }] },
  starter: { ...starterOf(['chain'], { text: 'done' }), limits: WIDE },
  parent: {
    tools: ['rye/agent/threads/*'],
    says: [{ tool_calls: [{ name: SPAWN, input: { directive_name: 'endless', async_exec: true } }] }, NEVER],
  },
};

let own: Project;

beforeEach(() => {
  own = project(PARTS);
  // The command line reads the settings of its user.
  mkdirSync(join(own.path, 'home', '.ai', 'config'), { recursive: true });
  own.write('home/.ai/config/agent.yaml', 'trust: { project: "off" }\n');
  own.write('quick.yaml', 'rules: [{ text: all done }]');
  own.write(
    'steps.yaml',
    'rules: [{ turn: 1, tool_calls: [{ name: nothing, input: {} }] }, { text: all done, delay_ms: 2500 }]',
  );
  own.write('loops.yaml', 'rules: [{ tool_calls: [{ name: nothing, input: {} }] }]');
});
afterEach(() => own[Symbol.dispose]());

/** Runs `skein threads …` in the project. */
function threads(...args: readonly string[]): Promise<Finished> {
  return skeinHere(['threads', ...args], around());
}

function around(): Around {
  return { cwd: own.path, env: { PATH: process.env['PATH'], HOME: join(own.path, 'home') } };
}

/** A thread of this directive that talks to its model. */
async function running(runtime: Runtime, directive: string): Promise<string> {
  const handle = await runtime.spawn(directive);
  await until(handle, 'thread_started');
  return handle.id;
}

/** A runtime in a process of its own that is killed once its thread runs; gives the thread's id. */
async function killedRuntime(): Promise<string> {
  const child = spawn(process.execPath, [PROCESS, own.path, 'endless', 'stay'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes('started')) child.kill('SIGKILL');
  }
  await closed;
  return said.split(' ')[0] ?? '';
}

describe('With a runtime on two workers', () => {
  let runtime: Runtime;
  beforeEach(async () => {
    runtime = await startOn(own, PARTS, { workers: 2 });
  });
  afterEach(() => runtime.close({ graceMs: 0 }));

  test('skein threads looks at a tree and kills it', async () => {
    const top = await running(runtime, 'parent');
    await until(runtime.thread(top), 'child_thread_started');
    const children = await threads('list-children', top, '--json');
    const [child] = (JSON.parse(children.stdout) as { children: { thread_id: string }[] }).children;
    expect(child?.thread_id).toBe(runtime.list({ directive: 'endless' })[0]?.id);
    const active = await threads('list_active');
    expect(new Set(active.stdout.trim().split('\n'))).toEqual(new Set([top, child?.thread_id]));
    // From another process, as people do.
    const killed = await skeinProcess(['threads', 'kill-thread', top], around());
    expect(killed).toEqual({ code: 0, stdout: `Killed: ${top}, 2 threads\n`, stderr: '' });
    expect(await runtime.thread(child?.thread_id ?? '').result).toMatchObject({ status: 'cancelled' });
  });

  test('skein tree counts the turns of threads that have handed over once', async () => {
    const top = await runtime.spawn('starter');
    const { payload } = await until(top, 'child_thread_started');
    await runtime.waitAll([runtime.thread(payload.child_thread_id).id]);
    const { stdout } = await skeinHere(['tree', top.id, '--width', '1'], around());
    expect(stdout).toMatch(/^└ 2 more: 1 continued, 1 completed · 3 turns · \$0\.00$/m);
  });

  test('each operation gives with --json what the runtime itself gives', async () => {
    const handle = await runtime.spawn('leaf');
    await handle.result;
    const { orchestrator } = runtime;
    const input = { thread_id: handle.id };
    const asked = [
      [['get-status', handle.id], await orchestrator.call('get_status', input)],
      [['get_chain', handle.id], await orchestrator.call('get_chain', input)],
      [
        ['read-transcript', handle.id, '--types', 'cognition_out,usage'],
        await orchestrator.call('read_transcript', { ...input, types: ['cognition_out', 'usage'] }),
      ],
      [['chain-search', handle.id, 'DO IT'], await orchestrator.call('chain_search', { ...input, query: 'DO IT' })],
      [
        ['list', '--status', 'completed,error', '--limit', '1'],
        await orchestrator.call('list_threads', { status: ['completed', 'error'], limit: 1 }),
      ],
      [['aggregate-results', handle.id], await orchestrator.call('aggregate_results', { thread_ids: [handle.id] })],
      [
        ['wait-threads', handle.id, '--timeout', '5'],
        await orchestrator.call('wait_threads', { thread_ids: [handle.id] }),
      ],
    ] as const;
    for (const [args, answer] of asked) {
      const { stdout, code } = await threads(...args, '--json');
      expect([args, code, JSON.parse(stdout)]).toEqual([args, 0, answer]);
    }
  });

  test('an unknown id is said as data and as a line, with exit code 3', async () => {
    const json = await threads('get-status', 'nobody', '--json');
    const said = { error: { message: 'Thread not found: nobody', code: 'thread_not_found' } };
    expect([json.code, JSON.parse(json.stdout)]).toEqual([3, said]);
    const line = await threads('resume-thread', 'nobody');
    expect(line).toEqual({ code: 3, stdout: '', stderr: 'skein: Thread not found: nobody [thread_not_found]\n' });
  });

  test('a thread that can not be acted on as it stands is refused with exit code 3, whatever is asked', async () => {
    const id = await running(runtime, 'endless');
    expect(await threads('resume-thread', id)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is running'),
    });
    await threads('kill-thread', id);
    expect(await threads('cancel-thread', id)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('[thread_ended]'),
    });
  });

  test('a thread that was suspended goes on in the runtime that there is', async () => {
    const id = await running(runtime, 'endless');
    await runtime.close({ graceMs: 0 });
    runtime = await startOn(own, { ...PARTS, endless: { says: [{ text: 'went on' }] } }, { workers: 2 });
    expect(await threads('resume-thread', id, 'go on')).toMatchObject({ code: 0, stdout: `Resumed: ${id}\n` });
    expect(await runtime.thread(id).result).toMatchObject({ status: 'completed', text: 'went on' });
  });
});

describe('Without a runtime', () => {
  test('what is stored is read, and what changes nothing starts nothing', async () => {
    const runtime = await startOn(own, PARTS);
    const handle = await runtime.spawn('leaf');
    await handle.result;
    await runtime.close();
    expect(await threads('get-status', handle.id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^${handle.id}  completed\\ndirective: leaf\\ncost: 1 turn · `)),
    });
    expect(await threads('list-active')).toMatchObject({ code: 0, stdout: 'Nothing runs\n' });
    expect(existsSync(join(own.path, '.ai', 'threads', 'runtime.pid'))).toBe(false);
    expect((await threads('cancel-thread', handle.id)).stderr).toContain('[thread_ended]');
  });

  test.each<[string, readonly string[], RegExp]>([
    ['list', ['list'], /^No threads\n$/],
    ['threads list-active', ['threads', 'list-active'], /^Nothing runs\n$/],
    ['approvals list', ['approvals', 'list'], /^Nobody waits for an approval\n$/],
    ['status', ['status'], /^threads: none\nspend: \$0\.00\ndatabase: 0 B\nruntime: none\n$/],
    ['top', ['top'], /^(?!.*completed)/],
    ['export', ['export', '--all'], /^$/],
  ])('in a project in which nothing has run yet, skein %s shows no threads', async (_, args, stdout) => {
    expect(await skeinHere(args, around())).toEqual({ code: 0, stdout: expect.stringMatching(stdout), stderr: '' });
    expect(existsSync(join(own.path, '.ai', 'threads'))).toBe(false);
  });

  test.each([
    ['thread_not_found', ['tree', 'thread-x']],
    ['thread_not_found', ['tail', 'thread-x']],
    ['thread_not_found', ['transcript', 'thread-x']],
    ['thread_not_found', ['threads', 'get-status', 'thread-x']],
    ['thread_not_found', ['cancel', 'thread-x']],
    ['thread_not_found', ['resume', 'thread-x']],
    ['approval_not_found', ['approvals', 'grant', 'approval-x']],
  ])('and what is asked of a thread is refused with %s, without anything being started: %j', async (code, args) => {
    const { stdout, ...refusal } = await skeinHere([...args, '--json'], around());
    expect([refusal.code, JSON.parse(stdout)]).toMatchObject([3, { error: { code } }]);
    expect(existsSync(join(own.path, '.ai', 'threads'))).toBe(false);
  });

  test('whoever looks on from before that is connected anew once something has', async () => {
    const clock = createHandClock();
    const skein = await importSkein();
    const link = createProjectLink({ connect: () => skein.connectProject({ project: own.path, env: {} }), clock });
    const before = await link.connection();
    expect([before.isOpen, await before.orchestrator.listThreads()]).toMatchObject([true, { threads: [] }]);
    const runtime = await startOn(own, PARTS);
    const { id, result } = await runtime.spawn('leaf');
    await result;
    await runtime.close();
    expect(before.isOpen).toBe(false);
    clock.advance(3_000);
    const after = await link.connection();
    expect(await after.orchestrator.listThreads()).toMatchObject({ threads: [{ threadId: id }] });
    clock.advance(5_000);
    await link.close();
  });

  test('a database that has gone and left its archive or its log is no empty one', async () => {
    own.write('.ai/threads/archive.db', '');
    expect(await threads('list')).toMatchObject({ code: 3, stderr: expect.stringContaining('[store_failed]') });
  });

  test('a killed one leaves a socket that is in nobody’s way, and a thread that goes on here to its end', async () => {
    const id = await killedRuntime();
    const socket = join(own.path, '.ai', 'threads', 'control.sock');
    expect(lstatSync(socket).isSocket()).toBe(true);
    expect((await threads('get-status', id)).stdout).toContain(`${id}  suspended (shutdown)`);
    expect((await threads('list-active')).stdout).toBe('Nothing runs\n');
    expect((await threads('list', '--status', 'suspended')).stdout).toMatch(new RegExp(`^${id}  suspended  .*\\n$`));
    expect((await threads('list', '--status', 'created,running')).stdout).toBe('No threads\n');
    // Its spec names the script "main".
    const resumed = await threads('resume-thread', id, 'go on', '--script', 'main=quick.yaml');
    expect(resumed).toMatchObject({ code: 0, stdout: `${id}  completed  all done\n` });
    expect(resumed.stderr).toMatch(/ running {4}endless {2}resumed\n.* completed {2}endless\n$/);
    expect(own.row(id)).toMatchObject({ status: 'completed' });
    expect(existsSync(socket)).toBe(false);
  });

  test('what an older version has stored is brought up to date by what changes something, and only read by nobody', async () => {
    const id = await killedRuntime();
    const db = new Database(join(own.path, '.ai', 'threads', 'threads.db'));
    db.exec('DROP TABLE home; PRAGMA user_version = 4');
    db.close();
    const read = await threads('get-status', id);
    expect([read.code, read.stderr]).toEqual([
      3,
      expect.stringContaining('"skein doctor --repair" brings it up to date'),
    ]);
    expect(await threads('cancel-thread', id)).toMatchObject({ code: 0, stdout: `Cancelled: ${id}\n` });
    expect((await threads('get-status', id)).stdout).toContain(`${id}  cancelled`);
  });

  test('a thread that hands over here is waited for until its successor has ended', async () => {
    const id = await killedRuntime();
    const handed = await threads('handoff-thread', id, '--script', 'main=steps.yaml');
    expect(handed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^${id} handed over to thread-\\w+\\n${id}  completed  all done\\n$`)),
    });
  });

  test('what a thread leaves running that goes on here is waited for, too', async () => {
    const id = await killedRuntime();
    const spawn = { name: SPAWN, input: { directive_name: 'leaf', async_exec: true, model: 'scripted:main' } };
    const rules = [
      { directive: 'leaf', delay_ms: 4_000, ...give({ n: 7 }) },
      { turn: 1, tool_calls: [spawn] },
      { text: 'all done' },
    ];
    own.write('leaves.yaml', JSON.stringify({ rules }));
    const resumed = await threads('resume-thread', id, '--script', 'main=leaves.yaml');
    expect(resumed).toMatchObject({ code: 0, stdout: `${id}  completed  all done\n` });
    expect(resumed.stderr).toMatch(/\nWaiting for 1 other thread\. .*\n.* completed {2}leaf\n$/);
  });

  test('how a thread has ended is told although the configuration was broken meanwhile', async () => {
    const id = await killedRuntime();
    own.write('slow.yaml', 'rules: [{ text: all done, delay_ms: 2500 }]');
    const going = threads('resume-thread', id, '--json', '--script', 'main=slow.yaml');
    await expect.poll(() => own.log(id).map(({ event_type: type }) => type)).toContain('thread_resumed');
    own.write('.ai/config/resilience.yaml', 'nothing: [');
    const { code, stdout, stderr } = await going;
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { success: true, thread_id: id, status: 'completed', outcome: { success: true, status: 'completed' } },
    ]);
    expect(stderr).toContain("suspended can't be read");
  });

  test('a thread that is suspended again ends the command with exit code 1, and says so as data', async () => {
    const id = await killedRuntime();
    const resumed = await threads('resume-thread', id, '--json', '--script', 'main=loops.yaml');
    expect(resumed.code).toBe(1);
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      success: true,
      thread_id: id,
      status: 'suspended',
      outcome: { success: false, thread_id: id, status: 'suspended' },
    });
  });
});

describe('The socket of a runtime', () => {
  test('is not there with controlSocket: false, and the project is still nobody else’s', async () => {
    const runtime = await startOn(own, PARTS, { controlSocket: false });
    const id = await running(runtime, 'endless');
    expect(existsSync(join(own.path, '.ai', 'threads', 'control.sock'))).toBe(false);
    expect((await threads('get-status', id)).stdout).toContain(`${id}  running`);
    expect((await threads('kill-thread', id)).stderr).toContain('[project_locked]');
    await runtime.close({ graceMs: 0 });
  });

  test('is its project’s own', async () => {
    using other = project(PARTS);
    const skein = await importSkein();
    const runtimes = await Promise.all([startOn(own, PARTS), startOn(other, PARTS)]);
    const ids = await Promise.all(runtimes.map((runtime) => running(runtime, 'endless')));
    for (const [index, { path }] of [own, other].entries()) {
      using connection = await skein.connectProject({ project: path, userSpace: false });
      expect(connection.isRun).toBe(true);
      expect(await connection.orchestrator.listActive()).toMatchObject({ activeThreads: [ids[index]] });
    }
    await Promise.all(runtimes.map((runtime) => runtime.close({ graceMs: 0 })));
  });

  test('serves a hundred at once, while one says garbage and one nothing', async () => {
    const skein = await importSkein();
    const runtime = await startOn(own, PARTS);
    const id = await running(runtime, 'endless');
    const path = join(own.path, '.ai', 'threads', 'control.sock');
    const silent = connect(path);
    const garbage = connect(path);
    garbage.write('x'.repeat(100_000));
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        using connection = await skein.connectProject({ project: own.path, userSpace: false });
        return await connection.orchestrator.getStatus(id);
      }),
    );
    expect(answers.filter((answer) => answer.success)).toHaveLength(100);
    silent.destroy();
    garbage.destroy();
    await runtime.close({ graceMs: 0 });
  });

  test('answers a wait that the end of the runtime cuts short', async () => {
    const skein = await importSkein();
    const runtime = await startOn(own, PARTS);
    const id = await running(runtime, 'endless');
    using connection = await skein.connectProject({ project: own.path, userSpace: false });
    const waited = connection.orchestrator.waitThreads([id]);
    // Requests of one connection are taken in order.
    await connection.orchestrator.getStatus(id);
    await runtime.close({ graceMs: 0 });
    expect(await waited).toMatchObject({ success: false, results: [{ threadId: id, status: 'suspended' }] });
  });
});

describe('Bad input', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['no operation', [], /get-status, .*wait-threads, .*none is given/],
    ['an unknown operation', ['approve'], /"approve" is none/],
    ['no id', ['get-status'], /needs the id of a thread/],
    ['no ids to wait for', ['wait-threads'], /needs the ids of threads/],
    ['no ids to sum up', ['aggregate-results'], /needs the ids of threads/],
    ['an id too many', ['get-status', 'a', 'b'], /no use for "b"/],
    [
      'an option of another operation',
      ['kill-thread', 'a', '--tail', '3'],
      /Unknown option '--tail'; skein threads kill-thread takes .*--help \(see skein threads kill-thread --help\)/,
    ],
    ['a status that is none', ['list', '--status', 'asleep'], /status/],
    ['a number that is none', ['read-transcript', 'a', '--tail', 'some'], /tail/],
    ['an empty number', ['wait-threads', 'a', '--timeout', ''], /timeout/],
    ['a text twice', ['resume-thread', 'a', 'this', '--message', 'that'], /is given a text twice: .* --message/],
    ['a search for nothing', ['chain-search', 'a'], /needs a text to look for/],
  ])('%s is refused before anything is looked at', async (_, args, why) => {
    const run = await threads(...args);
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/\[invalid_argument\]\n$/) });
    expect(run.stderr).toMatch(why);
  });
});
