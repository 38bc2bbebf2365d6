import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compileCapabilities } from '../../items/capability.ts';
import { createItemBench, type ItemBench } from '../../tools/fixtures/item-bench.ts';
import { NO_SERVERS } from '../../tools/fixtures/mcp-bench.ts';
import { buildPalette } from '../../tools/palette.ts';
import { offersPrimary, primaryOfTool } from '../../tools/primary-offer.ts';
import { createPrimaryTools } from '../../tools/primary-tools.ts';
import type { ThreadPlan } from '../plan/plan.ts';
import { isThreadTool } from './thread-tool.ts';
import { isContextTool } from './context-tools.ts';
import { createThreadTools } from './thread-tools.ts';
import { createToolRequests, type ToolRequest, type ToolRequests } from './tool-requests.ts';
import { createToolShelf, type ToolShelf } from './tool-shelf.ts';

type Params = Readonly<Record<string, unknown>>;

const RETURN = 'rye_agent_threads_directive_return';
const SPAWN = 'rye/agent/threads/thread_directive';
const TOOL = "export const __version__ = '1.0.0';\nexport const __tool_description__ = 'Tells';\n";

let bench: ItemBench;
let shelf: ToolShelf;
let requests: ToolRequests;
beforeEach(() => {
  bench = createItemBench();
  bench.write('project/.ai/tools/demo/tell.js', `${TOOL}${schema({ n: { type: 'integer' } })}`);
  const { items, tools: files, spaces, dispatcher } = bench.services;
  const threadTools = createThreadTools(items);
  const primaryTools = createPrimaryTools(dispatcher);
  shelf = createToolShelf({ files, spaces, threadTools, primaryTools, mcp: NO_SERVERS, onProblem: () => undefined });
  requests = createToolRequests({ tools: shelf, threadTools, primaryTools });
});
afterEach(() => bench[Symbol.dispose]());

describe('A call by a name', () => {
  test('is one of the tool of that name', () => {
    const request = read('demo_tell', { n: 4 });
    expect(request).toMatchObject({ name: 'demo_tell', input: { n: 4 }, subject: undefined });
    expect(toolOf(request)).toBe('demo/tell');
  });

  test('of directive_return needs no capability', () => {
    expect(toolOf(read(RETURN, { a: 1 }, []))).toBe('rye/agent/threads/directive_return');
  });

  test.each([
    ['no_such_tool', 'tool_unknown'],
    ['demo_tell', 'permission_denied'],
    ['rye_execute', 'permission_denied'],
    ['rye_agent_threads_internal_control', 'tool_unknown'],
  ])('of %s without the right to it fails with %s', (name, code) => {
    expect(toolOf(read(name, {}, []))).toBe(code);
  });
});

describe('A call of rye_execute', () => {
  test('is one of the tool it names, with the params as that takes them', () => {
    const request = execute({ item_id: 'demo/tell', parameters: { n: '4' } });
    expect(request).toMatchObject({
      name: 'demo_tell',
      input: { n: 4 },
      subject: { type: 'tool', item_id: 'demo/tell' },
    });
    expect(toolOf(request)).toBe('demo/tell');
    expect(request.call).toMatchObject({
      name: 'rye_execute',
      input: { item_id: 'demo/tell', parameters: { n: '4' } },
    });
  });

  test('reaches the tools that are about the thread as what they are', () => {
    const { tool } = execute({ item_type: 'tool', item_id: SPAWN, parameters: { directive_name: 'a' } });
    expect(tool.ok && isThreadTool(tool.value)).toBe(true);
  });

  test.each([
    ['some tools', ['rye.execute.tool.demo.*']],
    ['no tool, so that it is not offered', ['rye.load.knowledge.*']],
    ['nothing', []],
  ])('reaches directive_return, which is always allowed, also in a thread that may execute %s', (_name, rights) => {
    const input = { item_id: 'rye/agent/threads/directive_return', parameters: { a: 1 } };
    const request = execute(input, rights);
    expect(request).toMatchObject({ name: RETURN, input: { a: 1 } });
    expect(toolOf(request)).toBe('rye/agent/threads/directive_return');
  });

  test('reaches a tool that is younger than the palette', () => {
    const plan = planWith(['*']);
    bench.write('project/.ai/tools/demo/young-one.js', TOOL);
    const request = requests.read({ id: '1', name: 'rye_execute', input: { item_id: 'demo/young-one' } }, plan);
    expect([request.name, toolOf(request)]).toEqual(['demo_young_one', 'demo/young-one']);
  });

  test.each<[string, Params, readonly string[], string]>([
    ['one that may not be called', { item_id: 'demo/tell' }, ['rye.execute.tool.other'], 'permission_denied'],
    ['one, where none may be called', { item_id: 'demo/tell' }, [], 'permission_denied'],
    ['a directive, where nothing may be', { item_type: 'directive', item_id: 'a' }, [], 'permission_denied'],
    [
      'directive_return, only to be described, where nothing may be called',
      { item_id: 'rye/agent/threads/directive_return', dry_run: true },
      [],
      'permission_denied',
    ],
    ['one that is not there', { item_id: 'demo/none' }, ['*'], 'item_not_found'],
    ['text that fits no type', { item_id: 'demo/tell', parameters: { n: 'many' } }, ['*'], 'tool_input_invalid'],
  ])('of %s fails as the action would: %j', (_name, input, capabilities, code) => {
    expect(toolOf(execute(input, capabilities))).toBe(code);
  });

  test.each<[string, Params]>([
    ['a directive', { item_type: 'directive', item_id: 'demo/tell' }],
    ['knowledge', { item_type: 'knowledge', item_id: 'demo/tell' }],
    ['a tool, only to be described', { item_id: 'demo/tell', dry_run: true }],
    ['an internal tool', { item_id: 'rye/agent/threads/internal/control', parameters: { action: 'fail' } }],
    ['nothing', {}],
    ['an id that leaves its space', { item_id: '../tell' }],
    ['a name it does not know', { item_id: 'demo/tell', color: 'red' }],
    ['a reserved name', { item_id: 'demo/tell', parameters: { _thread_context: {} } }],
  ])('with %s stays one of rye_execute: %j', (_name, input) => {
    const request = execute(input);
    expect(request).toMatchObject({ name: 'rye_execute', input, subject: undefined });
    expect(toolOf(request)).toBe('rye/execute');
  });
});

describe('The tool shelf', () => {
  test('has the primary actions and the thread tools, and no internal tool and no directive_return', () => {
    const ids = shelf.all().map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['rye/execute', 'rye/fetch', SPAWN, 'rye/agent/threads/orchestrator']));
    expect(ids.filter((id) => id.includes('/internal/') || id.endsWith('directive_return'))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('lets no file take the place of a thread tool or stand among the internal ones, and names one that tries', () => {
    const threads = 'project/.ai/tools/rye/agent/threads';
    bench.write(`${threads}/orchestrator.js`, TOOL);
    bench.write(`${threads}/internal/mine.js`, TOOL);
    const shadow = bench.write(
      `${threads}/thread_directive.yaml`,
      'tool_type: thread\nexecutor_id: rye/core/primitives/thread\ndescription: Mine\nversion: "1"\n',
    );
    const { items, tools: files, spaces, dispatcher } = bench.services;
    const problems: unknown[] = [];
    const own = createToolShelf({
      files,
      spaces,
      threadTools: createThreadTools(items),
      primaryTools: createPrimaryTools(dispatcher),
      mcp: NO_SERVERS,
      onProblem: ({ where }) => problems.push(where?.file),
    });
    const found = [...own.all(), ...own.all()].filter(
      ({ id }) => id.startsWith('rye/agent/threads/') && !isContextTool(id),
    );
    expect(found.map(({ id }) => id)).toEqual([
      SPAWN,
      'rye/agent/threads/orchestrator',
      SPAWN,
      'rye/agent/threads/orchestrator',
    ]);
    expect(found.every(isThreadTool)).toBe(true);
    expect(found[0]?.description).not.toBe('Mine');
    expect(own.find(SPAWN)).toBe(found[0]);
    expect(problems).toEqual([shadow, expect.stringContaining('orchestrator.js')]);
  });

  test('takes registered tools, which hide files of the same id', () => {
    const tool = shelf.all().find(({ id }) => id === 'demo/tell');
    if (!tool) throw new Error('There is no demo/tell');
    const other = { ...tool, description: 'Registered' };
    shelf.add([other]);
    expect(shelf.all().filter(({ id }) => id === 'demo/tell')).toEqual([other]);
    expect([shelf.find('demo/tell'), shelf.registered('demo/tell')]).toEqual([other, other]);
    expect(shelf.find('demo/tell', 'project').description).toBe('Tells');
    expect(shelf.version()).toBe(1);
  });

  test.each(['rye/execute', 'rye/fetch', SPAWN, 'rye/agent/threads/internal/control', 'rye/agent/threads/new'])(
    'lets nobody register %s',
    (id) => {
      const [tool] = shelf.all();
      const add = (): void => tool && shelf.add([{ ...tool, id }]);
      expect(add).toThrowError(expect.objectContaining({ code: 'invalid_argument' }));
      expect(shelf.version()).toBe(0);
    },
  );
});

function schema(properties: Params): string {
  return `export const CONFIG_SCHEMA = ${JSON.stringify({ type: 'object', properties })};\n`;
}

function read(name: string, input: Params, capabilities: readonly string[] = ['*']): ToolRequest {
  return requests.read({ id: 'call-1', name, input }, planWith(capabilities));
}

function execute(input: Params, capabilities: readonly string[] = ['*']): ToolRequest {
  return read('rye_execute', input, capabilities);
}

/** Id of the tool that runs, or the code of the failure. */
function toolOf({ tool }: ToolRequest): string {
  return tool.ok ? tool.value.id : tool.failure.code;
}

function planWith(patterns: readonly string[]): ThreadPlan {
  const capabilities = compileCapabilities(patterns);
  const allows: ThreadPlan['allows'] = (...question) => capabilities.allows(...question);
  const palette = buildPalette({
    tools: shelf.all(),
    allows: (id) => {
      const primary = primaryOfTool(id);
      return primary ? offersPrimary(primary, [patterns]) : allows('execute', 'tool', id);
    },
    maxTokens: 10_000,
    enabled: true,
    capabilityPatterns: patterns,
  });
  // Of a plan, only palette and rights are looked at.
  return { palette, allows } as unknown as ThreadPlan;
}
