import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventPayloads, EventType } from '../src/core/events.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import {
  call,
  give,
  ORCHESTRATE,
  project,
  scene,
  SPAWN,
  startOn,
  until,
  type Scene,
  type Part,
} from './fixtures/scene.ts';

type Context = Readonly<Record<string, unknown>>;

/** A hook of a directive whose action is a function of the host. */
const asks = (event: string, name: string, condition = ''): string =>
  `<hook id="${name}" event="${event}">${condition}<action function="${name}"/></hook>`;

const echo = (text: string): Pick<Part['says'][number], 'tool_calls'> => call('app_echo', { text });
const COST = { turns: 1, input_tokens: expect.any(Number), output_tokens: expect.any(Number), spend: 0 };

/** Every event whose context is looked at, and a thread in which it happens. */
const SEEN: Readonly<Record<string, Part>> = {
  before_tool: { says: [echo('hi'), { text: 'done' }] },
  after_tool: { says: [echo('hi'), { text: 'done' }] },
  directive_return: { outputs: ['n:integer'], says: [give({ n: 1 })] },
  child_started: { says: [call(SPAWN, { directive_name: 'leaf' }), { text: 'done', delay_ms: 20 }] },
  child_ended: { says: [call(SPAWN, { directive_name: 'leaf' }), { text: 'done', delay_ms: 20 }] },
  context_window_pressure: { says: [{ ...echo('x'), usage: { input_tokens: 105_000 } }, { text: 'done' }] },
  context_limit_reached: { says: [{ ...echo('x'), usage: { input_tokens: 120_000 } }, { text: 'done' }] },
};

const PARTS: Record<string, Part> = {
  leaf: { says: [{ text: 'leaf' }] },
  guarded: { hooks: asks('before_tool', 'guard'), says: [echo('one'), { text: 'heard: ${last.text}' }] },
  through: {
    hooks: asks('before_tool', 'guard'),
    says: [
      call('rye_execute', { item_type: 'tool', item_id: 'app/echo', parameters: { text: 'one' } }),
      { text: 'heard: ${last.text}' },
    ],
  },
  loading: {
    permissions: '<load><knowledge>demo/open</knowledge></load>',
    hooks: asks('before_tool', 'guard'),
    says: [call('rye_load', { item_type: 'knowledge', item_id: 'demo/open' }), { text: 'heard: ${last.text}' }],
  },
  twice: {
    hooks: asks('before_tool', 'first') + asks('before_tool', 'second'),
    says: [echo('one'), { text: 'heard: ${last.text}' }],
  },
  describing: {
    hooks: asks('before_tool', 'first') + asks('before_tool', 'second'),
    says: [
      call('rye_execute', { item_type: 'tool', item_id: 'app/echo', dry_run: true, parameters: { text: 'one' } }),
      { text: 'heard: ${last.text}' },
    ],
  },
  several: {
    hooks: asks('before_tool', 'guard'),
    says: [{ tool_calls: ['a', 'b', 'c'].map((text) => ({ name: 'app_echo', input: { text } })) }, { text: 'done' }],
  },
  crowd: {
    hooks: asks('after_tool', 'slow'),
    says: [
      { tool_calls: ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => ({ name: 'app_echo', input: { text } })) },
      { text: 'done' },
    ],
  },
  returning: { hooks: asks('before_tool', 'guard'), outputs: ['n:integer'], says: [give({ n: 7 })] },
  nobody: {
    hooks: asks('before_tool', 'guard') + asks('after_tool', 'slow'),
    says: [call('no_such_tool'), { text: 'done' }],
  },
  approving: { hooks: asks('directive_return', 'approve'), outputs: ['n:integer'], says: [give({ n: 7 })] },
  conditional: {
    hooks: asks('before_tool', 'guard', '<condition path="event.tool" op="eq" value="app/other"/>'),
    says: [echo('one'), { text: 'done' }],
  },
};
for (const [event, part] of Object.entries(SEEN)) PARTS[`sees_${event}`] = { ...part, hooks: asks(event, event) };

let it: Scene;

beforeAll(async () => {
  it = await scene(PARTS, { config: { resilience: { limits: { defaults: { tokens: 10_000_000 } } } } });
  it.project.write('.ai/knowledge/demo/open.md', '---\nname: open\n---\nEverybody may read this.\n');
  it.project.write('.ai/knowledge/demo/secret.md', '---\nname: secret\n---\nNobody may read this.\n');
  await it.runtime.registerTool(echoTool(({ text }) => `echo ${text}`));
});

afterAll(() => it[Symbol.asyncDispose]());

function payloads<Type extends EventType>(id: string, type: Type): EventPayloads[Type][] {
  return it.project
    .log(id)
    .flatMap((event) => (event.event_type === type ? [event.payload as EventPayloads[Type]] : []));
}

async function run(
  directive: string,
): Promise<{ readonly id: string; readonly text: string; readonly status: string }> {
  const handle = await it.runtime.spawn(directive);
  const { status, text } = await handle.result;
  return { id: handle.id, status, text };
}

describe('The context of', () => {
  const thread_id = expect.stringMatching(/^thread-/);
  test.each<[string, Context]>([
    ['before_tool', { thread_id, tool: 'app/echo', input: { text: 'hi' } }],
    [
      'after_tool',
      { thread_id, tool: 'app/echo', input: { text: 'hi' }, output: 'echo hi', duration_ms: expect.any(Number) },
    ],
    ['directive_return', { thread_id, outputs: { n: 1 }, cost: COST }],
    ['child_started', { child_thread_id: thread_id, child_directive: 'leaf' }],
    ['child_ended', { child_thread_id: thread_id, child_directive: 'leaf', status: 'completed', cost: COST }],
    [
      'context_window_pressure',
      { pressure_ratio: expect.closeTo(0.82, 2), tokens_used: expect.any(Number), tokens_limit: 128_000 },
    ],
    [
      'context_limit_reached',
      { pressure_ratio: expect.closeTo(0.94, 2), tokens_used: expect.any(Number), tokens_limit: 128_000 },
    ],
  ])('%s is that of the contracts', async (event, expected) => {
    const seen: Context[] = [];
    it.runtime.registerHook(event, ({ context }) => {
      seen.push(context);
      return event.startsWith('context') ? { action: 'continue' } : undefined;
    });
    expect(await run(`sees_${event}`)).toMatchObject({ status: 'completed' });
    expect(seen).toEqual([expected]);
  });
});

describe('A before_tool hook', () => {
  test('refuses a call with skip: the model hears why, and the tool does not run', async () => {
    it.runtime.registerHook('guard', () => ({ action: 'skip', error: 'not on a Sunday' }));
    const { id, text } = await run('guarded');
    expect(text).toBe('heard: error [permission_denied]: not on a Sunday');
    expect(payloads(id, 'tool_call_start')).toMatchObject([{ tool: 'app_echo', input: { text: 'one' } }]);
    expect(payloads(id, 'tool_call_result')).toMatchObject([{ error: text.slice('heard: '.length) }]);
  });

  test('rewrites the input: the log has what ran, and beside it what the model said', async () => {
    it.runtime.registerHook('guard', ({ context }) => ({ input: { text: `${JSON.stringify(context['input'])}!` } }));
    const { id, text } = await run('guarded');
    expect(text).toBe('heard: echo {"text":"one"}!');
    expect(payloads(id, 'tool_call_start')).toMatchObject([
      { tool: 'app_echo', input: { text: '{"text":"one"}!' }, called_as: { tool: 'app_echo', input: { text: 'one' } } },
    ]);
  });

  test('rewrites what rye_execute runs', async () => {
    it.runtime.registerHook('guard', () => ({ input: { text: 'two' } }));
    const { id, text } = await run('through');
    expect(text).toContain('echo two');
    expect(payloads(id, 'tool_call_start')).toMatchObject([
      { tool: 'app_echo', input: { text: 'two' }, called_as: { tool: 'rye_execute' } },
    ]);
  });

  test('that rewrites the input into one that does not fit is warned of, and the call does not run', async () => {
    it.runtime.registerHook('guard', () => ({ input: { words: 7 } }));
    const { id, text } = await run('guarded');
    expect(text).toMatch(/^heard: error \[tool_input_invalid\]/);
    expect(payloads(id, 'warning')).toMatchObject([{ code: 'tool_input_invalid', where: 'hook guard' }]);
  });

  test('can not widen what the thread may: the rights are looked at again', async () => {
    it.runtime.registerHook('guard', () => ({ input: { item_type: 'knowledge', item_id: 'demo/secret' } }));
    const { text } = await run('loading');
    expect(text).toMatch(/^heard: error \[permission_denied\]/);
    expect(text).not.toContain('Nobody may');
    it.runtime.registerHook('guard', () => undefined);
    expect((await run('loading')).text).toContain('Everybody may read this.');
  });

  test('sees the input as the hook before it left it', async () => {
    it.runtime.registerHook('first', () => ({ input: { text: 'two' } }));
    it.runtime.registerHook('second', ({ context }) => ({
      input: { text: `${JSON.stringify(context['input'])} three` },
    }));
    expect((await run('twice')).text).toBe('heard: echo {"text":"two"} three');
  });

  test('sees the tool that runs after the hook before it, and rewrites the input of that', async () => {
    const seen: unknown[] = [];
    it.runtime.registerHook('first', ({ context: { tool, input } }) => {
      seen.push(tool);
      return { input: { ...(input as object), dry_run: false } };
    });
    it.runtime.registerHook('second', ({ context: { tool, input } }) => {
      seen.push(tool, input);
      return { input: { text: 'two' } };
    });
    expect((await run('describing')).text).toContain('echo two');
    expect(seen).toEqual(['rye/execute', 'app/echo', { text: 'one' }]);
  });

  test('sees what the call was after a rewriting that can not be used, and may set it right', async () => {
    const seen: unknown[] = [];
    it.runtime.registerHook('first', () => ({ input: { words: 7 } }));
    it.runtime.registerHook('second', ({ context: { tool, input } }) => {
      seen.push(tool, input);
      return { input: { text: 'two' } };
    });
    expect((await run('twice')).text).toBe('heard: echo two');
    expect(seen).toEqual(['app/echo', { words: 7 }]);
  });

  test('is asked for each call in their order, and none runs before all are decided', async () => {
    const asked: unknown[] = [];
    it.runtime.registerHook('guard', async ({ context }) => {
      const { text } = context['input'] as { text: string };
      asked.push(text);
      await Promise.resolve();
      return text === 'b' ? { action: 'skip' } : undefined;
    });
    const { id } = await run('several');
    expect(asked).toEqual(['a', 'b', 'c']);
    const order = it.project.log(id).flatMap(({ event_type: type }) => (type.startsWith('tool_call') ? [type] : []));
    expect(order).toEqual([...Array(3).fill('tool_call_start'), ...Array(3).fill('tool_call_result')]);
    const results = payloads(id, 'tool_call_result').toSorted((x, y) => (x.call_id < y.call_id ? -1 : 1));
    expect(results.map(({ output, error }) => [output, error !== undefined])).toEqual([
      ['echo a', false],
      [undefined, true],
      ['echo c', false],
    ]);
  });

  test('is not asked about directive_return, nor about a tool that is not there', async () => {
    it.runtime.registerHook('guard', () => ({ action: 'fail' }));
    it.runtime.registerHook('slow', () => ({ action: 'fail' }));
    expect(await run('returning')).toMatchObject({ status: 'completed' });
    expect(await run('nobody')).toMatchObject({ status: 'completed' });
  });

  test('with a condition on event.tool is asked about that tool only', async () => {
    it.runtime.registerHook('guard', () => ({ action: 'fail' }));
    expect(await run('conditional')).toMatchObject({ status: 'completed' });
  });

  test('that does not answer holds back no cancellation; the log stays whole', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    it.runtime.registerHook('guard', () => (asked.resolve(), answer.promise));
    const handle = await it.runtime.spawn('several');
    await asked.promise;
    await handle.cancel();
    answer.resolve();
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
    expectWhole(handle.id);
  });

  test('can have a thread suspended before its calls; they run when it goes on, and the log is whole', async () => {
    it.runtime.registerHook('guard', () => ({ action: 'suspend' }));
    const handle = await it.runtime.spawn('several');
    await until(handle, 'thread_suspended');
    await handle.suspend();
    expect(payloads(handle.id, 'tool_call_start')).toEqual([]);
    it.runtime.registerHook('guard', () => undefined);
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expectWhole(handle.id);
  });

  /** Each of the three calls has begun, and has a result. */
  function expectWhole(id: string): void {
    const started = payloads(id, 'tool_call_start').map(({ call_id }) => call_id);
    expect(started).toHaveLength(3);
    expect(payloads(id, 'tool_call_result').map(({ call_id }) => call_id)).toEqual(started);
  }
});

describe('An after_tool hook', () => {
  test('keeps the place of its call: no more calls run at once than may', async () => {
    let now = 0;
    let most = 0;
    it.runtime.registerHook('slow', async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
    });
    expect(await run('crowd')).toMatchObject({ status: 'completed' });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
  });
});

test.each([
  ['that its model has called', echo('secret')],
  [
    'that rye/execute has run',
    call('rye_execute', { item_type: 'tool', item_id: 'app/echo', parameters: { text: 'secret' } }),
  ],
])(
  'An after_tool hook that the end of its runtime cuts off is asked again about a tool %s and that is gone',
  async (_name, calls) => {
    const parts: Record<string, Part> = {
      guarded: { hooks: asks('after_tool', 'guard'), says: [calls, { text: 'heard: ${last.text}' }] },
    };
    using own = project(parts);
    const asked = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const first = await startOn(own, parts);
    await first.registerTool(echoTool());
    first.registerHook('guard', () => (asked.resolve(), end.promise));
    const { id } = await first.spawn('guarded');
    await asked.promise;
    await first.close({ graceMs: 0 });
    end.resolve();
    await using second = await startOn(own, parts);
    const seen: unknown[] = [];
    second.registerHook('guard', ({ context: { tool, input } }) => {
      seen.push({ tool, input });
      return { action: 'fail', error: 'the guard has seen it' };
    });
    const handle = await second.thread(id).resume();
    expect(await handle.result).toMatchObject({ status: 'error', error: { message: 'the guard has seen it' } });
    expect(seen).toEqual([{ tool: 'app/echo', input: { text: 'secret' } }]);
  },
);

describe('A directive_return hook', () => {
  test('suspends before the end; when it is resumed, it is asked again, nobody else is, and the thread ends with its outputs', async () => {
    let asked = 0;
    it.runtime.registerHook('approve', () => {
      asked++;
      return { action: 'suspend', suspend_reason: 'a person looks at it' };
    });
    const handle = await it.runtime.spawn('approving');
    expect((await until(handle, 'thread_suspended')).payload).toMatchObject({ message: 'a person looks at it' });
    await handle.suspend();
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { n: 7 } });
    const suspensions = it.project.log(handle.id).filter(({ event_type: type }) => type === 'thread_suspended');
    expect([asked, suspensions.length]).toEqual([2, 1]);
  });
});

test.each([
  ['takes a turn for it', {}],
  ['takes a turn for it, also where a hook waives the limit of turns', { turns: 1 }],
])(
  'A thread that is told something while its hooks hear of its outputs %s, and they are asked again',
  async (_name, limits) => {
    const parts: Record<string, Part> = {
      told: {
        hooks: '<hook id="hears" event="directive_return"><action function="hear"/></hook>',
        outputs: ['n:integer'],
        says: [give({ n: 1 }), give({ n: 2 })],
      },
    };
    const waives = { id: 'waives', event: 'limit', action: { function: 'waive' } };
    await using own = await scene(parts, { config: { hooks: { hooks: [waives] } } });
    const heard: unknown[] = [];
    const first = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    own.runtime.registerHook('hear', async ({ context }) => {
      heard.push(context['outputs']);
      asked.resolve();
      await first.promise;
    });
    own.runtime.registerHook('waive', () => ({ action: 'continue' }));
    const handle = await own.runtime.spawn('told', {}, { limits });
    await asked.promise;
    await handle.send('one more thing');
    first.resolve();
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { n: 2 }, cost: { turns: 2 } });
    expect(heard).toEqual([{ n: 1 }, { n: 2 }]);
    const said = own.project.log(handle.id).filter(({ event_type: type }) => type === 'cognition_in');
    expect(said.at(-1)?.payload).toMatchObject({ text: 'one more thing' });
  },
);

describe('Hooks that start threads', () => {
  const spawns = (event: string, directive: string, more = ''): string =>
    `<hook id="spawns" event="${event}"><action primary="execute" item_type="tool" item_id="rye/agent/threads/thread_directive">` +
    `<param name="directive_name" value="${directive}"/>${more}</action></hook>`;
  const asynchronous = '<param name="async_exec" value="true"/>';

  test('whose hooks start threads are stopped at a depth, with a warning', async () => {
    const parts: Record<string, Part> = { self: { hooks: spawns('before_step', 'self'), says: [{ text: 'done' }] } };
    await using own = await scene(parts);
    const handle = await own.runtime.spawn('self');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    const all = threadsBelow(own, handle.id);
    expect(all).toHaveLength(5);
    expect(warningsOf(own, all.at(-1) ?? '')).toMatchObject([{ code: 'hook_depth_exceeded', where: 'hook spawns' }]);
  });

  test.each(['child_started', 'child_ended'])('on %s of the children they start are stopped, too', async (event) => {
    const parts: Record<string, Part> = {
      leaf: { says: [{ text: 'leaf' }] },
      top: {
        hooks: spawns(event, 'leaf', asynchronous),
        says: [call(SPAWN, { directive_name: 'leaf' }), { text: 'done', delay_ms: 4_000 }],
      },
    };
    await using own = await scene(parts);
    const handle = await own.runtime.spawn('top');
    expect(await handle.result).toMatchObject({ status: 'completed' });
    expect(own.project.log(handle.id).filter(({ event_type: type }) => type === 'child_thread_started')).toHaveLength(
      5,
    );
    expect(warningsOf(own, handle.id)).toMatchObject([{ code: 'hook_depth_exceeded' }]);
  });
});

describe('A hook of a config file', () => {
  test('has all rights on the new events, one of a directive those of its thread', async () => {
    const load = { primary: 'load', item_type: 'knowledge', item_id: 'demo/secret' };
    const hooks = { schema_version: '1.0.0', hooks: [{ id: 'all', event: 'before_tool', action: load }] };
    const own = `<hook id="own" event="after_tool"><load item_type="knowledge" item_id="demo/secret"/></hook>`;
    await using at = await scene(
      { task: { tools: ['rye/file-system/ls'], hooks: own, says: [call('rye_file_system_ls'), { text: 'done' }] } },
      { config: { hooks } },
    );
    at.project.write('.ai/knowledge/demo/secret.md', '---\nname: secret\n---\nx\n');
    const handle = await at.runtime.spawn('task');
    await handle.result;
    expect(warningsOf(at, handle.id)).toMatchObject([{ code: 'permission_denied', where: 'hook own' }]);
  });
});

describe('What became of a child while its parent was parked', () => {
  test('is told to its hooks when it goes on', async () => {
    const ended: unknown[] = [];
    const parts: Record<string, Part> = {
      child: { says: [{ text: 'x', delay_ms: 2_000 }] },
      top: {
        hooks: asks('child_ended', 'ended'),
        says: [
          call(SPAWN, { directive_name: 'child', async_exec: true }),
          call(ORCHESTRATE, { operation: 'list_active' }),
          { text: 'done' },
        ],
      },
    };
    await using own = await scene(parts);
    own.runtime.registerHook('ended', ({ context }) => void ended.push(context));
    const handle = await own.runtime.spawn('top');
    const { payload } = await until(handle, 'child_thread_started');
    await handle.suspend();
    await until(handle, 'thread_suspended');
    await own.runtime.thread(payload.child_thread_id)?.result;
    expect(ended).toEqual([]);
    await handle.resume();
    await handle.result;
    expect(ended).toMatchObject([
      { child_thread_id: payload.child_thread_id, child_directive: 'child', status: 'completed' },
    ]);
  });
});

function warningsOf(own: Scene, id: string): unknown[] {
  return own.project.log(id).flatMap(({ event_type: type, payload }) => (type === 'warning' ? [payload] : []));
}

/** A chain of only children, the top first. */
function threadsBelow(own: Scene, id: string): string[] {
  const started = own.project.log(id).find(({ event_type: type }) => type === 'child_thread_started');
  const child = (started?.payload as { child_thread_id?: string } | undefined)?.child_thread_id;
  return child === undefined ? [id] : [id, ...threadsBelow(own, child)];
}
