import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime, ThreadHandle } from '../src/index.ts';
import type { EventPayloads, EventType } from '../src/core/events.ts';
import { usdToNano } from '../src/core/money.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import {
  call,
  NEVER,
  ORCHESTRATE,
  project,
  scene,
  SPAWN,
  startOn,
  until,
  type Part,
  type Project,
  type Scene,
  type SceneOptions,
} from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { pricedModel } from './fixtures/priced-model.ts';

/** A call after which the model reports so many tokens; the scripted model's window has 128,000. */
const echo = (text: string, tokens: number): Part['says'][number] => ({
  ...call('app_echo', { text }),
  usage: { input_tokens: tokens, output_tokens: 10 },
});
const FULL = 120_000;
const LIMITS = { spawns: 0, tokens: 10_000_000, spend: 100 };

/** USD for a million tokens; input is free, since the script counts more of it than there is. */
const PRICED = pricedModel({ output: 10 });

const PARTS: Record<string, Part> = {
  calm: { limits: LIMITS, says: [echo('a', 100), echo('b', 100), { text: 'I see ${calls}' }] },
  chat: {
    limits: { ...LIMITS, turns: 3 },
    says: [echo('a', 100), { text: 'I see ${calls}, and heard: ${last.text}' }],
  },
  fan: {
    limits: { tokens: 10_000_000, spend: 1000 },
    says: [
      { ...call(SPAWN, { directive_name: 'slow', async_exec: true }), usage: { input_tokens: FULL } },
      { ...call(ORCHESTRATE, { operation: 'wait_threads', thread_ids: [`\${all.${SPAWN}.0.thread_id}`] }) },
      { text: 'It said ${last.result.results.0.result}' },
    ],
  },
  slow: { limits: LIMITS, says: [{ text: 'slept', delay_ms: 150 }] },
  endless: { limits: { ...LIMITS, turns: 100_000 }, says: [{ ...echo('x', FULL), delay_ms: 1 }] },

  three: {
    limits: LIMITS,
    says: [echo('a', FULL), echo('b', FULL), echo('c', FULL), { text: 'I see ${calls}', usage: { input_tokens: 9 } }],
  },
  plain: {
    limits: LIMITS,
    says: [echo('a', FULL), echo('b', FULL), { text: 'I see it all', usage: { input_tokens: 9 } }],
  },
  watcher: {
    limits: { tokens: 10_000_000, spend: 1000 },
    says: [
      call(SPAWN, { directive_name: 'plain', async_exec: true }),
      call(ORCHESTRATE, { operation: 'wait_threads', thread_ids: [`\${all.${SPAWN}.0.thread_id}`] }),
      { text: '${last.result.results.0.status}: ${last.result.results.0.result}' },
    ],
  },
  parent: {
    limits: { tokens: 10_000_000, spend: 1000 },
    says: [call(SPAWN, { directive_name: 'three' }), { text: 'It said ${last.result.result}' }],
  },
};

const STUCK: Record<string, Part> = { stuck: { limits: LIMITS, says: [echo('a', FULL), NEVER] } };

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
    expect(it.project.ledger(ids.at(-1) ?? '')).toMatchObject({
      actual: usdToNano(spent),
      committed: usdToNano(spent),
    });
    expect(spent).toBeGreaterThan(3e-4);
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

  test('leaves its children to its successor', async () => {
    const { id, result } = await it.runtime.spawn('fan');
    expect(await result).toMatchObject({ status: 'completed', text: 'It said slept' });
    const ids = await chain(it, id);
    expect(ids.length).toBeGreaterThan(1);
    const told = ids.flatMap((one) => payloads(it.project, one, 'child_thread_ended'));
    expect(told.map(({ status }) => status)).toContain('completed');
    expect(it.project.ledger(ids.at(-1) ?? '')).toMatchObject({
      committed: it.project.ledger(ids.at(-1) ?? '')?.actual,
    });
  });

  test('is cancelled through its handle in whatever moment, with all that took over from it', async () => {
    const begun = await Promise.all(Array.from({ length: 50 }, () => it.runtime.spawn('endless')));
    await Promise.all(
      begun.map(async (handle, index) => {
        let left = index % 10;
        await until(handle, 'thread_continued', () => left-- <= 0);
        await handle.cancel('enough');
        expect(await handle.result).toMatchObject({ status: 'cancelled' });
      }),
    );
    for (const { id } of begun) {
      const ids = await chain(it, id);
      const rows = ids.map((one) => it.project.row(one)?.status);
      expect(rows).toEqual([...Array(ids.length - 1).fill('continued'), 'cancelled']);
      const terminal = ids.map(
        (one) => it.project.log(one).filter(({ event_type: type }) => TERMINAL.has(type)).length,
      );
      expect(new Set(terminal)).toEqual(new Set([1]));
      expect(it.project.ledger(ids.at(-1) ?? '')).toMatchObject({ reserved: 0 });
    }
  });
});

describe('What is asked of a thread while it hands over', () => {
  /** Threads that hand over after every turn, each after some hand-overs. */
  async function endless(
    count: number,
    ask: (handle: ThreadHandle, index: number) => Promise<unknown>,
  ): Promise<string[]> {
    const begun = await Promise.all(Array.from({ length: count }, () => it.runtime.spawn('endless')));
    await Promise.all(
      begun.map(async (handle, index) => {
        let left = index % 5;
        await until(handle, 'thread_continued', () => left-- <= 0);
        await ask(handle, index);
      }),
    );
    return begun.map(({ id }) => id);
  }

  async function statuses(id: string): Promise<(string | undefined)[]> {
    return (await chain(it, id)).map((one) => it.project.row(one)?.status);
  }

  const all = (length: number, last: string): string[] => [...Array(length - 1).fill('continued'), last];

  test('a kill ends the last of its chain, whichever is named', async () => {
    const ids = await endless(10, async ({ id }) => {
      const named = (await chain(it, id)).at(-1) ?? id;
      expect(await it.runtime.orchestrator.killThread(named)).toMatchObject({ success: true });
    });
    for (const id of ids) {
      const now = await statuses(id);
      expect(now).toEqual(all(now.length, 'cancelled'));
    }
  });

  test('a suspension stops the chain, and a resumption lets it go on from there', async () => {
    const ids = await endless(10, (handle) => handle.suspend());
    for (const id of ids) {
      const now = await statuses(id);
      expect(now).toEqual(all(now.length, 'suspended'));
      const last = (await chain(it, id)).at(-1);
      const handle = it.runtime.thread(id);
      await handle.resume();
      // It goes on, and hands over once more.
      await until(handle, 'thread_continued', ({ thread_id }) => thread_id === last);
      await handle.cancel();
      const then = await statuses(id);
      expect(then.length).toBeGreaterThan(now.length);
      expect(then).toEqual(all(then.length, 'cancelled'));
    }
  });

  test('a message is heard once, by one of the chain', async () => {
    const ids = await endless(10, async (handle, index) => {
      const text = `message ${index}`;
      await handle.send(text);
      await until(handle, 'cognition_in', ({ payload }) => payload.text === text);
      await handle.cancel();
    });
    for (const [index, id] of ids.entries()) {
      const links = await chain(it, id);
      const heard = links.flatMap((one) => payloads(it.project, one, 'cognition_in'));
      const own = heard.filter(({ text, carried }) => text === `message ${index}` && carried !== true);
      expect(own).toHaveLength(1);
    }
  });
});

describe('A wait for a thread that hands over', () => {
  test.each(['waitAll', 'waitFirst'] as const)(
    '%s is answered under its id when the last one has ended',
    async (wait) => {
      const handle = await it.runtime.spawn('three');
      const [waited] = await it.runtime[wait]([handle.id]);
      const last = (await chain(it, handle.id)).at(-1);
      expect(waited).toMatchObject({ id: handle.id, status: 'completed', continuedAs: last });
      expect(waited?.ending).toMatchObject({ cost: { turns: 4 } });
      // What is over is answered as what is on its way.
      expect(await it.runtime[wait]([handle.id])).toEqual([waited]);
    },
  );

  test('is not over with a hand-over: who waits for the first of several gets one that has ended', async () => {
    const endless = await it.runtime.spawn('endless');
    const three = await it.runtime.spawn('three');
    await until(endless, 'thread_continued');
    const [first, second] = await it.runtime.waitFirst([endless.id, three.id]);
    expect([first?.id, first?.status, second?.status]).toEqual([endless.id, 'running', 'completed']);
    await endless.cancel();
  });

  test('ends at its one deadline, however often the thread has handed over', async () => {
    const handle = await it.runtime.spawn('endless');
    const [waited] = await it.runtime.waitAll([handle.id], { timeoutMs: 200 });
    expect([waited?.id, waited?.status]).toEqual([handle.id, 'timeout']);
    await handle.cancel();
  });

  test('is a model’s and a command line’s, too', async () => {
    const handle = await it.runtime.spawn('watcher');
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'completed: I see it all' });
    const three = await it.runtime.spawn('three');
    const { connectProject } = await importSkein();
    using other = await connectProject({ project: it.project.path, userSpace: false });
    const answer = await other.orchestrator.waitThreads([three.id]);
    const last = (await chain(it, three.id)).at(-1);
    expect(answer).toMatchObject({
      success: true,
      results: [{ threadId: three.id, status: 'completed', continuedAs: last, cost: { turns: 4 } }],
    });
  });
});

describe('handoff_thread', () => {
  test('has a suspended thread go on as another one, with all that was said', async () => {
    const own = await it.runtime.spawn('calm');
    await own.suspend();
    const answer = await it.runtime.orchestrator.handoffThread(own.id);
    expect(answer).toMatchObject({ success: true, threadId: own.id, successor: expect.stringMatching(/^thread-/) });
    const { status, text, cost } = await own.result;
    expect({ status, turns: cost.turns }).toEqual({ status: 'completed', turns: 3 });
    expect(text).toContain('"text":"b"');
    expect(await chain(it, own.id)).toHaveLength(2);
  });

  test('of a thread that has ended is refused', async () => {
    const own = await it.runtime.spawn('calm');
    await own.result;
    expect(await it.runtime.orchestrator.handoffThread(own.id)).toMatchObject({ success: false, code: 'thread_ended' });
  });
});

describe('A thread that has ended', () => {
  test('goes on as another one, with what was said before, and with its limits anew', async () => {
    const first = await it.runtime.spawn('chat');
    const { text } = await first.result;
    const second = await first.resume('one more thing');
    expect(second.id).not.toBe(first.id);
    const last = await second.result;
    expect(last).toMatchObject({
      status: 'completed',
      text: expect.stringContaining('"text":"a"'),
      cost: { turns: 2 },
    });
    expect((await first.result).text).toBe(text);
    expect(await chain(it, first.id)).toEqual([first.id, second.id]);
    const said = it.project.log(second.id).filter(({ event_type: type }) => type === 'cognition_in');
    expect(said.map(({ payload }) => payload)).toContainEqual(expect.objectContaining({ text: 'one more thing' }));
    const third = await first.resume('and another');
    expect(await third.result).toMatchObject({ status: 'completed' });
    expect(await chain(it, second.id)).toEqual([first.id, second.id, third.id]);
  });

  test('goes on from what it had said, also when who went on with it was cancelled before it began', async () => {
    const one = { config: { resilience: { concurrency: { max_total_threads: 1 } } } };
    await using own = await scene({ ...PARTS, stuck: { says: [NEVER] } }, one);
    await withEcho(own.runtime);
    const first = await own.runtime.spawn('chat');
    await first.result;
    await own.runtime.spawn('stuck');
    const second = await first.resume('what nobody hears');
    expect((await second.status()).state).toBe('queued');
    await second.cancel();
    const third = await first.resume('one more thing');
    for (const { id } of own.runtime.list({ directive: 'stuck' })) await own.runtime.thread(id).cancel();
    expect(await third.result).toMatchObject({ status: 'completed' });
    const carried = payloads(own.project, third.id, 'cognition_out').filter((payload) => payload.carried);
    expect(carried.map(({ text }) => text)).toEqual(
      payloads(own.project, first.id, 'cognition_out').map(({ text }) => text),
    );
    expect(await chain(own, first.id)).toEqual([first.id, second.id, third.id]);
  });

  test('does not go on below a parent that has ended', async () => {
    const parent = await it.runtime.spawn('parent');
    await parent.result;
    const [child] = it.runtime.list({ parent: parent.id });
    const answer = await it.runtime.orchestrator.resumeThread(child?.id ?? '', 'hello');
    expect(answer).toMatchObject({ success: false, code: 'thread_ended' });
  });

  test('has one successor, however many ask at once', async () => {
    const first = await it.runtime.spawn('chat');
    await first.result;
    const all = await Promise.allSettled(['a', 'b', 'c'].map((message) => first.resume(message)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('A thread that has handed over in an earlier runtime', () => {
  /** Hands over after its first turn; its successor calls its model, and gets no answer. */
  async function handedOver(): Promise<{ readonly made: Project; readonly ids: readonly string[] }> {
    const made = project(STUCK);
    await using first = await withEcho(await startOn(made, STUCK, { config: { agent: PRICED } }));
    const { id } = await first.spawn('stuck');
    await expect.poll(async () => chain({ runtime: first }, id), { timeout: 10_000 }).toHaveLength(2);
    const ids = await chain({ runtime: first }, id);
    await first.close({ graceMs: 0 });
    return { made, ids };
  }

  test('has the result of its successor, also when the runtime stops before that', async () => {
    const { made, ids } = await handedOver();
    using _ = made;
    await using next = await withEcho(await startOn(made, STUCK, { config: { agent: PRICED } }));
    const { result } = next.thread(ids[0] ?? '');
    await next.close({ graceMs: 0 });
    expect(await result).toMatchObject({ status: 'suspended', error: { code: 'runtime_closed' } });
  });

  test('is cancelled with its successor, whose ending is on disk then', async () => {
    const { made, ids } = await handedOver();
    using _ = made;
    await using next = await withEcho(await startOn(made, STUCK, { config: { agent: PRICED } }));
    await next.thread(ids[0] ?? '').cancel('enough');
    expect(ids.map((id) => made.row(id)?.status)).toEqual(['continued', 'cancelled']);
  });
});

test('An archived thread has one successor, however many ask at once, and doctor has no objection to it', async () => {
  const { collectGarbage, doctor } = await importSkein();
  using made = project(PARTS);
  made.write('.ai/config/resilience.yaml', "schema_version: '1.0.0'\ncleanup: { archive_after_days: 0.0000001 }\n");
  const first = await startOn(made, PARTS);
  const { id, result } = await first.spawn('chat');
  await result;
  await first.close();
  expect(await collectGarbage({ project: made.path, userSpace: false })).toMatchObject({ archived: 1 });
  await using next = await startOn(made, PARTS);
  const asked = await Promise.allSettled(['a', 'b', 'c'].map((message) => next.thread(id).resume(message)));
  const [heir, ...more] = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect([await heir?.result, more]).toMatchObject([{ status: 'completed' }, []]);
  expect(await chain({ runtime: next }, id)).toEqual([id, heir?.id]);
  expect(await doctor({ project: made.path })).toMatchObject({ findings: [], isClean: true });
});

describe('A runtime that is killed while threads hand over', () => {
  // The long form has ten.
  const rounds = Number(process.env['KILL_ROUNDS'] ?? 3);

  test.each(Array.from({ length: rounds }, (_, round) => round))(
    'leaves each of them as one thread that can go on (%i)',
    { timeout: 120_000 },
    async (round) => {
      using made = project(PARTS);
      const ids = await killAfter(made, 5 + round * 7);
      const runtime = await startOn(made, PARTS, { rules: [{ directive: 'endless', text: 'at last' }] });
      try {
        const own = { runtime };
        for (const id of ids) {
          const links = await chain(own, id);
          const statuses = links.map((one) => made.row(one)?.status);
          expect(statuses).toEqual([...Array(links.length - 1).fill('continued'), 'suspended']);
        }
        const ends = ids.map((id) => runtime.thread(id));
        await Promise.all(ends.map((handle) => handle.resume()));
        for (const handle of ends) {
          expect(await handle.result).toMatchObject({ status: 'completed', text: 'at last' });
          const links = await chain(own, handle.id);
          const paid = links.flatMap((one) => payloads(made, one, 'usage')).length;
          expect(made.row(links.at(-1) ?? '')?.cost.turns).toBe(paid);
        }
        const all = runtime.list({ directive: 'endless', limit: 10_000 });
        expect(all.filter(({ status }) => status === 'running')).toEqual([]);
      } finally {
        await runtime.close({ graceMs: 0 });
      }
    },
  );
});

describe('A hand-over whose commit is cut off', () => {
  const HAND_OVER = 3;
  // The long form has every statement in between.
  const inBetween = Array.from(
    { length: Number(process.env['KILL_STATEMENTS'] ?? 0) },
    (_, at) => [`${at}`, 0] as const,
  );

  test.each([['before', 0] as const, ...inBetween, ['after', 1] as const])(
    'at "%s" has happened (%i) or not, and one thread of the chain can go on',
    { timeout: 120_000 },
    async (point, happened) => {
      using made = project(PARTS);
      const id = await cutOff(made, { point, handOver: HAND_OVER });
      const runtime = await startOn(made, PARTS, { rules: [{ directive: 'endless', text: 'at last' }] });
      try {
        const links = await chain({ runtime }, id);
        const statuses = links.map((one) => made.row(one)?.status);
        expect(statuses).toEqual([...Array(HAND_OVER - 1 + happened).fill('continued'), 'suspended']);
        expect(runtime.list({ directive: 'endless', limit: 100 })).toHaveLength(links.length);
        await runtime.thread(id).resume();
        expect(await runtime.thread(id).result).toMatchObject({ status: 'completed', text: 'at last' });
        const last = (await chain({ runtime }, id)).at(-1) ?? '';
        const row = made.ledger(last);
        expect(row).toMatchObject({ status: 'released', reserved: 0, committed: row?.actual });
      } finally {
        await runtime.close({ graceMs: 0 });
      }
    },
  );
});

/** The id of the thread that a program had begun when it was killed within the commit of a hand-over. */
async function cutOff(
  { path }: Project,
  { point, handOver }: { readonly point: string; readonly handOver: number },
): Promise<string> {
  const program = spawn(process.execPath, ['--import', KILLER, PROGRAM, path, 'endless', '1'], {
    env: { ...process.env, KILL_POINT: point, KILL_HAND_OVER: `${handOver}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(program, 'exit');
  let begun = '';
  for await (const line of createInterface(program.stdout)) {
    if (line.startsWith('began ')) begun = line.slice('began '.length);
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  return begun;
}

const KILLER = new URL('fixtures/kill-in-hand-over.ts', import.meta.url).href;

/** The ids of the threads that a program had begun when it was killed, after so many hand-overs. */
async function killAfter({ path }: Project, handOvers: number): Promise<string[]> {
  const program = spawn(process.execPath, [PROGRAM, path, 'endless', '6'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(program, 'exit');
  const ids: string[] = [];
  let left = handOvers;
  for await (const line of createInterface(program.stdout)) {
    if (line.startsWith('began ')) ids.push(line.slice('began '.length));
    if (line === 'continued' && --left <= 0 && ids.length === 6) program.kill('SIGKILL');
  }
  await exited;
  return ids;
}

const PROGRAM = fileURLToPath(new URL('fixtures/hand-over-process.ts', import.meta.url));

const TERMINAL = new Set<string>(['thread_completed', 'thread_error', 'thread_cancelled', 'thread_continued']);

async function chain({ runtime }: Pick<Scene, 'runtime'>, id: string): Promise<string[]> {
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
  const made = await scene(PARTS, { workers: 2, config: { agent: PRICED }, ...options });
  await withEcho(made.runtime);
  return made;
}

async function withEcho(runtime: Runtime): Promise<Runtime> {
  await runtime.registerTool({ ...echoTool(({ text }) => text.repeat(400)), idempotent: true });
  return runtime;
}
