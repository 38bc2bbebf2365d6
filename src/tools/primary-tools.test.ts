import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PRIMARY_ACTIONS } from '../core/item.ts';
import type { Tool, ToolCaller, ToolOutcome } from '../core/tool.ts';
import { createItemBench, type ItemBench } from './fixtures/item-bench.ts';
import { buildPalette } from './palette.ts';
import { offersPrimary, primaryOfTool, primaryToolId } from './primary-offer.ts';
import { createPrimaryTools } from './primary-tools.ts';
import { renderOutcome } from './render-outcome.ts';

let bench: ItemBench;
let tools: readonly Tool[];
beforeEach(() => {
  bench = createItemBench();
  bench.write('project/.ai/knowledge/demo/rules.md', '---\nname: rules\ntitle: Rules\nversion: "1"\n---\nBe kind.\n');
  bench.write('project/.ai/directives/demo/needy.md', NEEDY);
  tools = createPrimaryTools(bench.services.dispatcher);
});
afterEach(() => bench[Symbol.dispose]());

const NEEDY = `\`\`\`xml
<directive name="needy"><inputs><input name="who" required="true">Whom to ask</input></inputs></directive>
\`\`\`
Ask {input:who}.
`;

type Input = Readonly<Record<string, unknown>>;

const call = (name: string, input: Input, caller: ToolCaller = bench.caller()): Promise<ToolOutcome> =>
  new Promise((resolve) => {
    const tool = tools.find(({ id }) => id === `rye/${name}`);
    if (tool) tool.run(input, caller, resolve);
    else expect.unreachable(`there is no ${name}`);
  });

describe('The primary tools', () => {
  test('are one for each primary action', () => {
    expect(tools.map(({ id }) => id).toSorted()).toEqual(PRIMARY_ACTIONS.map(primaryToolId).toSorted());
    expect(tools.every(({ description }) => description.length > 40)).toBe(true);
  });

  test.each<[string, Input, unknown]>([
    ['execute', { item_id: 'test/echo', parameters: { count: 4 } }, { data: { input: { count: 4 } } }],
    [
      'execute',
      { item_type: 'directive', item_id: 'demo/needy', parameters: { who: 'Ada' } },
      { data: { body: 'Ask Ada.\n' } },
    ],
    ['search', { query: 'kind', item_type: 'knowledge', limit: 1 }, { data: { results: [{ item_id: 'demo/rules' }] } }],
    ['load', { item_type: 'knowledge', item_id: 'demo/rules' }, { data: { content: 'Be kind.' } }],
    [
      'load',
      { item_type: 'knowledge', item_id: 'demo/rules', destination: 'user' },
      { data: { copy: { destination: 'user' } } },
    ],
    ['sign', { item_type: 'knowledge', item_id: 'demo/rules' }, { data: { signed: true } }],
    ['fetch', { item_type: 'knowledge', item_id: 'demo/rules' }, { data: { content: 'Be kind.' } }],
    ['fetch', { query: 'kind' }, { data: { results: [{ item_id: 'demo/rules' }] } }],
  ])('%s gives the result of the action as its value: %j', async (name, input, value) => {
    expect(await call(name, input)).toMatchObject({ ok: true, value: { status: 'success', ...(value as object) } });
  });

  test.each<[string, Input, string, RegExp]>([
    ['execute', {}, 'tool_input_invalid', /item_id/],
    ['execute', { item_id: 'test/echo', primary: 'sign' }, 'tool_input_invalid', /primary/],
    ['execute', { item_id: 'test/echo', _thread_context: {} }, 'permission_denied', /_thread_context/],
    ['execute', { item_id: 'test/echo', parameters: { _thread_context: {} } }, 'permission_denied', /_thread_context/],
    ['execute', { item_id: 'rye/agent/threads/internal/control' }, 'permission_denied', /hooks/],
    ['execute', { item_id: 'none' }, 'item_not_found', /none/],
    ['search', { query: 'a', source: 'home' }, 'tool_input_invalid', /source/],
    ['load', { item_type: 'knowledge', item_id: 'x', destination: 'system' }, 'tool_input_invalid', /destination/],
    ['sign', { item_type: 'tool', item_id: 'x', source: 'system' }, 'tool_input_invalid', /source/],
    ['fetch', { item_id: 'a', query: 'b' }, 'invalid_argument', /not both/],
    ['fetch', {}, 'invalid_argument', /item_id.*query/],
    ['fetch', { item_type: 'tool', item_id: 'x', destination: 'user' }, 'tool_input_invalid', /destination/],
  ])('%s fails as a tool does when the action fails: %j', async (name, input, code, message) => {
    const outcome = await call(name, input);
    expect(outcome).toMatchObject({ ok: false, failure: { code } });
    expect(renderOutcome(outcome)).toMatch(message);
  });

  test('tell a model the inputs of a directive that it left out', async () => {
    const outcome = await call('execute', { item_type: 'directive', item_id: 'demo/needy' });
    expect(renderOutcome(outcome)).toMatch(/missing_input.*who.*Whom to ask/);
  });

  test('have the rights of their caller, also where one calls another', async () => {
    const caller = bench.caller('rye.execute.tool.rye.*', 'rye.execute.tool.test.slow');
    const inner = { item_id: 'test/echo' };
    expect(await call('execute', inner, caller)).toMatchObject({ failure: { code: 'permission_denied' } });
    expect(await call('sign', { item_type: 'knowledge', item_id: 'demo/rules' }, caller)).toMatchObject({ ok: false });
    expect(bench.read('project/.ai/knowledge/demo/rules.md')).not.toContain('rye:signed');
  });

  test('can be aborted', () => {
    const execute = tools.find(({ id }) => id === 'rye/execute');
    const outcomes: ToolOutcome[] = [];
    const running = execute?.run({ item_id: 'test/slow' }, bench.caller(), (outcome) => outcomes.push(outcome));
    running?.abort();
    expect([bench.slow.aborted, outcomes]).toEqual([[0], []]);
  });

  test('are offered with the tools they can call, by what a thread may do', () => {
    const chain = [['rye.execute.tool.test.*', 'rye.load.knowledge.*']];
    const { definitions } = buildPalette({
      tools,
      allows: (id) => {
        const primary = primaryOfTool(id);
        return primary !== undefined && offersPrimary(primary, chain);
      },
      capabilityPatterns: chain.flat(),
      enabled: false,
      maxTokens: 0,
    });
    expect(definitions.map(({ name }) => name)).toEqual(['rye_execute', 'rye_fetch', 'rye_load']);
  });
});
