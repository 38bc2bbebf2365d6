import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { EventPayloads, EventType } from '../src/core/events.ts';
import type { Runtime } from '../src/index.ts';
import { call, give, scene, startOn, until, type Part, type Project, type Rule, type Scene } from './fixtures/scene.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const COMPACTION = 'rye/agent/threads/default_compaction';
const SUMS_UP: Rule = { directive: COMPACTION, ...give({ summary: 'It read a, and it read b.' }) };
const REFUSAL = { type: 'invalid_request_error', message: 'no', status_code: 400 };
const FAILS: Rule = { directive: COMPACTION, error: REFUSAL };

/** An exchange of this many characters, of which three are taken for a token. */
const SIZE = 8000;
const read = (name: string, size = SIZE): Part['says'][number] => call('app_read', { name, size });
const reads = (from: number, to: number, size = SIZE): Part['says'][number][] =>
  Array.from({ length: to - from + 1 }, (_, at) => read(`n${from + at}.`, size));
const DONE = { text: 'done' };

/*
 * An exchange has some 2,700 tokens. Nine that are answered are more than 24,000, with the tenth not answered yet; two are
 * within the 6,000 that stay; three are more than the 6,000 by which it grows between two tries.
 */
const PARTS: Record<string, Part> = {
  short: { says: [...reads(1, 9), DONE] },
  long: { says: [...reads(1, 10), DONE] },
  longest: { says: [...reads(1, 13), DONE] },
  twice: { says: [...reads(1, 23), DONE] },
  giant: { says: [...reads(1, 9), read('big.', 90_000), ...reads(11, 15), DONE] },
  stopping: {
    hooks:
      '<hook id="s" event="before_step"><condition path="turn" op="eq" value="11"/><action function="stop"/></hook>',
    says: [...reads(1, 13), DONE],
  },
  counting: {
    hooks: '<hook id="c" event="context_window_pressure"><action function="count"/></hook>',
    says: [...reads(1, 12), DONE],
  },
  pressed: { says: [...reads(1, 10), { ...read('n11.'), usage: { input_tokens: 110_000 } }, DONE] },
};

describe('The history of a thread in tiers', () => {
  let it: Scene;
  beforeAll(async () => {
    it = await starting(SUMS_UP);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  test.each([
    ['short', []],
    ['long', [14]],
  ])('that is %s is summed up when it has more than 24,000 tokens, all but the last 6,000', async (name, replaced) => {
    const id = await run(it.runtime, name);
    expect(payloads(it.project, id, 'context_compacted').map((one) => one.replaced)).toEqual(replaced);
  });

  test('is summed up as compaction.md says, from what the summary stands for and nothing else', async () => {
    it.project.write('.ai/config/prompts/compaction.md', 'Sum up like a poet.');
    const id = await run(it.runtime, 'long');
    const [child] = payloads(it.project, id, 'child_thread_started');
    const [prompt] = payloads(it.project, child?.child_thread_id ?? '', 'cognition_in');
    expect(prompt?.text).toContain('Sum up like a poet.');
    expect(prompt?.text).toContain('n7.');
    expect(prompt?.text).not.toContain('n8.');
  });

  test('is summed up again when it is as long again', async () => {
    const id = await run(it.runtime, 'twice');
    expect(payloads(it.project, id, 'context_compacted')).toHaveLength(2);
  });

  test('that is long after it was summed up is summed up again when it has grown by 6,000 tokens, not each turn', async () => {
    const id = await run(it.runtime, 'giant');
    const compacted = payloads(it.project, id, 'context_compacted');
    // The large one is within the window that stays, until three more have been answered.
    expect(compacted.map(({ replaced }) => replaced)).toEqual([14, 5, 5]);
    expect(compacted.map(({ tokens_after: after }) => after > 24_000)).toEqual([true, true, false]);
  });
});

describe('A compaction that fails', () => {
  const failures = (own: Scene, id: string): number => payloads(own.project, id, 'warning').length;

  test('is tried again when the history has grown by 6,000 tokens, and may succeed then', async () => {
    await using own = await starting({ ...FAILS, times: 1 }, SUMS_UP);
    const id = await run(own.runtime, 'longest');
    expect(failures(own, id)).toBe(1);
    expect(payloads(own.project, id, 'child_thread_started')).toHaveLength(2);
    expect(payloads(own.project, id, 'context_compacted')).toMatchObject([{ replaced: 20 }]);
  });

  test('is tried again under pressure, however little the history has grown', async () => {
    await using own = await starting(FAILS);
    const id = await run(own.runtime, 'pressed');
    expect(failures(own, id)).toBe(2);
  });

  test('is not tried again at once by another runtime', async () => {
    await using own = await starting(FAILS);
    own.runtime.registerHook('stop', () => ({ action: 'suspend' }));
    const handle = await own.runtime.spawn('stopping');
    await until(handle, 'thread_suspended');
    expect(failures(own, handle.id)).toBe(1);
    await own.runtime.close();
    await using next = await startOn(own.project, PARTS, optionsOf([FAILS]));
    await withTools(next);
    next.registerHook('stop', () => undefined);
    const resumed = next.thread(handle.id);
    await resumed.resume();
    expect(await resumed.result).toMatchObject({ status: 'completed' });
    expect(payloads(own.project, handle.id, 'child_thread_started')).toHaveLength(2);
  });
});

test('Hooks that sum nothing up are asked once until the history has grown', async () => {
  await using own = await starting(FAILS);
  let asked = 0;
  own.runtime.registerHook('count', () => void asked++);
  await run(own.runtime, 'counting');
  expect(asked).toBe(1);
});

/** A runtime whose prompts stand in tiers, and whose compactions are as the rules say. */
async function starting(...rules: readonly Rule[]): Promise<Scene> {
  const own = await scene(PARTS, optionsOf(rules));
  await withTools(own.runtime);
  return own;
}

function optionsOf(rules: readonly Rule[]): NonNullable<Parameters<typeof scene>[1]> {
  const resilience = { limits: { defaults: { tokens: 10_000_000 } } };
  return { rules, config: { agent: { assembly: 'tiered' }, resilience } };
}

async function withTools(runtime: Runtime): Promise<void> {
  await runtime.registerTool({
    id: 'app/read',
    description: 'reads at length',
    input: z.object({ name: z.string(), size: z.number() }),
    run: ({ name, size }) => name.padEnd(size, 'x'),
  });
}

async function run(runtime: Runtime, directive: string): Promise<string> {
  const handle = await runtime.spawn(directive);
  expect(await handle.result).toMatchObject({ status: 'completed' });
  return handle.id;
}

function payloads<Type extends EventType>(of: Project, id: string, type: Type): EventPayloads[Type][] {
  return of.log(id).flatMap((event) => (event.event_type === type ? [event.payload as EventPayloads[Type]] : []));
}
