import { describe, expect, test } from 'vitest';
import type { Runtime } from '../src/index.ts';
import { call, eventsOf, scene, SPAWN, startOn, THREAD_TOOLS, until, type Part, type Scene } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { treeOptions, treeParts, treeSize } from './fixtures/tree.ts';

const LEAF_MS = 4_000;
const done = (name: string): Part['says'][number] => ({ text: `${name} heard: \${last.text}` });
const waitsFor = (directive_name: string): Part['says'][number] => call(SPAWN, { directive_name });
const PARTS: Record<string, Part> = {
  leaf: { says: [{ text: 'leaf done', delay_ms: LEAF_MS }] },
  parent: { tools: THREAD_TOOLS, says: [waitsFor('leaf'), done('parent')] },
  top: { tools: THREAD_TOOLS, says: [waitsFor('parent'), done('top')] },
};
const AT_ONCE = { resilience: { coordination: { passivate_waiting_seconds: 0.05, on_restart: 'resume' } } };

describe('Parents that wait for long', () => {
  test('are in no worker, and nobody sees a difference', async () => {
    await using it = await scene(PARTS, { config: AT_ONCE });
    const handle = await it.runtime.spawn('top');
    const events = eventsOf(handle);
    await threadsInWorkers(it.runtime, 1);
    expect(await handle.status()).toMatchObject({ status: 'running', state: 'running.waitingForChildren' });
    expect(await it.runtime.orchestrator.listActive()).toMatchObject({ count: 3 });
    const ending = await handle.result;
    expect(ending).toMatchObject({ status: 'completed' });
    expect(ending.text).toContain('parent heard');
    // What a person sees is what is stored, without a gap and without a word of it.
    const seen = (await events).filter(({ sequence }) => sequence !== undefined);
    expect(seen.map(({ sequence }) => sequence)).toEqual(it.project.log(handle.id).map(({ sequence }) => sequence));
    expect(seen.map(({ event_type }) => event_type)).not.toContain('thread_resumed');
  });

  test('hear what they are told, and can be cancelled', async () => {
    await using it = await scene(PARTS, { config: AT_ONCE });
    const [heard, cancelled] = [await it.runtime.spawn('parent'), await it.runtime.spawn('top')];
    await threadsInWorkers(it.runtime, 2);
    await heard.send('good news');
    await cancelled.cancel();
    const { status, text } = await cancelled.result;
    expect([status, text]).toEqual(['cancelled', '']);
    expect(it.runtime.list({ parent: cancelled.id })).toMatchObject([{ status: 'cancelled' }]);
    expect((await heard.result).text).toBe('parent heard: good news');
  });

  test('go on in the next runtime if theirs ends meanwhile', async () => {
    await using it = await scene(PARTS, { config: AT_ONCE });
    const { id } = await it.runtime.spawn('top');
    await threadsInWorkers(it.runtime, 1);
    await it.runtime.close({ graceMs: 0 });
    expect(it.project.row(id)).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
    const { doctor } = await importSkein();
    expect(await doctor({ project: it.project.path, env: {} })).toMatchObject({ isClean: true });
    await using next = await startOn(it.project, PARTS, { config: AT_ONCE });
    expect(await next.thread(id).result).toMatchObject({ status: 'completed' });
  });
});

describe('A parent that is suspended while it waits goes on with its child', () => {
  const guard = (event: string): string =>
    `<hook id="guard" event="${event}"><execute item_type="tool" item_id="rye/agent/threads/internal/control">` +
    '<param name="action" value="suspend"/></execute></hook>';
  const leaf: Part = { says: [{ text: 'leaf done', delay_ms: 300 }] };
  const guarded = (event: string): Record<string, Part> => ({
    leaf,
    parent: { tools: THREAD_TOOLS, hooks: guard(event), says: [waitsFor('leaf'), done('parent')] },
  });
  type Handle = Awaited<ReturnType<Runtime['spawn']>>;
  const suspend = async (handle: Handle): Promise<void> => {
    await expect.poll(() => handle.status()).toMatchObject({ state: 'running.waitingForChildren' });
    await handle.suspend();
    await until(handle, 'thread_suspended');
  };
  const grant = async (handle: Handle, { runtime }: Scene): Promise<void> => {
    const { payload } = await until(handle, 'approval_requested');
    await handle.suspend();
    await runtime.approvals.grant(payload.approval_id);
  };

  test.each<[string, Record<string, Part>, (handle: Handle, it: Scene) => Promise<void>]>([
    [
      'by a person, who resumes it at once',
      PARTS,
      async (handle) => (await suspend(handle), void (await handle.resume())),
    ],
    [
      'by a person, who resumes it when the child has ended',
      { ...PARTS, leaf },
      async (handle, { runtime }) => {
        await suspend(handle);
        const [child] = runtime.list({ parent: handle.id });
        await runtime.thread(child?.id ?? '').result;
        await handle.resume();
      },
    ],
    ['by a hook as the child starts', guarded('child_started'), grant],
    ['by a hook as the child ends', guarded('child_ended'), grant],
  ])('%s', async (_title, parts, goOn) => {
    await using it = await scene(parts);
    const handle = await it.runtime.spawn('parent');
    await goOn(handle, it);
    const { status, text } = await handle.result;
    expect([status, text]).toEqual(['completed', expect.stringContaining('leaf done')]);
    expect(it.runtime.list({ parent: handle.id })).toMatchObject([{ status: 'completed' }]);
    const log = it.project.log(handle.id);
    const calls = log.filter(({ event_type: type }) => type.startsWith('tool_call_'));
    expect(calls.map(({ event_type: type }) => type)).toEqual(['tool_call_start', 'tool_call_result']);
    const { doctor } = await importSkein();
    expect(await doctor({ project: it.project.path, env: {} })).toMatchObject({ findings: [] });
  });
});

test.each([
  ['the child of a hook on a child', 1],
  ['children of two hooks on a child, one after the other', 2],
])('A parent that waits keeps no slot for %s', async (_name, hooks) => {
  const hook = (id: number): string =>
    `<hook id="note${id}" event="child_started"><condition path="child_directive" op="eq" value="parent"/>` +
    '<execute item_type="tool" item_id="rye/agent/threads/thread_directive"><param name="directive_name" value="note"/></execute></hook>';
  const parts: Record<string, Part> = {
    ...PARTS,
    leaf: { says: [{ text: 'leaf done' }] },
    note: { says: [{ text: 'noted' }] },
    top: {
      ...PARTS['top'],
      hooks: Array.from({ length: hooks }, (_, id) => hook(id)).join(''),
      says: [waitsFor('parent'), done('top')],
    },
  };
  await using it = await scene(parts, { config: { resilience: { concurrency: { max_total_threads: 1 } } } });
  const { status, text } = await it.runtime.spawn('top').then((handle) => handle.result);
  expect([status, text]).toEqual(['completed', expect.stringContaining('parent heard')]);
});

test.each([false, true])(
  'A tree whose parents leave as soon as they wait ends as any other, synchronous: %s',
  async (synchronous) => {
    const shape = { depth: 4, fanOut: 3, synchronous };
    const { config, ...options } = treeOptions(8);
    const resilience = { ...(config?.['resilience'] as object), ...AT_ONCE.resilience };
    const coordination = { wait_timeout_seconds: 3_600, passivate_waiting_seconds: 0.001 };
    await using it = await scene(treeParts(shape), {
      ...options,
      config: { ...config, resilience: { ...resilience, coordination } },
    });
    const handle = await it.runtime.spawn('level0');
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'level 0 done' });
    const all = it.runtime.list({ limit: 1_000 });
    expect([all.length, all.filter(({ status }) => status !== 'completed')]).toEqual([treeSize(shape), []]);
    await it.runtime.close({ graceMs: 0 });
    const { doctor } = await importSkein();
    expect(await doctor({ project: it.project.path, env: {} })).toMatchObject({ isClean: true, findings: [] });
  },
);

/** Until so many threads are in the worker: those that wait for none. */
async function threadsInWorkers(runtime: Runtime, threads: number): Promise<void> {
  await expect
    .poll(async () => (await runtime.view()).workers.map((worker) => worker.states), { timeout: 10_000 })
    .toEqual([{ 'running.calling': threads }]);
}
