import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, give, project, SPAWN, startOn, starterOf, type Part, type Project } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';

const echo = (text: string, tokens = 100): Part['says'][number] => ({
  ...call('app_echo', { text }),
  usage: { input_tokens: tokens, output_tokens: 10 },
});
const LIMITS = { tokens: 10_000_000, spend: 1 };
const PARTS: Record<string, Part> = {
  plain: { outputs: ['note'], limits: { ...LIMITS, spawns: 0 }, says: [echo('a'), give({ note: 'done' })] },
  long: { limits: { ...LIMITS, spawns: 0 }, says: [echo('a', 120_000), echo('b', 100), { text: 'at last' }] },
  limited: { limits: { ...LIMITS, turns: 1, spawns: 0 }, says: [echo('a')] },
  tree: starterOf(['plain', 'limited'], call(SPAWN, { directive_name: 'plain' }), { text: 'all done' }),
};

let made: Project;
const ids: Record<string, string> = {};

beforeAll(async () => {
  made = project(PARTS);
  await using runtime = await startOn(made, PARTS);
  await runtime.registerTool({
    id: 'app/echo',
    description: 'Says it again',
    input: (await import('zod')).z.object({ text: (await import('zod')).z.string() }),
    run: ({ text }) => text,
  });
  for (const id of Object.keys(PARTS)) {
    const thread = await runtime.spawn(id);
    ids[id] = thread.id;
    console.log(id, (await runtime.waitAll([thread.id]))[0]);
  }
});

afterAll(() => made[Symbol.dispose]());

test('clean', async () => {
  const { doctor } = await importSkein();
  const report = await doctor({ project: made.path, env: {} });
  console.log(report);
  expect(report.findings).toEqual([]);
});
describe('x', () => {});
