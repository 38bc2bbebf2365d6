import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Tool } from '../../core/tool.ts';
import { createItemBench, type ItemBench } from '../../tools/fixtures/item-bench.ts';
import { NO_SERVERS } from '../../tools/fixtures/mcp-bench.ts';
import { executeTool } from '../../tools/primary-execute.ts';
import type { PrimaryResult } from '../../tools/primary-result.ts';
import { createPrimaryTools } from '../../tools/primary-tools.ts';
import { createThreadTools } from './thread-tools.ts';
import { createToolShelf, type ToolShelf } from './tool-shelf.ts';

const TOOL = "export const __version__ = '1.0.0';\nexport const __tool_description__ = 'Tells';\n";
const PRICE: Tool = {
  id: 'app/price',
  description: 'Registered',
  inputSchema: { type: 'object' },
  idempotent: true,
  run: () => undefined,
};

let bench: ItemBench;
let shelf: ToolShelf;
beforeEach(() => {
  bench = createItemBench();
  const { items, tools: files, spaces, dispatcher } = bench.services;
  const threadTools = createThreadTools(items);
  const primaryTools = createPrimaryTools(dispatcher);
  shelf = createToolShelf({ files, spaces, threadTools, primaryTools, mcp: NO_SERVERS, onProblem: () => undefined });
  shelf.add([PRICE]);
});
afterEach(() => bench[Symbol.dispose]());

describe('A file with dots in its id, where capabilities have a slash,', () => {
  test.each(['mcp.tickets.close', 'app.price', 'rye.agent.threads.thread_directive'])(
    'does not have the rights of another tool: %s',
    (id) => {
      bench.write(`project/.ai/tools/${id}.js`, `${TOOL}export const CONFIG_SCHEMA = { type: 'object' };\n`);
      expect(shelf.all().map((tool) => tool.id)).not.toContain(id);
      for (const source of [undefined, 'project'] as const) {
        expect(() => shelf.find(id, source)).toThrowError(expect.objectContaining({ code: 'item_id_refused' }));
      }
    },
  );

  test.each([undefined, 'project'] as const)('is not executed under its rights, from the space %s', (source) => {
    bench.write('project/.ai/tools/app.price.js', `${TOOL}export const CONFIG_SCHEMA = { type: 'object' };\n`);
    const done = vi.fn<(result: PrimaryResult) => void>();
    const item = { kind: 'tool', id: 'app.price', source, dryRun: true } as const;
    const request = { ...item, primary: 'execute', params: {}, form: 'json' } as const;
    const services = { registered: (id: string) => shelf.registered(id), files: bench.services.tools };
    executeTool({ request, caller: bench.caller() }, services, done);
    expect(done).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'item_id_refused' }));
  });

  test('is a tool as any other else', () => {
    bench.write('project/.ai/tools/app.cost.js', `${TOOL}export const CONFIG_SCHEMA = { type: 'object' };\n`);
    expect(shelf.all().map((tool) => tool.id)).toContain('app.cost');
    expect(shelf.find('app.cost').description).toBe('Tells');
  });
});

test.each(['mcp.tickets.close', 'rye.execute', 'rye.agent.threads.new'])('Nobody registers %s', (id) => {
  expect(() => shelf.add([{ ...PRICE, id }])).toThrowError(expect.objectContaining({ code: 'invalid_argument' }));
});
