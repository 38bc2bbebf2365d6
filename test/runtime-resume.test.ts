import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Runtime } from '../src/index.ts';
import { call, scene, SPAWN, startOn, until, type Part, type Scene } from './fixtures/scene.ts';

const SLOW: Record<string, Part> = { slow: { says: [{ text: 'hm', delay_ms: 30_000 }] } };

async function suspended(it: Awaited<ReturnType<typeof scene>>, directive = 'slow') {
  const handle = await it.runtime.spawn(directive);
  await until(handle, 'cognition_in');
  await it.runtime.close({ graceMs: 0 });
  return handle.id;
}

describe('A thread that is being read back', () => {
  test('hears a cancel that comes in the same tick', async () => {
    await using it = await scene(SLOW);
    const id = await suspended(it);
    await using next = await startOn(it.project, SLOW);
    const handle = next.thread(id);
    await handle.resume();
    await handle.cancel('changed my mind');
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
    expect(it.project.log(id).filter(({ event_type }) => event_type === 'thread_cancelled')).toHaveLength(1);
  });

  test('hears a message that comes in the same tick', async () => {
    await using it = await scene(SLOW);
    const id = await suspended(it);
    const answer: Record<string, Part> = { slow: { says: [{ text: '${last.text}' }] } };
    await using next = await startOn(it.project, answer);
    const handle = next.thread(id);
    await handle.resume();
    await handle.send('the other way round');
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'the other way round' });
  });

  test('does not keep a runtime from closing', async () => {
    await using it = await scene(SLOW);
    const id = await suspended(it);
    const next = await startOn(it.project, SLOW);
    const handle = next.thread(id);
    await handle.resume();
    await next.close({ graceMs: 0 });
    expect(await handle.result).toMatchObject({ status: 'suspended' });
  });
});

test('A thread that could not be read back hears what it was resumed with when it goes on', async () => {
  const ECHO: Record<string, Part> = { echo: { says: [{ text: '${last.text}', delay_ms: 1_000 }] } };
  await using it = await scene(ECHO);
  const id = await suspended(it, 'echo');
  const directive = readFileSync(join(it.project.path, '.ai/directives/echo.md'), 'utf8');
  it.project.write('.ai/directives/echo.md', 'no directive any more');
  const next = await startOn(it.project, ECHO);
  const problem = new Promise((resolve) => next.on('problem', resolve));
  await next.thread(id).resume('are you there?', { limits: { turns: 7 } });
  expect(await problem).toMatchObject({ code: 'invalid_item' });
  await next.close();
  expect(it.project.row(id)).toMatchObject({ status: 'suspended', suspendReason: 'error' });
  expect(it.project.log(id).slice(-2)).toMatchObject([
    { event_type: 'thread_resumed', payload: { message: 'are you there?', limits: { turns: 7 } } },
    { event_type: 'thread_suspended', payload: { suspend_reason: 'error' } },
  ]);
  it.project.write('.ai/directives/echo.md', directive);
  await using third = await startOn(it.project, ECHO);
  await third.thread(id).resume();
  expect(await third.thread(id).result).toMatchObject({ status: 'completed', text: 'are you there?' });
});

describe('A runtime with one slot', () => {
  const TWO: Record<string, Part> = { ...SLOW, echo: { says: [{ text: '${last.text}', delay_ms: 1_000 }] } };
  const ONE_SLOT = { config: { resilience: { concurrency: { max_total_threads: 1 } } } };

  test('that closes right after a suspended thread was cancelled writes its ending, and tells it', async () => {
    await using it = await scene(TWO, ONE_SLOT);
    const id = await suspended(it, 'echo');
    const next = await startOn(it.project, TWO, ONE_SLOT);
    const handle = next.thread(id);
    const { result } = handle;
    const cancelled = handle.cancel('enough');
    await next.close();
    await cancelled;
    expect(await result).toMatchObject({ status: 'cancelled', error: { message: 'enough' } });
    expect(it.project.row(id)?.status).toBe('cancelled');
  });

  test('keeps what a thread in line was resumed with when it is suspended again', async () => {
    await using it = await scene(TWO, ONE_SLOT);
    const id = await suspended(it, 'echo');
    await using next = await startOn(it.project, TWO, ONE_SLOT);
    const other = await next.spawn('slow');
    const handle = next.thread(id);
    await handle.resume('are you there?', { limits: { turns: 7 } });
    await handle.suspend();
    expect(await handle.status()).toMatchObject({ status: 'suspended', suspendReason: 'user' });
    await other.cancel();
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'are you there?' });
  });

  test('that closes keeps what a thread in line was resumed with', async () => {
    await using it = await scene(TWO, ONE_SLOT);
    const id = await suspended(it, 'echo');
    const next = await startOn(it.project, TWO, ONE_SLOT);
    await next.spawn('slow');
    await next.thread(id).resume('are you there?');
    await next.close({ graceMs: 0 });
    expect(it.project.row(id)).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
    await using third = await startOn(it.project, TWO, ONE_SLOT);
    await third.thread(id).resume();
    expect(await third.thread(id).result).toMatchObject({ status: 'completed', text: 'are you there?' });
  });

  test('that closes keeps what an ended thread was resumed with', async () => {
    await using it = await scene(TWO, ONE_SLOT);
    const ended = await it.runtime.spawn('echo');
    await ended.result;
    await it.runtime.spawn('slow');
    const { id } = await ended.resume('are you there?');
    await it.runtime.close({ graceMs: 0 });
    // No worker has had it.
    expect(it.project.row(id)).toMatchObject({ status: 'created' });
    await using next = await startOn(it.project, TWO, ONE_SLOT);
    await next.thread(id).resume();
    expect(await next.thread(id).result).toMatchObject({ status: 'completed', text: 'are you there?' });
  });
});

describe('A child that ends while its parent is suspended', () => {
  const calls = ['child', 'child'].map((directive_name) => ({ name: SPAWN, input: { directive_name } }));
  const FAMILY: Record<string, Part> = {
    parent: { tools: ['*'], says: [{ tool_calls: calls }, { text: 'parent done' }] },
    child: { tools: ['app/gate'], says: [call('app_gate'), { text: 'child done' }] },
  };

  test.each<[string, (it: Scene, id: string) => Promise<string>]>([
    ['is in its log once it goes on', (it, id) => goOn(it.runtime, id)],
    [
      'is in its log once it goes on in another runtime',
      async (it, id) => {
        await it.runtime.close();
        await using next = await startOn(it.project, FAMILY);
        return await goOn(next, id);
      },
    ],
    [
      'is in its log before its end when it is cancelled',
      async (it, id) => {
        await it.runtime.thread(id).cancel();
        return 'thread_cancelled';
      },
    ],
  ])('%s, once', async (_name, settle) => {
    await using it = await scene(FAMILY);
    const { id, children } = await suspendedFamily(it);
    const last = await settle(it, id);
    const log = it.project.log(id);
    const ends = log.flatMap(({ event_type, payload }) => {
      return event_type === 'child_thread_ended' && 'child_thread_id' in payload ? [payload.child_thread_id] : [];
    });
    expect(ends.toSorted()).toEqual(children.toSorted());
    expect(log.at(-1)?.event_type).toBe(last);
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
  });

  /** A parent that was suspended while its two children ran, which have ended since. */
  async function suspendedFamily(it: Scene): Promise<{ readonly id: string; readonly children: string[] }> {
    const gate = Promise.withResolvers<string>();
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    await it.runtime.registerTool({
      id: 'app/gate',
      description: 'opens when it is told to',
      input: z.object({}),
      run() {
        if (++waiting === 2) both.resolve();
        return gate.promise;
      },
    });
    const parent = await it.runtime.spawn('parent');
    await both.promise;
    await parent.suspend();
    const children = it.runtime.list({ parent: parent.id }).map(({ id }) => id);
    gate.resolve('open');
    await it.runtime.waitAll(children);
    expect(it.project.log(parent.id).at(-1)?.event_type).toBe('thread_suspended');
    return { id: parent.id, children };
  }

  async function goOn(runtime: Runtime, id: string): Promise<string> {
    const handle = runtime.thread(id);
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'parent done' });
    return 'thread_completed';
  }
});

test('one thread that throws in the middle of a step ends alone, beside 100 neighbours', async () => {
  const parts: Record<string, Part> = {
    // Its context names a knowledge item that is not there: building its prompt throws.
    broken: { says: [{ text: 'never' }], hooks: '' },
    fine: { says: [{ text: 'done', delay_ms: 20 }] },
  };
  await using it = await scene(parts, { config: { resilience: { concurrency: { max_total_threads: 200 } } } });
  it.project.write(
    '.ai/directives/broken.md',
    '```xml\n<directive name="broken" version="1.0.0"><metadata><description>x</description>' +
      '<context><before>no/such/item</before></context></metadata></directive>\n```\n\nGo.\n',
  );
  const neighbours = await Promise.all(Array.from({ length: 100 }, () => it.runtime.spawn('fine')));
  const broken = await it.runtime.spawn('broken');
  expect(await broken.result).toMatchObject({ status: 'error', error: { code: 'item_not_found' } });
  const endings = await Promise.all(neighbours.map(({ result }) => result));
  expect(endings.filter(({ status }) => status === 'completed')).toHaveLength(100);
});
