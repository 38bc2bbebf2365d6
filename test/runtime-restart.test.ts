import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RuntimeOptions } from '../src/index.ts';
import {
  call,
  eventsOf,
  give,
  NEVER,
  project,
  refusal,
  scene,
  SPAWN,
  startOn,
  THREAD_TOOLS,
  until,
  type Part,
  type Project,
  type SceneOptions,
} from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { storedFlaws } from './fixtures/stored-flaws.ts';

const ENDLESS: Record<string, Part> = { task: { says: [NEVER] } };
const QUICK: Record<string, Part> = { task: { says: [{ text: 'done: ${last.text}' }] } };
const ONE_SLOT: SceneOptions = { config: { resilience: { concurrency: { max_total_threads: 1 } } } };

test('A wait for a thread of before that can not be read when its time is over rejects with why', async () => {
  const parts: Record<string, Part> = { quick: { says: [{ text: 'done' }] }, endless: { says: [NEVER] } };
  using own = project(parts);
  const first = await startOn(own, parts);
  const { id } = await first.spawn('quick');
  await first.waitAll([id]);
  await first.close();
  const runtime = await startOn(own, parts);
  const db = new Database(join(own.path, '.ai', 'threads', 'threads.db'));
  try {
    const endless = await runtime.spawn('endless');
    await until(endless, 'cognition_in');
    const wait = runtime.waitAll([id, endless.id], { timeoutMs: 100 });
    db.exec('ALTER TABLE threads RENAME COLUMN ending TO hidden');
    expect(await refusal(() => wait)).toMatchObject({ code: 'store_failed' });
    db.exec('ALTER TABLE threads RENAME COLUMN hidden TO ending');
    expect(await runtime.waitAll([id])).toMatchObject([{ status: 'completed' }]);
  } finally {
    db.close();
    await runtime.close({ graceMs: 0 });
  }
});

describe('Closing a runtime', () => {
  test('lets what runs end within the grace period', async () => {
    await using it = await scene({ task: { says: [{ text: 'done', delay_ms: 50 }] } });
    const handle = await it.runtime.spawn('task');
    await it.runtime.close({ graceMs: 5_000 });
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'done' });
  });

  test('suspends the rest, and their results say so', async () => {
    await using it = await scene(ENDLESS);
    const handle = await it.runtime.spawn('task');
    await until(handle, 'thread_started');
    await it.runtime.close({ graceMs: 0 });
    expect(await handle.result).toMatchObject({ status: 'suspended', error: { code: 'runtime_closed' } });
    expect(it.project.row(handle.id)).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
    expect(it.project.ledger(handle.id)).toMatchObject({ reserved: 0, status: 'active' });
    expect(it.project.log(handle.id).at(-1)).toMatchObject({
      event_type: 'thread_suspended',
      payload: { suspend_reason: 'shutdown' },
    });
  });

  test('leaves it to the next one to spawn what is asked for meanwhile', async () => {
    const spawnLate = { ...call(SPAWN, { directive_name: 'child' }), delay_ms: 200 };
    const parts: Record<string, Part> = {
      parent: { tools: THREAD_TOOLS, says: [spawnLate, { text: '${last.text}' }] },
      child: { says: [{ text: 'from the child' }] },
    };
    await using it = await scene(parts);
    const { id } = await it.runtime.spawn('parent');
    await it.runtime.close({ graceMs: 600 });
    expect(it.project.log(id).map(({ event_type }) => event_type)).not.toContain('tool_call_result');
    await using next = await startOn(it.project, parts, {
      config: { resilience: { coordination: { on_restart: 'resume' } } },
    });
    const text = expect.stringContaining('from the child');
    expect(await next.thread(id).result).toMatchObject({ status: 'completed', text });
    expect(next.list({ parent: id })).toMatchObject([{ status: 'completed' }]);
    expect(storedFlaws(join(it.project.path, '.ai', 'threads', 'threads.db'))).toEqual([]);
  });

  test('ends the loops over events', async () => {
    await using it = await scene(ENDLESS);
    const handle = await it.runtime.spawn('task');
    const events = eventsOf(handle);
    await until(handle, 'thread_started');
    await it.runtime.close({ graceMs: 0 });
    expect((await events).at(-1)?.event_type).toBe('thread_suspended');
  });

  test('answers those who wait for threads', async () => {
    await using it = await scene(ENDLESS);
    const handle = await it.runtime.spawn('task');
    const waited = it.runtime.waitAll([handle.id]);
    await it.runtime.close({ graceMs: 0 });
    expect((await waited).map(({ status }) => status)).toEqual(['suspended']);
  });

  test('answers a cancel that is under way, and what it says is on disk', async () => {
    await using it = await scene(ENDLESS, ONE_SLOT);
    await it.runtime.spawn('task');
    const queued = await it.runtime.spawn('task');
    await Promise.all([queued.cancel('not needed'), it.runtime.close({ graceMs: 0 })]);
    expect(it.project.row(queued.id)).toMatchObject({ status: 'cancelled' });
  });

  test('does not wait out the grace period when nothing runs', async () => {
    await using it = await scene(QUICK);
    await (
      await it.runtime.spawn('task')
    ).result;
    await it.runtime.close({ graceMs: 600_000 });
    expect(await refusal(() => it.runtime.list())).toMatchObject({ code: 'runtime_closed' });
  });

  test('for the second time shortens the time that running threads have', async () => {
    await using it = await scene(ENDLESS);
    const handle = await it.runtime.spawn('task');
    await until(handle, 'thread_started');
    const first = it.runtime.close({ graceMs: 600_000 });
    await Promise.all([it.runtime.close({ graceMs: 0 }), it.runtime.close({ graceMs: 900_000 }), first]);
    expect(it.project.row(handle.id)).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
  });

  test('twice, or at the same time, is once', async () => {
    await using it = await scene(QUICK);
    const closed = await Promise.all([it.runtime.close(), it.runtime.close({ graceMs: 0 })]);
    expect([...closed, await it.runtime.close()]).toEqual([undefined, undefined, undefined]);
  });

  test('makes every call a refusal with runtime_closed', async () => {
    await using it = await scene(QUICK);
    const { runtime } = it;
    await runtime.close();
    const id = 'thread-00000000000000000000000000000000';
    const tool = { id: 'a', description: '', input: z.object({}), run: () => 1 };
    const calls: Readonly<Record<string, () => unknown>> = {
      spawn: () => runtime.spawn('task'),
      thread: () => runtime.thread(id),
      list: () => runtime.list(),
      view: () => runtime.view(),
      waitAll: () => runtime.waitAll([id]),
      registerTool: () => runtime.registerTool(tool),
    };
    const codes = await Promise.all(
      Object.entries(calls).map(async ([name, use]) => {
        // Whatever is thrown is looked at.
        const { code } = (await refusal(use)) as { code?: string };
        return [name, code];
      }),
    );
    expect(codes).toEqual(Object.keys(calls).map((name) => [name, 'runtime_closed']));
  });

  test('makes what a handle asks of it a refusal, and leaves its result readable', async () => {
    await using it = await scene(QUICK);
    const handle = await it.runtime.spawn('task');
    await handle.result;
    await it.runtime.close();
    expect(await handle.result).toMatchObject({ status: 'completed' });
    for (const use of [() => handle.status(), () => handle.usage(), () => handle.resume(), () => handle.send('x')]) {
      expect(await refusal(use)).toMatchObject({ name: 'SkeinError' });
    }
  });

  test('spawns nothing more while it lets others end', async () => {
    await using it = await scene({ task: { says: [{ text: 'done', delay_ms: 50 }] } });
    const handle = await it.runtime.spawn('task');
    const closing = it.runtime.close({ graceMs: 5_000 });
    expect(await refusal(() => it.runtime.spawn('task'))).toMatchObject({ code: 'runtime_closed' });
    await closing;
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });
});

test('A runtime that is closed leaves a state.json of each thread behind, if states are kept as JSON', async () => {
  const resilience = { checkpoint: { persistence: { format: 'json' } } };
  await using it = await scene({ ...QUICK, other: ENDLESS['task'] ?? { says: [] } }, { config: { resilience } });
  const done = await it.runtime.spawn('task');
  await done.result;
  const stopped = await it.runtime.spawn('other');
  await until(stopped, 'thread_started');
  await it.runtime.close({ graceMs: 0 });
  const [first, second] = [done, stopped].map(({ id }): unknown =>
    JSON.parse(readFileSync(join(it.project.path, '.ai/threads', id, 'state.json'), 'utf8')),
  );
  expect(first).toMatchObject({ thread_id: done.id, status: 'completed', cost: { turns: 1 } });
  expect(second).toMatchObject({
    status: 'suspended',
    suspend_reason: 'shutdown',
    checkpoint: { state: { turns: 0 } },
  });
});

describe('The next runtime on a project', () => {
  test('goes on with what the last one suspended, with a message', async () => {
    using made = project(ENDLESS);
    const id = await leave(made, ENDLESS);
    await using next = await startOn(made, QUICK);
    const handle = next.thread(id);
    expect(await handle.status()).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
    await handle.resume('welcome back');
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'done: welcome back' });
    const log = made.log(id);
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
  });

  test('keeps the conversation: what was said and called before is in the next request', async () => {
    const before: Part = { tools: ['rye/file-system/*'], says: [call('rye_file_system_ls', { path: '.' }), NEVER] };
    using made = project({ task: before });
    const first = await startOn(made, { task: before });
    const handle = await first.spawn('task');
    await until(handle, 'tool_call_result');
    await first.close({ graceMs: 0 });
    const after: Part = { says: [{ text: '${calls.0.name} ${counts.rye_file_system_ls} ${prompt}' }] };
    await using next = await startOn(made, { task: after });
    const resumed = next.thread(handle.id);
    await resumed.resume();
    const { text, cost } = await resumed.result;
    expect(text).toMatch(/^rye_file_system_ls 1 /);
    expect(text).toContain('Do it.');
    expect(cost.turns).toBe(2);
  });

  test('starts a thread that was still in line from its beginning', async () => {
    using made = project(ENDLESS);
    const first = await startOn(made, ENDLESS, ONE_SLOT);
    await first.spawn('task');
    const queued = await first.spawn('task');
    await first.close({ graceMs: 0 });
    await using next = await startOn(made, { task: { says: [{ text: 'asked: ${prompt}' }] } });
    const handle = next.thread(queued.id);
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'completed', text: expect.stringContaining('Do it.') });
    const types = made.log(queued.id).map(({ event_type }) => event_type);
    expect(types).toContain('thread_started');
    expect(types).toContain('cognition_in');
  });

  test('lets a resumed thread spawn as many children as it has left, and no more', async () => {
    const spawn = { name: SPAWN, input: { directive_name: 'child' } };
    const once = { tool_calls: [spawn] };
    const parts = (...then: Part['says']): Record<string, Part> => ({
      task: { tools: THREAD_TOOLS, limits: { spawns: 2 }, says: [once, ...then] },
      child: { outputs: ['n:integer'], says: [give({ n: 1 })] },
    });
    using made = project(parts());
    const first = await startOn(made, parts(NEVER));
    const handle = await first.spawn('task');
    await until(handle, 'tool_call_result');
    await first.close({ graceMs: 0 });
    await using next = await startOn(made, parts({ tool_calls: [spawn, spawn] }, { text: 'done' }));
    await next.thread(handle.id).resume();
    expect(await next.thread(handle.id).result).toMatchObject({ status: 'completed', text: 'done' });
    expect(next.list({ parent: handle.id })).toHaveLength(2);
    const errors = made
      .log(handle.id)
      .flatMap((event) => (event.event_type === 'tool_call_result' ? [event.payload.error ?? 'none'] : []));
    expect(errors.toSorted()).toEqual([expect.stringContaining('spawns_exceeded'), 'none', 'none']);
  });

  test('has a parent that was waiting hear of the child that it has, and spawns no second one', async () => {
    const parts = (child: Part): Record<string, Part> => ({
      parent: {
        tools: ['rye/agent/threads/*'],
        says: [call(SPAWN, { directive_name: 'task' }), { text: 'heard: ${last.text}' }],
      },
      task: child,
    });
    using made = project(parts({ says: [] }));
    const first = await startOn(made, parts({ says: [NEVER] }));
    const started = new Promise((resolve) => {
      first.on('thread_started', ({ payload }) => payload.directive === 'task' && resolve(undefined));
    });
    const handle = await first.spawn('parent');
    await started;
    await first.close({ graceMs: 0 });
    await using next = await startOn(made, parts({ says: [{ text: 'quick' }] }));
    const parent = next.thread(handle.id);
    await parent.resume();
    expect(await parent.result).toMatchObject({ status: 'completed', text: expect.stringContaining('quick') });
    expect(next.list({ parent: handle.id })).toHaveLength(1);
  });

  test('cancels a suspended tree as a whole', async () => {
    const parts: Record<string, Part> = {
      parent: { tools: ['rye/agent/threads/*'], says: [call(SPAWN, { directive_name: 'task' }), NEVER] },
      ...ENDLESS,
    };
    using made = project(parts);
    const first = await startOn(made, parts);
    const started = new Promise((resolve) => {
      first.on('thread_started', ({ payload }) => payload.directive === 'task' && resolve(undefined));
    });
    const { id } = await first.spawn('parent');
    await started;
    await first.close({ graceMs: 0 });
    await using next = await startOn(made, parts);
    await next.thread(id).cancel('all of it');
    await expect.poll(() => next.list().map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  test('has the endings of the last one', async () => {
    using made = project(QUICK);
    const first = await startOn(made, QUICK);
    const handle = await first.spawn('task');
    const ending = await handle.result;
    await first.close();
    await using next = await startOn(made, QUICK);
    expect(await next.thread(handle.id).result).toEqual(ending);
    expect((await next.waitAll([handle.id]))[0]).toMatchObject({ status: 'completed', ending });
    expect((await eventsOf(next.thread(handle.id))).at(-1)?.event_type).toBe('thread_completed');
  });

  test('has no thread by an id that is none', async () => {
    await using it = await scene(QUICK);
    const ids = ['thread-00000000000000000000000000000000', 'nonsense', '', "' OR 1=1 --"];
    const refusals = await Promise.all(ids.map((id) => refusal(() => it.runtime.thread(id))));
    expect(refusals).toMatchObject(ids.map(() => ({ code: 'thread_not_found' })));
  });
});

describe('A second runtime on a project', () => {
  test('is refused while the first one runs, which is not disturbed', async () => {
    await using it = await scene(QUICK);
    const thrown = await refusal(() => startOn(it.project, QUICK));
    expect(thrown).toMatchObject({ name: 'SkeinError', code: 'project_locked', detail: { pid: process.pid } });
    const handle = await it.runtime.spawn('task');
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });

  test('loads none of the code that the project brings along', async () => {
    await using it = await scene(QUICK);
    const trace = join(it.project.path, 'loaded.txt');
    it.project.write(
      'tool.mjs',
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(trace)}, '');\n`,
    );
    const tools = [pathToFileURL(join(it.project.path, 'tool.mjs'))];
    const thrown = await refusal(() => startOn(it.project, QUICK, { tools }));
    expect(thrown).toMatchObject({ code: 'project_locked' });
    expect(existsSync(trace)).toBe(false);
  });

  test('is welcome once the first one is closed', async () => {
    await using it = await scene(QUICK);
    await it.runtime.close();
    await using next = await startOn(it.project, QUICK);
    expect(await (await next.spawn('task')).result).toMatchObject({ status: 'completed' });
  });
});

describe('A runtime is refused', () => {
  test.each<[string, RuntimeOptions, string]>([
    ['no workers', { workers: 0 }, 'invalid_argument'],
    ['half a worker', { workers: 1.5 }, 'invalid_argument'],
    ['a config file that does not exist', { config: { nonsense: {} } }, 'invalid_config'],
    ['a setting of the wrong type', { config: { resilience: { retry: { max_retries: 'often' } } } }, 'invalid_config'],
    ['a setting that does not exist', { config: { resilience: { retry: { speed: 1 } } } }, 'invalid_config'],
    ['a tool module that is not there', { tools: ['file:///no/such/module.js'] }, 'invalid_argument'],
    ['an option that does not exist', { projct: '.' } as RuntimeOptions, 'invalid_argument'],
  ])('for %s', async (_name, options, code) => {
    using made = project(QUICK);
    const { createRuntime } = await importSkein();
    const thrown = await refusal(async () => {
      const runtime = await createRuntime({ project: made.path, userSpace: false, env: {}, workers: 1, ...options });
      await runtime.close();
    });
    expect(thrown).toMatchObject({ name: 'SkeinError', code });
  });

  test('for a project that cannot be written', async () => {
    using made = project();
    made.write('.ai', 'a file where a folder must be');
    expect(await refusal(() => startOn(made, {}))).toMatchObject({ name: 'SkeinError', code: 'project_unwritable' });
  });

  test('and leaves the project free for the next one', async () => {
    using made = project(QUICK);
    await refusal(() => startOn(made, QUICK, { tools: ['file:///no/such/module.js'] }));
    await using next = await startOn(made, QUICK);
    expect(await (await next.spawn('task')).result).toMatchObject({ status: 'completed' });
  });
});

describe('A process with a runtime', () => {
  test('ends by itself once the runtime is closed, however long the grace period', async () => {
    using made = project({ quick: {} });
    const program = run(made, 'quick', 'close');
    const [code] = (await once(program.process, 'exit')) as [number | null];
    expect(program.said().at(-1)).toMatch(/ completed$/);
    expect(code).toBe(0);
  });

  test('that is killed leaves its threads suspended, and they can go on', async () => {
    using made = project({ endless: {} });
    const program = run(made, 'endless', 'stay');
    const [line] = (await once(program.lines, 'line')) as [string];
    program.process.kill('SIGKILL');
    await once(program.process, 'exit');
    const [id = ''] = line.split(' ');
    await using next = await startOn(made, { endless: { says: [{ text: 'after all' }] } });
    const handle = next.thread(id);
    expect(await handle.status()).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
    expect(made.ledger(id)).toMatchObject({ reserved: 0 });
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'after all' });
  });
});

/** Runs a thread until its first model call is in flight, and closes the runtime then. */
async function leave(made: Project, parts: Readonly<Record<string, Part>>): Promise<string> {
  const runtime = await startOn(made, parts);
  const handle = await runtime.spawn('task');
  await until(handle, 'thread_started');
  await runtime.close({ graceMs: 0 });
  return handle.id;
}

function run(made: Project, directive: string, how: string) {
  const file = fileURLToPath(new URL('fixtures/runtime-process.ts', import.meta.url));
  const child = spawn(process.execPath, [file, made.path, directive, how], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const said: string[] = [];
  lines.on('line', (line) => said.push(line));
  return { process: child, lines, said: () => said };
}
