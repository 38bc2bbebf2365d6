import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Runtime, RuntimeOptions } from '../src/index.ts';
import { estimateTextTokens } from '../src/providers/pricing.ts';
import { startLlmServer, type LlmServer } from '../src/testing.ts';
import { call, project, type Project } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { tiersOptions } from './fixtures/tiers-options.ts';
import { wireBlocks } from './fixtures/wire-blocks.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** What the cache of this model keeps at the least (config/cache_limits.yaml). */
const MODEL = 'claude-haiku-4-5';
const MINIMUM = 4096;
/** The frames of messages are counted as well: this near to the minimum it is either. */
const NEAR = 0.05;
const TURNS = 16;

let made: Project;
let server: LlmServer;
let runtime: Runtime;

beforeAll(async () => {
  made = project({ talks: { tools: ['app/note'] }, large: { tools: ['app/note'], body: 'word '.repeat(3000) } });
  const says = Array.from({ length: TURNS }, (_, at) => ({ ...call('app_note'), directive: 'talks', turn: at + 1 }));
  const rules = [...says, { directive: 'talks', text: 'That is all.' }, { directive: 'large', text: 'Read.' }];
  server = await startLlmServer({ script: { rules } });
  const { createRuntime } = await importSkein();
  runtime = await createRuntime(options());
  await runtime.registerTool({
    id: 'app/note',
    description: 'notes',
    input: z.object({}),
    run: () => 'noted and noted '.repeat(60),
  });
});

afterAll(async () => {
  await runtime.close({ graceMs: 0 });
  await server.close();
  made[Symbol.dispose]();
});

function options(): RuntimeOptions {
  return tiersOptions({ project: made.path, origin: server.origin, model: MODEL });
}

type Measured = { readonly tokens: number; readonly marks: number };

/** Tokens of all that stands in front of the prompt, as its model's counter counts them, and the number of marks. */
function measure(body: unknown): Measured {
  const { tools = [] } = body as { readonly tools?: readonly unknown[] };
  const blocks = wireBlocks(body);
  const texts = blocks.map(({ text }) => text);
  const before = texts.at(-1)?.includes('<directive ') ? texts.slice(0, -1) : texts;
  return {
    tokens: [JSON.stringify(tools), ...before].reduce((sum, text) => sum + estimateTextTokens(text), 0),
    marks: blocks.filter(({ isMarked }) => isMarked).length,
  };
}

async function run(directive: string): Promise<readonly Measured[]> {
  const before = server.requests().length;
  expect(await (await runtime.spawn(directive)).result).toMatchObject({ status: 'completed' });
  return server
    .requests()
    .slice(before)
    .map(({ body }) => measure(body));
}

test('Marks come as soon as the prompt is what the provider keeps at the least, wherever its tokens stand, and not before', async () => {
  const requests = await run('talks');
  const clear = requests.filter(({ tokens }) => Math.abs(tokens - MINIMUM) > NEAR * MINIMUM);
  expect(clear.map(({ marks }) => marks > 0)).toEqual(clear.map(({ tokens }) => tokens > MINIMUM));
  expect(clear.filter(({ marks }) => marks === 0).length).toBeGreaterThan(2);
  expect(clear.filter(({ marks }) => marks > 0).length).toBeGreaterThan(5);
});

test('A prompt that is long by itself gets no mark in front of it: that would keep too little', async () => {
  expect(await run('large')).toMatchObject([{ marks: 0 }]);
});

test('skein prompt shows the same: no mark where too little stands before the prompt, one where enough does', async () => {
  const { workers: _, ...rest } = options();
  const { previewPrompt } = await importSkein();
  const marksOf = async (): Promise<number> => {
    const { tiers } = await previewPrompt('talks', {}, rest);
    return tiers?.messages.filter(({ isMarked }) => isMarked).length ?? Number.NaN;
  };
  expect(await marksOf()).toBe(0);
  // The list of files stands in no tier.
  for (let at = 0; at < 300; at++) made.write(`docs/a-rather-long-name-of-a-page-of-the-manual-${at}.txt`, 'x');
  expect(await marksOf()).toBe(1);
});
