import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Failure } from '../src/index.ts';
import { call, scene, type Part, type Scene } from './fixtures/scene.ts';

const TOOLS = new URL('fixtures/stray-tools.ts', import.meta.url);
const WAYS = ['stray', 'timer'] as const;
const WORDS = ['one', 'two'] as const;

/** A thread whose tool leaves a rejection, and then takes as long as that. */
const PARTS: Record<string, Part> = Object.fromEntries(
  WAYS.flatMap((way) =>
    WORDS.map((word): [string, Part] => [
      `${way}-${word}`,
      { tools: ['app/*'], says: [call(`app_${way}`, { word }), { text: '${last.text}', delay_ms: 50 }] },
    ]),
  ),
);

let it: Scene;

const workers: Worker[] = [];
const noted = (worker: Worker): number => workers.push(worker);

beforeAll(async () => {
  process.on('worker', noted);
  it = await scene(PARTS);
  await it.runtime.registerTool({ module: TOOLS });
});

afterAll(async () => {
  process.off('worker', noted);
  await it[Symbol.asyncDispose]();
});

test.each([
  ['at once', 'stray'],
  ['when its call is long over', 'timer'],
] as const)(
  'A promise of a tool that is rejected %s while nobody waits for it ends nobody, and is told with its thread',
  async (_, way) => {
    const before = workers.length;
    const told = Promise.withResolvers<readonly Failure[]>();
    const problems: Failure[] = [];
    const stop = it.runtime.on('problem', (problem) => {
      if (problems.push(problem) === WORDS.length) told.resolve(problems);
    });
    const handles = await Promise.all(WORDS.map((word) => it.runtime.spawn(`${way}-${word}`)));
    const endings = await Promise.all(handles.map(({ result }) => result));
    expect(endings).toMatchObject(WORDS.map((word) => ({ status: 'completed', text: `answered ${word}` })));
    const expected = handles.map(({ id }, index) => ({
      code: 'tool_failed',
      message: `A promise nobody waits for was rejected, which tool app/${way} has left in thread ${id}: ${WORDS[index]}`,
      detail: { tool: `app/${way}`, thread_id: id, call_id: expect.any(String) },
    }));
    expect((await told.promise).toSorted((a, b) => a.message.localeCompare(b.message))).toEqual(
      expected.toSorted((a, b) => a.message.localeCompare(b.message)),
    );
    stop();
    // The worker is the same.
    expect(workers).toHaveLength(before);
  },
);
