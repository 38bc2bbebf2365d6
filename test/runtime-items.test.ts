import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { ThreadHandle } from '../src/index.ts';
import { initKey } from '../src/items/signature/private-key.ts';
import type { EventPayloads, EventType } from '../src/core/events.ts';
import {
  call,
  give,
  project,
  refusal,
  scene,
  startOn,
  SCRIPTED,
  SPAWN,
  ORCHESTRATE,
  until,
  type Part,
  type Project,
  type Scene,
} from './fixtures/scene.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const ADD = `
export const __version__ = '1.0.0';
export const __tool_description__ = 'Adds two numbers';
export const CONFIG_SCHEMA = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
  required: ['a'],
};
export const execute = ({ a, b }, projectPath) => ({ sum: a + b, pid: process.pid, projectPath });
`;
const RULES = '---\nname: rules\ntitle: House rules\nversion: "1.0.0"\n---\nBe kind to kangaroos.\n';
const EXECUTE = 'rye_execute';

type Input = Readonly<Record<string, unknown>>;

const addItems = (made: Project): void => {
  made.write('.ai/tools/demo/add.js', ADD);
  made.write('.ai/knowledge/demo/rules.md', RULES);
};

/** A scene with a tool and a knowledge item, whose one thread makes these calls, a turn each, and then ends. */
async function calling(
  calls: readonly Pick<Part['says'][number], 'tool_calls'>[],
  more: Partial<Part> = {},
): Promise<Scene> {
  const own = await scene({ task: { says: [...calls, { text: 'done' }], ...more } });
  addItems(own.project);
  return own;
}

/** The results of a thread's calls as the log has them, parsed if they are JSON. */
async function resultsOf(own: Scene, handle: ThreadHandle<unknown>): Promise<unknown[]> {
  await handle.result;
  return payloads(own, handle, 'tool_call_result').map(({ output, error }) => parsed(error ?? output ?? ''));
}

/** Payloads of a thread's events of one type. */
function payloads<Type extends EventType>(
  own: Pick<Scene, 'project'>,
  { id }: ThreadHandle<unknown>,
  type: Type,
): EventPayloads[Type][] {
  const events = own.project.log(id).filter((event) => event.event_type === type);
  // Those of this type have its payload.
  return events.map(({ payload }) => payload as EventPayloads[Type]);
}

function parsed(text: string): unknown {
  return /^[[{]/.test(text) ? JSON.parse(text) : text;
}

describe('A model with rye_execute', () => {
  test('runs a tool of a file as if it had called it by its name, and gets the result of the action', async () => {
    const input = { item_id: 'demo/add', parameters: { a: '4' } };
    await using own = await calling([call(EXECUTE, input), call('demo_add', { a: 4 })]);
    const handle = await own.runtime.spawn('task');
    const [action, tool] = await resultsOf(own, handle);
    expect(action).toMatchObject({ status: 'success', type: 'tool', item_id: 'demo/add', data: { sum: 5 } });
    expect(tool).toMatchObject({ sum: 5, projectPath: own.project.path });
    expect(payloads(own, handle, 'tool_call_start')).toMatchObject([
      { tool: 'demo_add', input: { a: 4 }, called_as: { tool: EXECUTE, input } },
      { tool: 'demo_add', input: { a: 4 } },
    ]);
  });

  test('has a conversation with its own call in it, also when it is read back', async () => {
    const seen = 'calls: ${calls.0.name} ${calls.0.input.item_id}';
    await using own = await scene({
      task: { says: [call(EXECUTE, { item_id: 'demo/add', parameters: { a: 1 } }), call('app_gate'), { text: seen }] },
    });
    addItems(own.project);
    const gate = Promise.withResolvers<undefined>();
    await own.runtime.registerTool({
      id: 'app/gate',
      description: 'waits',
      input: z.object({}),
      run: () => gate.promise,
    });
    const handle = await own.runtime.spawn('task');
    await until(handle, 'tool_call_start', ({ payload }) => payload.tool === 'app_gate');
    const suspended = handle.suspend();
    gate.resolve(undefined);
    await suspended;
    await until(handle, 'thread_suspended');
    await handle.resume();
    expect(await handle.result).toMatchObject({ text: `calls: ${EXECUTE} demo/add` });
  });

  test('runs a child, waits for it, and lends it its slot', async () => {
    const spawnChild = { item_id: 'rye/agent/threads/thread_directive', parameters: { directive_name: 'child' } };
    await using own = await scene(
      {
        task: { says: [call(EXECUTE, spawnChild), { text: 'done' }] },
        child: { outputs: ['n:integer'], says: [give({ n: 7 })] },
      },
      { config: { resilience: { concurrency: { max_total_threads: 1 } } } },
    );
    const handle = await own.runtime.spawn('task');
    expect(await resultsOf(own, handle)).toMatchObject([
      { status: 'success', data: { success: true, result: { n: 7 } } },
    ]);
    expect(payloads(own, handle, 'child_thread_started')).toHaveLength(1);
    expect(payloads(own, handle, 'tool_call_start')).toMatchObject([
      { tool: SPAWN, input: { directive_name: 'child' } },
    ]);
  });

  test('waits for threads that it started', async () => {
    const start = {
      item_id: 'rye/agent/threads/thread_directive',
      parameters: { directive_name: 'child', async_exec: true },
    };
    const wait = {
      item_id: 'rye/agent/threads/orchestrator',
      parameters: { operation: 'wait_threads', thread_ids: ['${last.result.data.thread_id}'] },
    };
    await using own = await scene(
      {
        task: { says: [call(EXECUTE, start), call(EXECUTE, wait), { text: 'done' }] },
        child: { says: [{ text: 'hi' }] },
      },
      { config: { resilience: { concurrency: { max_total_threads: 1 } } } },
    );
    const handle = await own.runtime.spawn('task');
    const [, waited] = await resultsOf(own, handle);
    expect(waited).toMatchObject({ status: 'success', data: { success: true, results: [{ status: 'completed' }] } });
    expect(payloads(own, handle, 'tool_call_start').at(-1)).toMatchObject({ tool: ORCHESTRATE });
  });

  test.each([
    ['may execute tools', '<execute><tool>demo/*</tool></execute>'],
    ['may execute nothing, but does what its prompt tells it to', ''],
  ])('ends with its outputs, once they fit, in a thread that %s', async (_name, permissions) => {
    const returns = (parameters: Input) => call(EXECUTE, { item_id: 'rye/agent/threads/directive_return', parameters });
    const says = [returns({ n: 'one' }), returns({ n: 1 })];
    await using own = await calling(says, { outputs: ['n:integer'], permissions });
    const handle = await own.runtime.spawn('task');
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { n: 1 }, cost: { turns: 2 } });
    expect(payloads(own, handle, 'tool_call_result')[0]).toMatchObject({ error: expect.stringContaining('"n"') });
  });

  test('gets the steps of a directive, and starts no thread', async () => {
    const input = { item_type: 'directive', item_id: 'greet' };
    const filled = call(EXECUTE, { ...input, parameters: { who: 'Ada' } });
    await using own = await calling([filled, call(EXECUTE, input)]);
    own.project.directives({ greet: { inputs: ['who'], body: 'Greet {input:who}.' } });
    const handle = await own.runtime.spawn('task');
    const [steps, missing] = await resultsOf(own, handle);
    expect(steps).toMatchObject({
      status: 'success',
      type: 'directive',
      data: { body: expect.stringContaining('Greet Ada.') },
    });
    expect(missing).toMatch(/missing_input.*who/);
    expect(own.runtime.list()).toHaveLength(1);
  });

  test('may reach nothing without the right to it', async () => {
    const tool = (item_id: string, parameters: Input): Input => ({ item_id, parameters });
    const unreachable = [
      tool('demo/add', { a: 1 }),
      { item_type: 'directive', item_id: 'task' },
      { item_type: 'knowledge', item_id: 'demo/rules' },
      tool('rye/agent/threads/thread_directive', { directive_name: 'task' }),
      tool('rye/agent/threads/internal/control', { action: 'fail' }),
    ];
    await using own = await calling(
      unreachable.map((input) => call(EXECUTE, input)),
      { permissions: '<execute><tool>demo/other</tool></execute>' },
    );
    const handle = await own.runtime.spawn('task');
    const denied = unreachable.map(() => expect.stringContaining('[permission_denied]'));
    expect(await resultsOf(own, handle)).toEqual(denied);
    expect(await handle.result).toMatchObject({ status: 'completed' });
  });
});

describe('A model', () => {
  test('finds items, reads them and has them described', async () => {
    await using own = await calling(
      [
        call('rye_search', { query: 'kangaroos' }),
        call('rye_load', { item_type: 'knowledge', item_id: 'demo/rules' }),
        call('rye_fetch', { query: 'adds numbers', item_type: 'tool' }),
        call(EXECUTE, { item_type: 'knowledge', item_id: 'demo/rules' }),
        call(EXECUTE, { item_id: 'demo/add', parameters: { a: 2 }, dry_run: true }),
      ],
      { permissions: '*' },
    );
    const results = await resultsOf(own, await own.runtime.spawn('task'));
    expect(results).toMatchObject([
      { status: 'success', data: { results: [{ item_type: 'knowledge', item_id: 'demo/rules' }] } },
      { status: 'success', data: { content: 'Be kind to kangaroos.' } },
      { status: 'success', data: { results: [{ item_id: 'demo/add' }] } },
      { status: 'success', data: { content: 'Be kind to kangaroos.' } },
      { status: 'success', data: { dry_run: true, parameters: { a: 2, b: 1 } } },
    ]);
  });

  test('without any right is told which capability it lacks', async () => {
    const rules = { item_type: 'knowledge', item_id: 'demo/rules' };
    const lacking: readonly (readonly [tool: string, input: Input, capability: string])[] = [
      ['rye_load', rules, 'rye.load'],
      ['rye_search', { query: 'kangaroos' }, 'rye.search'],
      ['rye_sign', rules, 'rye.sign'],
      [EXECUTE, rules, 'rye.execute'],
    ];
    await using own = await calling(
      lacking.map(([tool, input]) => call(tool, input)),
      { tools: [], permissions: '<cap>rye.other.*</cap>' },
    );
    const errors = await resultsOf(own, await own.runtime.spawn('task'));
    const told = (capability: string): RegExp =>
      new RegExp(`^error \\[permission_denied\\].*${capability.replace('.', '\\.')}`, 's');
    expect(errors).toEqual(lacking.map(([, , capability]) => expect.stringMatching(told(capability))));
  });

  test('may read only what it was granted', async () => {
    const calls = ['demo/rules', 'demo/secrets'].map((id) => call('rye_load', { item_type: 'knowledge', item_id: id }));
    const search = call('rye_search', { query: 'be' });
    const permissions = ['load', 'search']
      .map((each) => `<${each}><knowledge>demo/rules</knowledge></${each}>`)
      .join('');
    await using own = await calling([...calls, search], { permissions });
    own.project.write('.ai/knowledge/demo/secrets.md', RULES.replace('rules', 'secrets'));
    const [rules, secrets, found] = await resultsOf(own, await own.runtime.spawn('task'));
    expect(rules).toMatchObject({ status: 'success' });
    expect(secrets).toContain('rye.load.knowledge.demo.secrets');
    expect(found).toMatchObject({ data: { results: [{ item_id: 'demo/rules' }], total: 1 } });
  });
});

describe('The file tools', () => {
  test('keep away from the user space that the embedder named', async () => {
    using made = project({ task: {} });
    const parts = {
      task: { says: [call('rye_file_system_write', { path: 'mine/knowledge/x.md', content: 'x' }), { text: 'done' }] },
    };
    await using runtime = await startOn(made, parts, { userSpace: join(made.path, 'mine') });
    const handle = await runtime.spawn('task');
    await handle.result;
    expect(payloads({ project: made }, handle, 'tool_call_result')).toMatchObject([
      { error: expect.stringContaining('belongs to the runtime') },
    ]);
  });
});

describe('A directive', () => {
  const TRUST = { config: { agent: { ...SCRIPTED, trust: { project: 'warn' } } } };

  test('that nobody signed says so in the log of each of its threads, once', async () => {
    await using own = await scene({ task: { says: [{ text: 'done' }] } }, TRUST);
    for (const handle of [await own.runtime.spawn('task'), await own.runtime.spawn('task')]) {
      await handle.result;
      const warning = { code: 'item_unsigned', where: 'task', message: expect.stringContaining('is not signed') };
      expect(payloads(own, handle, 'warning')).toEqual([warning]);
    }
  });

  test('that is signed runs without a word, and is refused when one byte of its body is another', async () => {
    using made = project({ task: { body: 'Say hello to Ada.' }, parent: {} });
    const userSpace = join(made.path, 'user');
    initKey(userSpace);
    await sign(made, userSpace, 'task');
    await using runtime = await startOn(
      made,
      {
        task: { says: [{ text: 'done' }] },
        parent: { says: [call(SPAWN, { directive_name: 'task' }), { text: 'done' }] },
      },
      { ...TRUST, userSpace },
    );
    const handle = await runtime.spawn('task');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(payloads({ project: made }, handle, 'warning')).toEqual([]);
    const file = join(made.path, '.ai', 'directives', 'task.md');
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('Ada')] = 'E'.charCodeAt(0);
    writeFileSync(file, bytes);
    // A file that was read is looked at again after a second.
    await vi.waitFor(
      async () => expect(await refusal(() => runtime.spawn('task'))).toMatchObject({ code: 'signature_wrong' }),
      { timeout: 10_000 },
    );
    const parent = await runtime.spawn('parent');
    await parent.result;
    expect(payloads({ project: made }, parent, 'tool_call_result')).toMatchObject([
      { error: expect.stringContaining('[signature_wrong]') },
    ]);
  });
});

/** Signs an item of a project as a person does. */
async function sign({ path }: Project, userSpace: string, id: string): Promise<void> {
  const program = join(PACKAGE_ROOT, 'dist', 'src', 'cli', 'main.js');
  const env = { PATH: process.env['PATH'], SKEIN_USER_SPACE: userSpace };
  const child = spawn(process.execPath, [program, 'sign', id, '--project', path], { env, stdio: 'ignore' });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(0);
}

describe('A hook', () => {
  const hook = (id: string, event: string, action: Input): Input => ({ id, event, action });
  const configured = (...hooks: readonly Input[]) => ({ config: { hooks: { schema_version: '1.0.0', hooks } } });
  const TASK = { task: { tools: [], says: [{ text: 'done' }] } } satisfies Record<string, Part>;

  async function running(hooks: readonly Input[], parts: Record<string, Part> = TASK): Promise<Scene> {
    const own = await scene(parts, configured(...hooks));
    addItems(own.project);
    return own;
  }

  async function firstMessage(own: Scene): Promise<{ readonly text: string; readonly warnings: unknown[] }> {
    const handle = await own.runtime.spawn('task');
    await handle.result;
    const [first] = payloads(own, handle, 'cognition_in');
    return { text: first?.text ?? '', warnings: payloads(own, handle, 'warning') };
  }

  test.each<[string, Input, string]>([
    [
      'knowledge it loads',
      { primary: 'load', item_type: 'knowledge', item_id: 'demo/rules', params: { source: 'project' } },
      '<rules id="demo/rules" type="knowledge">\nBe kind to kangaroos.\n</rules>',
    ],
    [
      'what a tool of a file gives',
      { primary: 'execute', item_type: 'tool', item_id: 'demo/branch', params: { of: '${directive}' } },
      '<branch id="demo/branch" type="tool">\nbranch of task\n</branch>',
    ],
    [
      'the steps of a directive',
      { primary: 'execute', item_type: 'directive', item_id: 'greet', params: { who: 'Ada' } },
      'type="directive">\nGreet Ada.\n</greet>',
    ],
  ])('on thread_started puts into the first message %s', async (_name, action, text) => {
    await using own = await running([hook('mine', 'thread_started', action)]);
    own.project.write(
      '.ai/tools/demo/branch.js',
      `export const __tool_type__ = 'node';\nexport const execute = ({ of }) => ({ content: 'branch of ' + of });\n`,
    );
    own.project.directives({ greet: { inputs: ['who'], body: 'Greet {input:who}.' } });
    expect(await firstMessage(own)).toMatchObject({ text: expect.stringContaining(text), warnings: [] });
  });

  test('of a directive may load what its thread may, and one of a config file everything', async () => {
    const load = (id: string): string =>
      `<hook id="${id}" event="thread_started"><load item_type="knowledge" item_id="demo/${id}"/></hook>`;
    const permissions = '<load><knowledge>demo/rules</knowledge></load>';
    await using own = await running(
      [hook('configured', 'thread_started', { primary: 'load', item_type: 'knowledge', item_id: 'demo/third' })],
      { task: { permissions, hooks: load('rules') + load('secrets'), says: [{ text: 'done' }] } },
    );
    for (const name of ['secrets', 'third'])
      own.project.write(`.ai/knowledge/demo/${name}.md`, RULES.replace('rules', name));
    const { text, warnings } = await firstMessage(own);
    expect([text.includes('<rules id'), text.includes('<secrets id'), text.includes('<third id')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(warnings).toMatchObject([{ code: 'permission_denied', where: 'hook secrets' }]);
  });

  test('that fails is a warning, and the thread goes on', async () => {
    await using own = await running([
      hook('gone', 'thread_started', { primary: 'load', item_type: 'knowledge', item_id: 'demo/none' }),
      hook('broken', 'before_step', { primary: 'execute', item_type: 'tool', item_id: 'demo/add', params: { a: 'x' } }),
    ]);
    const { warnings } = await firstMessage(own);
    expect(warnings).toMatchObject([
      { code: 'item_not_found', where: 'hook gone' },
      { code: 'tool_input_invalid', where: 'hook broken' },
    ]);
  });

  test('runs a tool of a file at a step; what that returns decides nothing', async () => {
    await using own = await running([
      hook('note', 'after_step', {
        primary: 'execute',
        item_type: 'tool',
        item_id: 'demo/note',
        params: { turn: '${turn}' },
      }),
    ]);
    own.project.write(
      '.ai/tools/demo/note.js',
      `import { writeFileSync } from 'node:fs';
export const __tool_type__ = 'node';
export function execute({ turn }) { writeFileSync('noted', String(turn)); return { action: 'fail' }; }
`,
    );
    const handle = await own.runtime.spawn('task');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(own.project.path, 'noted'), 'utf8')).toBe('1');
  });

  test('uses the internal tools, which answer without a warning', async () => {
    const internal = (name: string, params: Input = {}): Input =>
      hook(name, 'after_step', {
        primary: 'execute',
        item_type: 'tool',
        item_id: `rye/agent/threads/internal/${name}`,
        params,
      });
    await using own = await running([
      internal('state_persister'),
      internal('cost_tracker'),
      internal('cancel_checker'),
      internal('limit_checker', { limit_type: 'turns', current_value: '${cost.turns}', max_value: '${limits.turns}' }),
      internal('classifier', { error: { message: 'no' }, status_code: 500 }),
      internal('budget_ops', { operation: 'check_remaining', thread_id: '${thread_id}' }),
      internal('emitter', { event_type: 'warning', payload: { code: 'seen', message: 'turn ${turn}' } }),
      internal('control', { action: 'continue' }),
    ]);
    const handle = await own.runtime.spawn('task');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(payloads(own, handle, 'warning')).toEqual([{ code: 'seen', message: 'turn 1' }]);
    const log = own.project.log(handle.id).map(({ sequence }) => sequence);
    expect(log).toEqual(log.map((_, index) => index + 1));
  });

  test('with control ends its thread', async () => {
    const params = { action: 'fail', error: 'no more' };
    const item = { item_type: 'tool', item_id: 'rye/agent/threads/internal/control' };
    await using own = await running([hook('stop', 'before_step', { primary: 'execute', ...item, params })]);
    const handle = await own.runtime.spawn('task');
    expect(await handle.result).toMatchObject({ status: 'error', error: { code: 'hook_failed', message: 'no more' } });
  });

  test('has a child carry a directive out, and lends it the slot of its thread', async () => {
    const params = { directive_name: 'child' };
    const action = { primary: 'execute', item_type: 'tool', item_id: 'rye/agent/threads/thread_directive', params };
    await using own = await scene(
      {
        ...TASK,
        task: { tools: [], permissions: '<execute><directive>child</directive></execute>', says: [{ text: 'done' }] },
        child: { tools: [], says: [{ text: 'hi' }] },
      },
      {
        config: {
          ...configured({ ...hook('review', 'after_step', action), condition: { path: 'turn', op: 'eq', value: 1 } })
            .config,
          resilience: { concurrency: { max_total_threads: 1 } },
        },
      },
    );
    const handle = await own.runtime.spawn('task');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    const [child] = payloads(own, handle, 'child_thread_started');
    expect(child).toMatchObject({ child_directive: 'child' });
    expect(own.project.row(child?.child_thread_id ?? '')).toMatchObject({ status: 'completed' });
    expect(payloads(own, handle, 'warning')).toEqual([]);
  });

  test('that runs too long is ended with its process, and the thread goes on', async () => {
    const action = { primary: 'execute', item_type: 'tool', item_id: 'demo/forever' };
    await using own = await running([{ ...hook('slow', 'before_step', action), timeout_ms: 500 }]);
    own.project.write(
      '.ai/tools/demo/forever.js',
      `export const __tool_type__ = 'node';\nexport function execute() { for (;;); }\n`,
    );
    const handle = await own.runtime.spawn('task');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(payloads(own, handle, 'warning')).toMatchObject([{ code: 'deadline_exceeded', where: 'hook slow' }]);
  });

  test('that waits for a tool is ended with its thread', async () => {
    const action = { primary: 'execute', item_type: 'tool', item_id: 'demo/forever' };
    await using own = await running([hook('slow', 'thread_started', action)]);
    const started = join(own.project.path, 'started');
    own.project.write(
      '.ai/tools/demo/forever.js',
      `import { writeFileSync } from 'node:fs';
export const __tool_type__ = 'node';
export function execute() { writeFileSync(${JSON.stringify(started)}, String(process.pid)); for (;;); }
`,
    );
    const handle = await own.runtime.spawn('task');
    const readPid = (): number => {
      const said = readFileSync(started, 'utf8');
      // The file is there a moment before it says anything.
      expect(said).not.toBe('');
      return Number(said);
    };
    const pid = await vi.waitFor(readPid, { timeout: 10_000 });
    await handle.cancel('enough');
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrowError('ESRCH'), { timeout: 10_000 });
  });
});

describe('A tool that misbehaves', () => {
  const BAD: Record<string, string> = {
    greedy: 'const all = []; export function execute() { for (;;) all.push(Buffer.alloc(5e7, 1)); }',
    endless: 'export const __timeout_seconds__ = 2; export function execute() { for (;;); }',
    quitter: 'export function execute() { process.exit(0); }',
  };
  const FAILURES = [/bad\/greedy .*memory/i, /bad\/endless did not finish within 2 s/, /bad\/quitter .*exit code 0/];

  test('ends its own call and nothing else, beside 100 innocent threads', { timeout: 90_000 }, async () => {
    const innocent = { says: [call('demo_add', { a: 20 }), { text: 'sum ${last.result.sum}', delay_ms: 20 }] };
    const bad = Object.keys(BAD).map((name): [string, Part] => [
      name,
      { says: [call(`bad_${name}`), { text: 'went on' }] },
    ]);
    await using own = await scene({ innocent, ...Object.fromEntries(bad) });
    addItems(own.project);
    for (const [name, source] of Object.entries(BAD)) {
      own.project.write(`.ai/tools/bad/${name}.js`, `export const __tool_description__ = '${name}';\n${source}\n`);
    }
    const guilty = await Promise.all(Object.keys(BAD).map((name) => own.runtime.spawn(name)));
    const others = await Promise.all(Array.from({ length: 100 }, () => own.runtime.spawn('innocent')));
    const endings = await Promise.all(others.map((handle) => handle.result));
    expect(endings.map(({ status, text }) => `${status}: ${text}`)).toEqual(Array(100).fill('completed: sum 21'));
    const results = await Promise.all(guilty.map((handle) => resultsOf(own, handle)));
    expect(results).toEqual(FAILURES.map((message) => [expect.stringMatching(message)]));
    for (const handle of guilty) expect(await handle.result).toMatchObject({ status: 'completed', text: 'went on' });
    expect(own.runtime.list({ status: ['running'] })).toEqual([]);
  });
});
