import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PRIMARY_ACTIONS } from '../core/item.ts';
import type { DispatchContext } from './dispatcher.ts';
import { createItemBench, type ItemBench } from './fixtures/item-bench.ts';
import { hasEnded, pidIn } from './fixtures/tool-bench.ts';
import type { GivenAction } from './primary-request.ts';
import type { PrimaryResult } from './primary-result.ts';
import { checkParams } from './tool-params.ts';

let bench: ItemBench;
beforeEach(() => {
  bench = createItemBench();
  bench.write('project/.ai/directives/demo/plan.md', PLAN);
  bench.write('project/.ai/knowledge/demo/rules.md', RULES);
  bench.write('project/.ai/tools/demo/mark.js', MARK);
});
afterEach(() => bench[Symbol.dispose]());

const PLAN = `# Plan

\`\`\`xml
<directive name="plan" version="1">
  <metadata><description>Thinks</description><category>demo</category><author>the bench</author></metadata>
</directive>
\`\`\`

Think.
`;

const RULES = '---\nname: rules\ntitle: Rules\nversion: "1"\n---\nBe kind.\n';

/** Writes its pid into the project; with `stay` it does not end by itself. */
const MARK = `import { writeFileSync } from 'node:fs';
export const __version__ = '1';
export const __tool_type__ = 'javascript';
export const __tool_description__ = 'Leaves a mark';
export const CONFIG_SCHEMA = {
  type: 'object',
  properties: { stay: { type: 'boolean', default: false }, name: { type: 'string', default: 'mark' } },
};
export async function execute({ stay, name }) {
  writeFileSync(name, process.pid + '\\n');
  if (stay) await new Promise(() => setInterval(() => undefined, 1000));
  return name;
}
`;

const echo = (rest: GivenAction = {}): GivenAction => ({ primary: 'execute', item_id: 'test/echo', ...rest });
const marked = (name = 'mark'): boolean => existsSync(join(bench.projectPath, name));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe('A dispatched action', () => {
  test('may name its params either way, and gets them as the tool declares them', async () => {
    const params = { count: '2', data: '{"a":[1]}', source: 'x', other: '5' };
    const input = { count: 2, data: { a: [1] }, source: 'x', other: '5', size: 3 };
    expect(await bench.dispatch(echo({ params }))).toMatchObject({ data: { input } });
    expect(await bench.dispatch(echo({ parameters: params }))).toMatchObject({ data: { input } });
  });

  test('tells a text of XML from one of JSON, where a tool takes others beside texts', async () => {
    expect(await bench.dispatch(echo({ params: { id: '5' } }))).toMatchObject({ data: { input: { id: 5 } } });
    expect(await bench.dispatch(echo({ parameters: { id: '5' } }))).toMatchObject({ data: { input: { id: '5' } } });
    const dry = { parameters: { id: '5' }, dry_run: true };
    expect(await bench.dispatch(echo(dry))).toMatchObject({ data: { parameters: { id: '5' } } });
  });

  test('tells a tool who calls, and nothing that is the runtime’s', async () => {
    const context: DispatchContext = { ...bench.caller(), internal: () => undefined };
    expect(await bench.dispatch(echo(), context)).toMatchObject({
      data: { caller: ['allows', 'callId', 'projectPath', 'signal', 'threadId'] },
    });
  });

  test('whose result is no JSON becomes JSON, or an error', async () => {
    bench[Symbol.dispose]();
    const base = { description: '', inputSchema: { type: 'object' }, idempotent: true };
    const giving = (id: string, value: unknown) => ({
      ...base,
      id,
      run: (_input: unknown, _caller: unknown, done: (outcome: { ok: true; value: unknown }) => void) => {
        done({ ok: true, value });
        return undefined;
      },
    });
    bench = createItemBench({
      registered: [
        giving('test/date', { at: new Date(0), no: undefined }),
        giving('test/none', undefined),
        giving('test/big', 1n),
      ],
    });
    expect(await bench.dispatch({ item_id: 'test/date' })).toMatchObject({ data: { at: '1970-01-01T00:00:00.000Z' } });
    expect(await bench.dispatch({ item_id: 'test/none' })).toMatchObject({ status: 'success', data: null });
    expect(await bench.dispatch({ item_id: 'test/big' })).toMatchObject({ status: 'error', code: 'tool_failed' });
  });

  test('is done in the same tick if nothing has to be waited for', () => {
    const results: PrimaryResult[] = [];
    const running = bench.services.dispatcher.dispatch(echo(), bench.caller(), (result) => results.push(result));
    expect([running, results.length]).toEqual([undefined, 1]);
  });

  test('names in its result what was ignored, also when it failed', async () => {
    expect(await bench.dispatch(echo({ colour: 'red' }))).toMatchObject({
      warnings: [expect.stringContaining('colour')],
    });
    expect(await bench.dispatch({ item_id: 'none', colour: 'red' })).toMatchObject({
      status: 'error',
      warnings: [expect.stringContaining('colour')],
    });
  });

  test.each<[string, unknown, unknown]>([
    ['the id', { primary: 'fly', item_type: 'tool', item_id: 'a/b' }, { type: 'tool', item_id: 'a/b' }],
    ['no id', { primary: 'fly' }, { type: null, item_id: null }],
    ['no kind', { primary: 'load', item_type: 'constructor', item_id: 'a' }, { type: null, item_id: 'a' }],
    ['nothing that is no text', { primary: 'load', item_id: { toString: 1 } }, { type: null, item_id: null }],
  ])('that can’t be read says what is wrong, with %s', async (_, action, subject) => {
    const result = await bench.dispatch(action as GivenAction);
    expect(result).toMatchObject({ status: 'error', code: 'invalid_argument', ...(subject as object) });
  });
});

describe('Nobody but the runtime', () => {
  test.each<[string, GivenAction]>([
    ['as an attribute', echo({ _thread_context: { thread_id: 'thread-1' } })],
    ['as a param', echo({ params: { _thread_context: {} } })],
    ['deep in the params', echo({ params: { data: { list: [{ _thread_context: 1 }] } } })],
    ['in a text that becomes an object', echo({ params: { data: '{"deep":{"_thread_context":{}}}' } })],
    ['in an input of a directive', { item_type: 'directive', item_id: 'demo/plan', params: { _thread_context: {} } }],
    [
      'in an action inside of an action',
      { item_id: 'rye/execute', params: { item_id: 'x', params: { _thread_context: {} } } },
    ],
    ['with a prototype', JSON.parse('{"item_id":"test/echo","params":{"data":{"__proto__":{"a":1}}}}') as GivenAction],
    ['with a prototype in a text', echo({ params: { data: '{"__proto__":{"a":1}}' } })],
  ])('gives a thread context: %s it is refused', async (_, action) => {
    const result = await bench.dispatch(action);
    expect(result).toMatchObject({
      status: 'error',
      code: 'permission_denied',
      error: expect.stringMatching(/_thread_context|__proto__/),
    });
  });

  test('gives it from a file either: the actions of a directive are refused one by one', async () => {
    const actions = `<execute item_id="test/echo"><param name="_thread_context">{}</param></execute>
<execute item_id="test/echo" _thread_context="{}"/>
<execute item_id="test/echo"><param name="data">{"_thread_context": {}}</param></execute>
<search primary="sign" query="kind" item_type="knowledge"/>
<execute item_id="test/echo"><param name="count">{input:n}</param></execute>`;
    bench.write('project/.ai/directives/demo/act.md', `\`\`\`xml\n<directive name="act"/>\n\`\`\`\n${actions}\n`);
    const action = { item_type: 'directive', item_id: 'demo/act', params: { n: 7 } };
    const { data } = (await bench.dispatch(action)) as { readonly data?: { readonly actions: GivenAction[] } };
    const results = await new Promise((resolve) => {
      bench.services.dispatcher.dispatchParallel(data?.actions ?? [], bench.caller(), resolve);
    });
    expect(results).toMatchObject([
      { code: 'permission_denied' },
      { code: 'permission_denied' },
      { code: 'permission_denied' },
      { status: 'success', data: { total: 1 } },
      { status: 'success', data: { input: { count: 7 } } },
    ]);
  });

  test('decides which primary action it is: attributes and params of that name change nothing', async () => {
    expect(await bench.dispatch(echo({ params: { primary: 'sign' } }))).toMatchObject({
      data: { input: { primary: 'sign' } },
    });
    const load = {
      primary: 'load',
      item_type: 'knowledge',
      item_id: 'demo/rules',
      params: { primary: 'sign', params: {} },
    };
    expect(await bench.dispatch(load)).toMatchObject({ status: 'success', data: { content: 'Be kind.' } });
    expect(bench.read('project/.ai/knowledge/demo/rules.md')).not.toContain('rye:signed');
  });

  test.each([['control'], ['emitter'], ['none']])('executes the internal tool %s', async (name) => {
    const result = await bench.dispatch({ item_id: `rye/agent/threads/internal/${name}`, params: { action: 'abort' } });
    expect(result).toMatchObject({
      status: 'error',
      code: 'permission_denied',
      error: expect.stringContaining('hooks'),
    });
  });

  test('executes an internal tool, bound to its thread, with params that fit', async () => {
    const seen: unknown[] = [];
    const inputSchema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    };
    const internal: DispatchContext['internal'] = (id) => ({
      read: (params) => checkParams({ inputSchema }, params),
      run(params, done) {
        seen.push({ id, params });
        done({ ok: true, value: { success: true } });
        return undefined;
      },
    });
    const context = { ...bench.caller(), internal };
    const run = (params: unknown, rest: GivenAction = {}) =>
      bench.dispatch({ item_id: 'rye/agent/threads/internal/x', params, ...rest }, context);
    expect(await run({ n: '4' })).toMatchObject({ status: 'success', type: 'tool', data: { success: true } });
    expect(await run({ n: 4, _thread_context: {} })).toMatchObject({ status: 'error', code: 'permission_denied' });
    expect(await run({})).toMatchObject({ status: 'error', code: 'tool_input_invalid' });
    expect(await run({ n: 4 }, { source: 'project' })).toMatchObject({ status: 'error', code: 'item_not_found' });
    expect(await run({ n: 4 }, { source: 'system', dry_run: true })).toMatchObject({ data: { dry_run: true } });
    expect(await run({ n: 4 }, { dry_run: true })).toMatchObject({ data: { dry_run: true, parameters: { n: 4 } } });
    expect(seen).toEqual([{ id: 'rye/agent/threads/internal/x', params: { n: 4 } }]);
  });

  test('executes an internal tool without the right to it, hook or not', async () => {
    const internal = () => ({ read: () => expect.unreachable(), run: () => expect.unreachable() });
    const context = { ...bench.caller('rye.execute.tool.test.*'), internal };
    const result = await bench.dispatch({ item_id: 'rye/agent/threads/internal/control' }, context);
    expect(result).toMatchObject({
      code: 'permission_denied',
      detail: { capability: 'rye.execute.tool.rye.agent.threads.internal.control' },
    });
  });
});

describe('Capabilities', () => {
  const kinds = { directive: 'demo/plan', tool: 'demo/mark', knowledge: 'demo/rules' };
  const items = Object.entries(kinds);
  const needed = { execute: 'execute', load: 'load', sign: 'sign', fetch: 'load' };
  const cases = PRIMARY_ACTIONS.flatMap((primary) =>
    primary === 'search' ? [] : items.map(([kind, id]) => [primary, kind, id, needed[primary]] as const),
  );

  test.each(cases)(
    '%s of a %s needs the right to it, also for a dry run',
    async (primary, item_type, item_id, right) => {
      const capability = `rye.${right}.${item_type}.${item_id.replace('/', '.')}`;
      const others = PRIMARY_ACTIONS.filter(
        (other) => other !== primary && !(right === 'load' && ['fetch', 'load'].includes(other)),
      );
      const context = bench.caller(
        ...others.map((other) => `rye.${other}.${item_type}.*`),
        `rye.${right}.${item_type}.other`,
      );
      for (const dry_run of [false, true]) {
        const denied = await bench.dispatch({ primary, item_type, item_id, dry_run }, context);
        // A search covers a fetch only where there is a query.
        expect(denied).toMatchObject({
          status: 'error',
          type: item_type,
          item_id,
          code: 'permission_denied',
          detail: { capability },
        });
      }
      expect(marked()).toBe(false);
      expect(await bench.dispatch({ primary, item_type, item_id }, bench.caller(capability))).toMatchObject({
        status: 'success',
      });
    },
  );

  test.each([
    ['fetch', 'load'],
    ['load', 'fetch'],
    ['fetch', 'fetch'],
    ['load', 'load'],
  ])('%s by id is covered by %s', async (primary, right) => {
    const action = { primary, item_type: 'knowledge', item_id: 'demo/rules' };
    expect(await bench.dispatch(action, bench.caller(`rye.${right}.knowledge.*`))).toMatchObject({ status: 'success' });
  });

  test.each([
    ['fetch', 'search'],
    ['search', 'fetch'],
    ['search', 'search'],
  ])('%s by query is covered by %s', async (primary, right) => {
    const action = { primary, item_type: 'knowledge', query: 'kind' };
    expect(await bench.dispatch(action, bench.caller(`rye.${right}.knowledge.*`))).toMatchObject({ status: 'success' });
  });

  test('a copy needs the right to sign as well', async () => {
    const action = { primary: 'load', item_type: 'knowledge', item_id: 'demo/rules', destination: 'user' };
    const denied = await bench.dispatch(action, bench.caller('rye.load.*', 'rye.fetch.*', 'rye.sign.tool.*'));
    expect(denied).toMatchObject({
      code: 'permission_denied',
      detail: { capability: 'rye.sign.knowledge.demo.rules' },
    });
    const allowed = bench.caller('rye.load.*', 'rye.sign.knowledge.demo.*');
    expect(await bench.dispatch(action, allowed)).toMatchObject({ status: 'success' });
  });

  test('an unreadable id is refused before any right is looked for', async () => {
    const asked: unknown[] = [];
    const context = { ...bench.caller(), allows: (...question: unknown[]) => asked.push(question) > 0 };
    expect(await bench.dispatch({ item_id: '../x' }, context)).toMatchObject({ code: 'item_id_refused' });
    expect(asked).toEqual([]);
  });
});

describe('A dry run', () => {
  test('of a tool says what would run, with the input it would get, and starts nothing', async () => {
    const result = await bench.dispatch({ item_id: 'demo/mark', params: { stay: 'true' }, dry_run: 'true' });
    expect(result).toMatchObject({
      status: 'success',
      data: {
        dry_run: true,
        parameters: { stay: true, name: 'mark' },
        chain: [
          { item_id: 'demo/mark' },
          { item_id: 'rye/core/runtimes/node_runtime' },
          { item_id: 'rye/core/primitives/subprocess' },
        ],
        primitive: 'subprocess',
        would_run: { command: expect.arrayContaining([expect.any(String)]) },
      },
    });
    expect(marked()).toBe(false);
  });

  test('of a tool that is no file’s starts nothing either', async () => {
    const result = await bench.dispatch({ item_id: 'test/slow', params: { name: 'a' }, dry_run: true });
    expect(result).toMatchObject({ data: { dry_run: true, parameters: { name: 'a' }, chain: [] } });
    expect(bench.slow.calls).toEqual([]);
  });

  test.each<[string, GivenAction, string]>([
    ['an input that does not fit', { item_id: 'demo/mark', params: { name: 5 } }, 'tool_input_invalid'],
    ['a missing tool', { item_id: 'demo/none' }, 'item_not_found'],
    ['a broken chain', { item_id: 'demo/broken' }, 'item_not_found'],
    ['missing inputs', { item_type: 'directive', item_id: 'demo/needy' }, 'missing_input'],
  ])('says of %s what the real thing would say', async (_, action, code) => {
    bench.write('project/.ai/tools/demo/broken.js', `${MARK}export const __executor_id__ = 'none';\n`);
    bench.write(
      'project/.ai/directives/demo/needy.md',
      '```xml\n<directive name="needy"><inputs><input name="a" required="true"/></inputs></directive>\n```\nGo.\n',
    );
    expect(await bench.dispatch({ ...action, dry_run: true })).toMatchObject({ status: 'error', code });
    expect(await bench.dispatch(action)).toMatchObject({ status: 'error', code });
  });

  test.each([['execute'], ['load']])('of %s on a directive and on knowledge reads them', async (primary) => {
    for (const [item_type, item_id] of [
      ['directive', 'demo/plan'],
      ['knowledge', 'demo/rules'],
    ]) {
      expect(await bench.dispatch({ primary, item_type, item_id, dry_run: true })).toMatchObject({
        status: 'success',
        data: { dry_run: true },
      });
    }
  });

  test('of a signature says what is missing, and signs nothing', async () => {
    bench.write('project/.ai/knowledge/demo/bare.md', 'Bare.\n');
    const check = (item_id: string) =>
      bench.dispatch({ primary: 'sign', item_type: 'knowledge', item_id, dry_run: true });
    const data = { dry_run: true, signed: false, source: 'project', problems: [] };
    expect(await check('demo/rules')).toMatchObject({ data });
    expect(await check('demo/bare')).toMatchObject({
      data: { problems: [expect.stringMatching(/^the field "title": /)] },
    });
    expect(readdirSync(join(bench.projectPath, '.ai/knowledge/demo')).toSorted()).toEqual(['bare.md', 'rules.md']);
    expect(bench.read('project/.ai/knowledge/demo/rules.md')).not.toContain('rye:signed');
  });
});

describe('An aborted action', () => {
  test('ends its process, and is never done', async () => {
    const results: PrimaryResult[] = [];
    const action = { item_id: 'demo/mark', params: { stay: true } };
    const running = bench.services.dispatcher.dispatch(action, bench.caller(), (result) => results.push(result));
    const file = join(bench.projectPath, 'mark');
    await until(() => pidIn(file) !== undefined);
    running?.abort();
    await until(() => hasEnded(pidIn(file) ?? 0));
    expect(results).toEqual([]);
  });

  test('that searches is never done', async () => {
    const results: PrimaryResult[] = [];
    const search = { primary: 'search', query: 'kind' };
    bench.services.dispatcher.dispatch(search, bench.caller(), (result) => results.push(result))?.abort();
    expect(await bench.dispatch(search)).toMatchObject({ status: 'success' });
    expect(results).toEqual([]);
  });
});

describe('Actions side by side', () => {
  const slow = (name: string): GivenAction => ({ item_id: 'test/slow', params: { name } });
  const start = (actions: readonly GivenAction[], context = bench.caller()) => {
    const results: (readonly PrimaryResult[])[] = [];
    const running = bench.services.dispatcher.dispatchParallel(actions, context, (all) => results.push(all));
    return { results, running };
  };

  test('are all started at once, and their results come in their order', () => {
    const { results, running } = start([slow('a'), echo(), slow('b'), slow('c')]);
    expect(bench.slow.calls).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    for (const call of [2, 0]) bench.slow.finish(call);
    expect([running !== undefined, results]).toEqual([true, []]);
    bench.slow.finish(1);
    expect(results).toMatchObject([
      [
        { data: { was: { name: 'a' } } },
        { item_id: 'test/echo' },
        { data: { was: { name: 'b' } } },
        { data: { was: { name: 'c' } } },
      ],
    ]);
  });

  test('go on when one of them fails', () => {
    const { results } = start([
      { primary: 'fly' },
      slow('a'),
      { item_id: 'none' },
      { item_id: 'x', _thread_context: 1 },
    ]);
    bench.slow.finish(0);
    const shapes = [
      { code: 'invalid_argument' },
      { status: 'success' },
      { code: 'item_not_found' },
      { code: 'permission_denied' },
    ];
    expect(results).toMatchObject([shapes]);
  });

  test('are each checked for their own right', () => {
    const { results } = start([echo(), slow('a')], bench.caller('rye.execute.tool.test.echo'));
    expect(results).toMatchObject([[{ status: 'success' }, { code: 'permission_denied' }]]);
    expect(bench.slow.calls).toEqual([]);
  });

  test('end together: what is done stays done, the rest is aborted, and nothing more is said', () => {
    const { results, running } = start([slow('a'), slow('b'), slow('c')]);
    bench.slow.finish(1);
    running?.abort();
    for (const call of [0, 2]) bench.slow.finish(call);
    expect(bench.slow.aborted).toEqual([0, 2]);
    expect(results).toEqual([]);
  });

  test('that are none are done at once', () => {
    expect(start([])).toEqual({ results: [[]], running: undefined });
  });

  test('that are all done in the same tick leave nothing to abort', () => {
    const { results, running } = start([echo(), echo()]);
    expect([results.length, results[0]?.length, running]).toEqual([1, 2, undefined]);
  });

  test('run as real processes, in their order', async () => {
    const actions = ['one', 'two', 'three'].map((name) => ({ item_id: 'demo/mark', params: { name } }));
    const results = await new Promise<readonly PrimaryResult[]>((resolve) => {
      bench.services.dispatcher.dispatchParallel(actions, bench.caller(), resolve);
    });
    expect(results).toMatchObject([{ data: 'one' }, { data: 'two' }, { data: 'three' }]);
    expect(['one', 'two', 'three'].map(marked)).toEqual([true, true, true]);
  });
});
