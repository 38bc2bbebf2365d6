import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { EventPayloads, EventType } from '../src/core/events.ts';
import { usdToNano } from '../src/core/money.ts';
import { call, scene, SPAWN, type Part, type Project, type Scene, type SceneOptions } from './fixtures/scene.ts';

/** A call after which the model reports so many tokens; the scripted model's window has 128,000. */
const echo = (text: string, tokens: number): Part['says'][number] => ({
  ...call('app_echo', { text }),
  usage: { input_tokens: tokens, output_tokens: 10 },
});
const FULL = 120_000;
const LIMITS = { spawns: 0, tokens: 10_000_000, spend: 100 };

const PARTS: Record<string, Part> = {
  three: {
    limits: LIMITS,
    says: [echo('a', FULL), echo('b', FULL), echo('c', FULL), { text: 'I see ${calls}', usage: { input_tokens: 9 } }],
  },
  parent: {
    limits: { tokens: 10_000_000, spend: 1000 },
    says: [call(SPAWN, { directive_name: 'three' }), { text: 'It said ${last.result.result}' }],
  },
};

let it: Scene;

beforeAll(async () => {
  it = await starting();
});

afterAll(() => it[Symbol.asyncDispose]());

describe('A thread whose conversation is full', () => {
  test('hands over, as often as it must, with every counter and all of its money', async () => {
    const handle = await it.runtime.spawn('three');
    const { status, text, cost } = await handle.result;
    expect({ status, turns: cost.turns, tokens: cost.inputTokens }).toEqual({
      status: 'completed',
      turns: 4,
      tokens: 3 * FULL + 9,
    });
    expect(text).toContain('"text":"c"');
    const ids = await chain(it, handle.id);
    expect(ids).toHaveLength(4);
    const rows = ids.map((id) => it.project.row(id));
    expect(rows.map((row) => row?.status)).toEqual(['continued', 'continued', 'continued', 'completed']);
    expect(rows.map((row) => row?.cost.turns)).toEqual([1, 2, 3, 4]);
    const spent = ids.flatMap((id) => payloads(it.project, id, 'usage')).reduce((sum, one) => sum + one.spend, 0);
    expect(it.project.ledger(ids.at(-1) ?? '')).toMatchObject({ actual: usdToNano(spent), committed: usdToNano(spent) });
    expect(usdToNano(cost.spend)).toBe(usdToNano(spent));
    for (const [index, id] of ids.entries()) {
      const [started] = payloads(it.project, id, 'thread_started');
      expect(started?.continues).toBe(ids[index - 1]);
      expect(payloads(it.project, id, 'thread_continued').map(({ successor }) => successor)).toEqual(
        ids.slice(index + 1, index + 2),
      );
    }
  });

  test('is waited for by its parent to the end of the last one', async () => {
    const handle = await it.runtime.spawn('parent');
    const { status, text } = await handle.result;
    expect({ status, text }).toEqual({ status: 'completed', text: expect.stringContaining('It said I see') });
    expect(payloads(it.project, handle.id, 'child_thread_ended').map((event) => event.status)).toEqual([
      'continued',
      'continued',
      'continued',
      'completed',
    ]);
    expect(it.project.ledger(handle.id)).toMatchObject({ committed: it.project.ledger(handle.id)?.actual });
  });
});

async function chain({ runtime }: Scene, id: string): Promise<string[]> {
  const answer = await runtime.orchestrator.getChain(id);
  if (!answer.success) throw new Error(answer.error);
  return answer.chain.map(({ threadId }) => threadId);
}

function payloads<Type extends EventType>(project: Project, id: string, type: Type): EventPayloads[Type][] {
  return project
    .log(id)
    .filter((event) => event.event_type === type)
    .map(({ payload }) => payload as EventPayloads[Type]);
}

async function starting(options: SceneOptions = {}): Promise<Scene> {
  const made = await scene(PARTS, { workers: 2, ...options });
  await made.runtime.registerTool({
    id: 'app/echo',
    description: 'Gives back a long text',
    input: z.object({ text: z.string() }),
    idempotent: true,
    run: ({ text }) => text.repeat(400),
  });
  return made;
}
