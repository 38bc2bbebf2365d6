import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Runtime, ThreadHandle } from '../src/index.ts';
import type { Failure } from '../src/core/errors.ts';
import { call, give, NEVER, project, refusal, scene, startOn, until, type Part, type Scene } from './fixtures/scene.ts';

/* The configuration of a running runtime, its files edited meanwhile; two workers. */

const FILE = '.ai/config/resilience.yaml';

const PARTS: Record<string, Part> = {
  quick: { says: [{ text: 'done' }] },
  endless: { says: [NEVER] },
  // Two turns; the first waits for the test.
  two: { says: [call('app_wait'), { text: 'done' }] },
  parent: { outputs: ['ok?'], says: [call('app_wait'), give()] },
};

let it: Scene;
let gates: PromiseWithResolvers<string>[];

/** Each test begins with no thread running and without config files. */
async function clean(): Promise<void> {
  const open = it.runtime.list({ status: ['created', 'running', 'suspended'] });
  await Promise.all(open.map(({ id }) => it.runtime.thread(id).cancel()));
  rmSync(join(it.project.path, '.ai/config'), { recursive: true, force: true });
  await it.runtime.reloadConfig();
  gates = [];
}

async function start(options: { readonly watchConfig?: boolean } = {}): Promise<void> {
  it = await scene(PARTS, { workers: 2, ...options });
  gates = [];
  const { z } = await import('zod');
  await it.runtime.registerTool({
    id: 'app/wait',
    description: 'Waits for the test',
    input: z.object({}),
    run() {
      const gate = Promise.withResolvers<string>();
      gates.push(gate);
      return gate.promise;
    },
  });
}

/** What the test opens for the n-th call of the tool, once that is asked for. */
async function gateOf(n: number): Promise<PromiseWithResolvers<string>> {
  return vi.waitUntil(() => gates[n], { timeout: 10_000 });
}

/** Writes a config file, and waits until its runtime has it in force. */
async function edit(text: string, file = FILE): Promise<readonly string[]> {
  const reloaded = next(it.runtime, 'config');
  it.project.write(file, text);
  return (await reloaded).changed;
}

/** The runtime's next word of a kind. */
function next(runtime: Runtime, type: 'problem'): Promise<Failure>;
function next(runtime: Runtime, type: 'config'): Promise<{ readonly changed: readonly string[] }>;
function next(runtime: Runtime, type: 'problem' | 'config'): Promise<unknown> {
  return new Promise((resolve) => {
    const stop = runtime.on(type, (said: unknown) => {
      stop();
      resolve(said);
    });
  });
}

/** Turns of the limits that a thread says it has started with. */
function turnsOf({ id }: ThreadHandle): unknown {
  const started = it.project.log(id).find(({ event_type }) => event_type === 'thread_started');
  return (started?.payload as { readonly limits?: { readonly turns?: number } } | undefined)?.limits?.turns;
}

async function spawnAll(directive: string, count: number): Promise<readonly ThreadHandle[]> {
  const handles = await Promise.all(Array.from({ length: count }, () => it.runtime.spawn(directive)));
  await it.runtime.waitAll(handles.map(({ id }) => id));
  return handles;
}

const turns = (count: number): string => `limits: { defaults: { turns: ${count} } }`;
const onExceed = (action: string): string => `limits: { enforcement: { on_exceed: ${action} } }`;

describe('While the files are watched', () => {
  beforeAll(() => start());
  afterEach(clean);
  afterAll(() => it[Symbol.asyncDispose]());

  test('threads that start after an edit have what it says, in every worker', async () => {
    expect((await spawnAll('quick', 4)).map(turnsOf)).toEqual([25, 25, 25, 25]);
    expect(await edit(turns(7))).toEqual(['resilience.yaml']);
    expect((await spawnAll('quick', 4)).map(turnsOf)).toEqual([7, 7, 7, 7]);
    expect(await edit(turns(8), '.ai/config/agent/resilience.yaml')).toEqual(['resilience.yaml']);
    expect((await spawnAll('quick', 4)).map(turnsOf)).toEqual([8, 8, 8, 8]);
  });

  test('a removed file restores what is below it', async () => {
    await edit(turns(7));
    const reloaded = next(it.runtime, 'config');
    rmSync(join(it.project.path, FILE));
    await reloaded;
    expect((await spawnAll('quick', 2)).map(turnsOf)).toEqual([25, 25]);
  });

  test('an edit that is not valid changes nothing and is told with its file and path, a later valid one counts', async () => {
    await edit(turns(7));
    const problem = next(it.runtime, 'problem');
    it.project.write(FILE, 'limits: { defaults: { turns: many } }');
    expect(await problem).toMatchObject({
      code: 'invalid_config',
      message: expect.stringMatching(/^The changed configuration is not used: .*number/),
      where: { file: join(it.project.path, FILE), path: 'limits.defaults.turns' },
    });
    expect((await spawnAll('quick', 2)).map(turnsOf)).toEqual([7, 7]);
    await edit(turns(9));
    expect((await spawnAll('quick', 2)).map(turnsOf)).toEqual([9, 9]);
  });

  test('a thread that runs keeps what it started with', async () => {
    await edit(onExceed('fail'));
    const old = await it.runtime.spawn('two', {}, { limits: { turns: 1 } });
    await until(old, 'tool_call_start');
    await edit(onExceed('abort'));
    const young = await it.runtime.spawn('two', {}, { limits: { turns: 1 } });
    await until(young, 'tool_call_start');
    for (const n of [0, 1]) (await gateOf(n)).resolve('go on');
    expect(await Promise.all([old.result, young.result].map(async (result) => (await result).status))).toEqual([
      'error',
      'cancelled',
    ]);
  });

  test('a child has what is in force when it starts, whatever its parent has', async () => {
    const parent = await it.runtime.spawn('parent');
    await until(parent, 'tool_call_start');
    await edit(turns(3));
    const child = await it.runtime.spawn('quick', {}, { parent: parent.id });
    await child.result;
    expect([turnsOf(parent), turnsOf(child)]).toEqual([25, 3]);
  });

  test('a thread that is read back has the configuration in force by then', async () => {
    await edit(onExceed('suspend'));
    const handle = await it.runtime.spawn('two', {}, { limits: { turns: 1 } });
    await until(handle, 'tool_call_start');
    (await gateOf(0)).resolve('go on');
    await it.runtime.waitAll([handle.id]);
    expect(it.project.row(handle.id)?.status).toBe('suspended');
    await edit(onExceed('fail'));
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'error', error: { code: 'turns_exceeded' } });
  });

  test('hooks of a file that was not there before run in threads that start from then on', async () => {
    const running = await it.runtime.spawn('two');
    await until(running, 'tool_call_start');
    await edit(
      `hooks:
  - id: warn
    event: after_step
    action:
      primary: execute
      item_type: tool
      item_id: rye/agent/threads/internal/emitter
      params: { event_type: warning, payload: { code: mine, message: seen } }`,
      '.ai/config/hooks.yaml',
    );
    (await gateOf(0)).resolve('go on');
    await running.result;
    const [later] = await spawnAll('quick', 1);
    const warned = (id = ''): boolean => it.project.log(id).some(({ event_type }) => event_type === 'warning');
    expect([warned(running.id), warned(later?.id)]).toEqual([false, true]);
  });

  test('more threads at once start those that are queued', async () => {
    await edit('concurrency: { max_total_threads: 1 }');
    await it.runtime.spawn('endless');
    const queued = await it.runtime.spawn('quick');
    expect((await it.runtime.view()).queued).toBe(1);
    await edit('concurrency: { max_total_threads: 2 }');
    expect((await queued.result).status).toBe('completed');
  });

  test('what becomes of children is decided by the policy in force when their parent ends', async () => {
    const parent = await it.runtime.spawn('parent');
    await until(parent, 'tool_call_start');
    const child = await it.runtime.spawn('endless', {}, { parent: parent.id });
    await edit('child_policy: { on_parent_complete: cascade_cancel }');
    (await gateOf(0)).resolve('go on');
    await parent.result;
    expect((await child.result).status).toBe('cancelled');
  });

  test.each([
    ['allow', 'wait', 'completed', true],
    ['wait', 'cascade_cancel', 'completed', false],
    ['allow', 'wait', 'error', true],
    ['wait', 'allow', 'cancelled', false],
  ])('a parent under %s, then %s, that is %s ends after its children: %s', async (before, after, end, waits) => {
    const policy = (choice: string): string =>
      `child_policy: { on_parent_complete: ${choice}, on_parent_error: ${choice}, on_parent_cancel: ${choice} }`;
    await edit(`${policy(before)}\n${onExceed('fail')}`);
    const parent = await it.runtime.spawn('parent', {}, { limits: { turns: end === 'error' ? 1 : 5 } });
    await until(parent, 'tool_call_start');
    const child = await it.runtime.spawn('endless', {}, { parent: parent.id });
    await edit(policy(after));
    if (end === 'cancelled') void parent.cancel();
    else (await gateOf(0)).resolve('go on');
    if (waits) {
      await untilHeld(parent);
      await child.cancel();
    }
    expect((await parent.result).status).toBe(end);
  });

  test('a wait of the embedder follows the policy that is in force when a thread of it fails', async () => {
    await edit(onExceed('fail'));
    const endless = await it.runtime.spawn('endless');
    const failing = await it.runtime.spawn('two', {}, { limits: { turns: 1 } });
    await until(failing, 'tool_call_start');
    const waited = it.runtime.waitAll([endless.id, failing.id]);
    await edit('coordination: { cancel_siblings_on_failure: true }');
    (await gateOf(0)).resolve('go on');
    expect((await waited).map(({ status }) => status)).toEqual(['cancelled', 'error']);
  });
});

/** Its work is over, and it waits for its children. */
async function untilHeld(parent: ThreadHandle<unknown>): Promise<void> {
  await expect.poll(async () => (await parent.status()).state).toMatch(/^running.(?:joining|ending)$/);
}

test('What is wrong with the files that a runtime starts with is told to the first who listens, and not again', async () => {
  using made = project(PARTS);
  made.write('.ai/config/agent.yml', turns(7));
  const runtime = await startOn(made, PARTS, { watchConfig: false });
  const problems: Failure[] = [];
  runtime.on('problem', (problem) => problems.push(problem));
  await runtime.reloadConfig();
  made.write('.ai/config/resilience.yml', turns(7));
  await runtime.reloadConfig();
  await runtime.close({ graceMs: 0 });
  const unread = (name: string): object => ({
    code: 'invalid_config',
    message: expect.stringContaining(`${name}.yml is not read`),
  });
  expect(problems).toMatchObject([unread('agent'), unread('resilience')]);
});

describe('While they are not watched', () => {
  beforeAll(() => start({ watchConfig: false }));
  afterEach(() => (closed ? undefined : clean()));
  afterAll(() => it[Symbol.asyncDispose]());
  let closed = false;

  test('they are read when that is asked for', async () => {
    it.project.write(FILE, turns(7));
    expect((await spawnAll('quick', 1)).map(turnsOf)).toEqual([25]);
    expect(await it.runtime.reloadConfig()).toEqual({ changed: ['resilience.yaml'] });
    expect(await it.runtime.reloadConfig()).toEqual({ changed: [] });
    expect((await spawnAll('quick', 2)).map(turnsOf)).toEqual([7, 7]);
  });

  test('one that is not valid is refused, and nothing changes', async () => {
    it.project.write(FILE, 'limits: { enforcement: { on_exceed: explode } }');
    expect(await refusal(() => it.runtime.reloadConfig())).toMatchObject({
      code: 'invalid_config',
      where: { file: join(it.project.path, FILE), path: 'limits.enforcement.on_exceed' },
    });
    expect((await spawnAll('quick', 1)).map(turnsOf)).toEqual([25]);
  });

  test('what the code set still wins over what is read later', async () => {
    it.project.write('.ai/config/agent.yaml', 'tiers: { general: { provider: openai, model: gpt-5 } }');
    await it.runtime.reloadConfig();
    const [handle] = await spawnAll('quick', 1);
    expect((await handle?.result)?.status).toBe('completed');
  });

  test('a runtime that was closed reads nothing', async () => {
    closed = true;
    await it.runtime.close({ graceMs: 0 });
    expect(await refusal(() => it.runtime.reloadConfig())).toMatchObject({ code: 'runtime_closed' });
  });
});
