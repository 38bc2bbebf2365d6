import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationName } from '../src/core/operations.ts';
import type { Runtime } from '../src/index.ts';
import {
  call,
  eventsOf,
  give,
  NEVER,
  ORCHESTRATE,
  refusal,
  scene,
  SPAWN,
  starterOf,
  THREAD_TOOLS,
  startOn,
  until,
  type Part,
  type Rule,
  type Scene,
} from './fixtures/scene.ts';

const ENDLESS: Part = { tools: THREAD_TOOLS, says: [NEVER] };
const LEAF: Part = { outputs: ['n:integer'], says: [give({ n: 7 })] };
const BROKEN: Part = { says: [{ error: { status_code: 400, message: 'bad' } }] };

/** Asks the orchestrator about the first thread it started, or about another. */
function ask(
  operation: string,
  input: object = { thread_id: `\${all.${SPAWN}.0.thread_id}` },
): Omit<Rule, 'directive'> {
  return call(ORCHESTRATE, { operation, ...input });
}

/** A directive that is told an id and asks about it. */
function curiousOf(question: Omit<Rule, 'directive'>): Part {
  const says = [{ match: 'Look at (?P<id>thread-[0-9a-f]+)', ...question }, { text: 'done' }];
  return { tools: THREAD_TOOLS, inputs: ['id'], body: 'Look at {input:id}.', says };
}

/** Results of a thread's calls, in order; of an error its text. */
function resultsIn({ project }: Scene, id: string): unknown[] {
  return project.log(id).flatMap((event) => {
    if (event.event_type !== 'tool_call_result') return [];
    const { output, error } = event.payload;
    return [output === undefined ? error : JSON.parse(output)];
  });
}

/** What the last call of a thread gave, once the thread has ended. */
async function lastResult(own: Scene, id: string): Promise<unknown> {
  await own.runtime.thread(id).result;
  return resultsIn(own, id).at(-1);
}

async function childrenOf({ runtime }: Scene, id: string): Promise<readonly string[]> {
  const answer = await runtime.orchestrator.listChildren(id);
  return 'children' in answer ? answer.children.map(({ threadId }) => threadId) : [];
}

/** A thread of this directive that has started. */
async function spawned({ runtime }: Scene, directive: string): Promise<string> {
  const handle = await runtime.spawn(directive);
  await until(handle, 'thread_started');
  return handle.id;
}

/** A tree of three: top, middle, endless; resolves when all of them talk to their models. */
async function tree(own: Scene): Promise<readonly [top: string, middle: string, leaf: string]> {
  const started = new Promise<string>((resolve) => {
    const stop = own.runtime.on('thread_started', ({ thread_id: id, payload }) => {
      if (payload.directive !== 'leaf') return;
      stop();
      resolve(id);
    });
  });
  const top = await own.runtime.spawn('top');
  const leaf = await started;
  const [middle = ''] = await childrenOf(own, top.id);
  return [top.id, middle, leaf];
}

const TREE: Readonly<Record<string, Part>> = {
  top: starterOf(['middle'], NEVER),
  middle: starterOf(['leaf'], NEVER),
  leaf: ENDLESS,
};

const policy = (child_policy: object, more: object = {}) => ({
  workers: 2,
  config: { resilience: { child_policy, ...more } },
});

describe('runtime.orchestrator', () => {
  test('tells how a tree stands, in camelCase, with outputs as they are', async () => {
    const leaf: Part = { outputs: ['snake_case:integer'], says: [give({ snake_case: 1 })] };
    await using own = await scene({
      top: { tools: THREAD_TOOLS, says: [call(SPAWN, { directive_name: 'leaf' }), { text: 'done' }] },
      leaf,
    });
    const handle = await own.runtime.spawn('top');
    await handle.result;
    const { orchestrator } = own.runtime;
    const [child = ''] = await childrenOf(own, handle.id);
    const cost = { turns: 1, inputTokens: expect.any(Number), outputTokens: expect.any(Number), spend: 0 };
    expect(await orchestrator.getStatus(child)).toEqual({
      success: true,
      threadId: child,
      directive: 'leaf',
      status: 'completed',
      cost,
      treeSpend: 0,
      parentThreadId: handle.id,
    });
    expect(await orchestrator.waitThreads([handle.id, child], { timeoutMs: 10 })).toMatchObject({
      success: true,
      results: [
        { threadId: handle.id, result: 'done' },
        { threadId: child, outputs: { snake_case: 1 } },
      ],
    });
    expect(await orchestrator.aggregateResults([child])).toMatchObject({ success: true, total: cost });
    expect(await orchestrator.listActive()).toEqual({ success: true, activeThreads: [], count: 0 });
    expect(await orchestrator.getChain(child)).toMatchObject({ chain: [{ threadId: child, directive: 'leaf', cost }] });
    const transcript = await orchestrator.readTranscript(child, { tail: 1 });
    const last = (await eventsOf(own.runtime.thread(child))).at(-1);
    expect(transcript).toMatchObject({ events: [last], leftOut: expect.any(Number) });
    expect(await orchestrator.chainSearch(child, 'do it')).toMatchObject({ hits: [{ eventType: 'cognition_in' }] });
  });

  test('answers unknown ids, and throws for what is no input and once it is closed', async () => {
    await using own = await scene({ leaf: LEAF });
    const { orchestrator } = own.runtime;
    const unknown = { success: false, error: 'Thread not found: no', code: 'thread_not_found' };
    expect(await orchestrator.killThread('no')).toEqual(unknown);
    expect(await orchestrator.resumeThread('no')).toEqual(unknown);
    const asked: readonly (() => unknown)[] = [
      () => orchestrator.listChildren('no', { limit: -1 }),
      () => orchestrator.readTranscript('no', { lines: 3 } as never),
      () => orchestrator.readTranscript('no', { types: 'usage' as never }),
      () => orchestrator.waitThreads('no' as never),
      () => orchestrator.aggregateResults(undefined as never),
      () => orchestrator.call('nothing' as OperationName, {}),
    ];
    for (const one of asked) expect(await refusal(one)).toMatchObject({ code: 'invalid_argument' });
    await own.runtime.close();
    expect(await refusal(() => orchestrator.listActive())).toMatchObject({ code: 'runtime_closed' });
  });
});

describe('kill_thread', () => {
  test.each(['allow', 'cascade_cancel'])('takes the whole subtree, also under on_parent_cancel: %s', async (choice) => {
    await using own = await scene(TREE, policy({ on_parent_cancel: choice }));
    const [top, middle, leaf] = await tree(own);
    expect(await own.runtime.orchestrator.killThread(top)).toEqual({ success: true, killed: top, threads: 3 });
    // All of it is on disk by then.
    expect([top, middle, leaf].map((id) => own.project.row(id)?.status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    for (const id of [top, middle, leaf]) expect(own.project.ledger(id)).toMatchObject({ reserved: 0 });
  });

  test('takes what is left below a thread that was cancelled before', async () => {
    await using own = await scene(TREE, policy({ on_parent_cancel: 'allow' }));
    const [top, middle, leaf] = await tree(own);
    await own.runtime.orchestrator.cancelThread(top);
    expect(own.project.row(middle)).toMatchObject({ status: 'running' });
    expect(await own.runtime.orchestrator.killThread(top)).toMatchObject({ success: true, threads: 2 });
    expect([middle, leaf].map((id) => own.project.row(id)?.status)).toEqual(['cancelled', 'cancelled']);
    expect(await own.runtime.orchestrator.killThread(top)).toMatchObject({ success: false, code: 'thread_ended' });
  });

  test('takes what an earlier runtime left below an ended thread', async () => {
    const parts = { ...TREE, top: starterOf(['middle'], { text: 'done' }) };
    await using own = await scene(parts, policy({ on_parent_complete: 'allow' }));
    const [top, middle, leaf] = await tree(own);
    await own.runtime.thread(top).result;
    await own.runtime.close({ graceMs: 0 });
    await using next: Runtime = await startOn(own.project, parts);
    expect(await next.orchestrator.killThread(top)).toMatchObject({ success: true, threads: 2 });
    expect([middle, leaf].map((id) => own.project.row(id)?.status)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('cancel_thread', () => {
  test.each([
    ['allow', 'running'],
    ['cascade_cancel', 'cancelled'],
  ])('follows on_parent_cancel: %s', async (choice, below) => {
    await using own = await scene(TREE, policy({ on_parent_cancel: choice }));
    const [top, middle] = await tree(own);
    expect(await own.runtime.orchestrator.cancelThread(top)).toEqual({ success: true, cancelled: top });
    expect(own.project.row(top)).toMatchObject({ status: 'cancelled' });
    await own.runtime.orchestrator.waitThreads([middle], { timeoutMs: below === 'cancelled' ? 10_000 : 1 });
    expect(own.project.row(middle)).toMatchObject({ status: below });
  });

  test('of a thread that has ended says so', async () => {
    await using own = await scene({ leaf: LEAF });
    const handle = await own.runtime.spawn('leaf');
    await handle.result;
    const answer = await own.runtime.orchestrator.cancelThread(handle.id);
    expect(answer).toMatchObject({ success: false, code: 'thread_ended' });
  });
});

describe('resume_thread', () => {
  test('goes on with a suspended thread under its id, with a message', async () => {
    await using own = await scene({ task: ENDLESS });
    const id = await spawned(own, 'task');
    await own.runtime.close({ graceMs: 0 });
    await using next: Runtime = await startOn(own.project, { task: { says: [{ text: 'hurried' }] } });
    expect(await next.orchestrator.resumeThread(id, 'Hurry up')).toMatchObject({ success: true, threadId: id });
    expect(await next.thread(id).result).toMatchObject({ status: 'completed', text: 'hurried' });
    const found = await next.orchestrator.chainSearch(id, 'hurry up');
    expect(found).toMatchObject({ hits: [{ eventType: 'thread_resumed' }, { eventType: 'cognition_in' }] });
    const again = await next.orchestrator.resumeThread(id, 'And once more');
    expect(again).toMatchObject({ success: true, continues: id });
    // Whoever names an earlier one goes on with the last one.
    const { threadId } = again as { readonly threadId: string };
    await next.thread(threadId).result;
    expect(await next.orchestrator.resumeThread(id)).toMatchObject({ success: true, continues: threadId });
  });

  test.each([
    ['no money', { spend: 0 }],
    ['limits that are none', { turns: undefined, spend: undefined } as never],
  ])('takes %s, as fork_thread and a spawn do', async (_what, limits) => {
    await using own = await scene({ plain: { says: [{ text: 'done' }] } });
    const { orchestrator } = own.runtime;
    const first = await own.runtime.spawn('plain', {}, { limits });
    await first.result;
    expect(await orchestrator.resumeThread(first.id, 'Again', { limits })).toMatchObject({ success: true });
    expect(await orchestrator.forkThread(first.id, { at: 0, limits })).toMatchObject({ success: true });
  });

  test('of a running thread is refused', async () => {
    await using own = await scene({ endless: ENDLESS });
    const id = await spawned(own, 'endless');
    expect(await own.runtime.orchestrator.resumeThread(id)).toMatchObject({ success: false, code: 'invalid_argument' });
  });
});

describe('A model', () => {
  const started = `\${all.${SPAWN}.0.thread_id}`;
  const reaching = [
    'get_status',
    'read_transcript',
    'list_children',
    'get_chain',
    'cancel_thread',
    'kill_thread',
    'resume_thread',
  ];
  const malformed: Readonly<Record<string, object>> = {
    'an unknown operation': { action: 'approve_everything' },
    'no operation': {},
    'an operation without its id': { operation: 'kill_thread' },
    'a wait without its ids': { operation: 'wait_threads' },
  };
  const says = (...all: Part['says']): Part => ({ tools: THREAD_TOOLS, says: [...all, { text: 'done' }] });
  const PARTS: Record<string, Part> = {
    endless: ENDLESS,
    kills: starterOf(
      ['endless'],
      ask('read_transcript', { thread_id: started, types: ['thread_started'] }),
      ask('list_children', { thread_id: started }),
      ask('kill_thread'),
      ask('wait_threads', { thread_ids: [started] }),
      ask('aggregate_results', { thread_ids: [started] }),
      { text: 'done' },
    ),
    lists: says(call(ORCHESTRATE, { action: 'list_active', tail: 3 })),
    ...Object.fromEntries(
      Object.values(malformed).map((input, row) => [`malformed${row}`, says(call(ORCHESTRATE, { ...input }))]),
    ),
    ...Object.fromEntries(reaching.map((name) => [name, curiousOf(ask(name, { thread_id: '${captures.id}' }))])),
    waits: curiousOf(ask('wait_threads', { thread_ids: ['${captures.id}'] })),
    decides: starterOf(['stuck'], ask('wait_threads', { thread_ids: [started] }), ask('resume_thread'), {
      text: 'done',
    }),
    stuck: { tools: THREAD_TOOLS, limits: { turns: 1 }, says: [ask('list_active', {})] },
  };

  let own: Scene;
  beforeAll(async () => {
    own = await scene(PARTS);
  });
  afterAll(() => own[Symbol.asyncDispose]());

  test('kills what it started, reads what that did, and counts what it cost', async () => {
    const handle = await own.runtime.spawn('kills');
    await handle.result;
    const [child] = await childrenOf(own, handle.id);
    const [, transcript, children, killed, waited, total] = resultsIn(own, handle.id);
    expect(transcript).toMatchObject({ success: true, notice: expect.stringContaining('not instructions') });
    expect(children).toEqual({ success: true, thread_id: child, children: [] });
    expect(killed).toEqual({ success: true, killed: child, threads: 1 });
    expect(waited).toMatchObject({ success: false, results: [{ thread_id: child, status: 'cancelled' }] });
    expect(total).toMatchObject({ success: false, results: [{ status: 'cancelled' }], total: { spend: 0 } });
  });

  test('takes action for operation, and ignores what an operation has no use for', async () => {
    const handle = await own.runtime.spawn('lists');
    expect(await lastResult(own, handle.id)).toEqual({ success: true, active_threads: [], count: 0 });
  });

  test.each(Object.keys(malformed).map((why, row) => [why, row] as const))(
    'that asks for %s hears what is wrong',
    async (_, row) => {
      const handle = await own.runtime.spawn(`malformed${row}`);
      expect(await lastResult(own, handle.id)).toMatch(/tool_input_invalid/);
    },
  );

  test.each(reaching)('finds no thread beside or above its own for %s', async (operation) => {
    const other = await spawned(own, 'endless');
    const handle = await own.runtime.spawn(operation, { id: other });
    expect(await lastResult(own, handle.id)).toEqual({
      success: false,
      error: `Thread not found: ${other}`,
      code: 'thread_not_found',
    });
    const above = await own.runtime.spawn(operation, { id: other }, { parent: own.runtime.thread(other).id });
    expect(await lastResult(own, above.id)).toMatchObject({ code: 'thread_not_found' });
    expect(own.project.row(other)).toMatchObject({ status: 'running' });
  });

  test('waits for no thread beside its own', async () => {
    const other = await spawned(own, 'endless');
    const handle = await own.runtime.spawn('waits', { id: other });
    expect(await lastResult(own, handle.id)).toMatchObject({ results: [{ thread_id: other, status: 'not_found' }] });
  });

  test('lets no child go on that a person is to decide about', async () => {
    const handle = await own.runtime.spawn('decides');
    expect(await lastResult(own, handle.id)).toMatchObject({
      success: false,
      code: 'permission_denied',
      error: expect.stringContaining('(limit)'),
    });
    const [child = ''] = await childrenOf(own, handle.id);
    expect(own.project.row(child)).toMatchObject({ status: 'suspended' });
  });
});

describe('coordination', () => {
  const waits = (input: object = {}) => ({
    collect: { ids: { over: '${last.results}', as: 'one', value: '${one.thread_id}' } },
    ...ask('wait_threads', { thread_ids: '${collected.ids}', ...input }),
  });
  const options = (coordination: object) => ({ config: { resilience: { coordination } } });

  test('fail_fast: a wait is over with the first failure, and the others go on', async () => {
    const parent = starterOf(['endless', 'broken'], waits(), NEVER);
    await using own = await scene({ parent, endless: ENDLESS, broken: BROKEN }, options({ fail_fast: true }));
    const handle = await own.runtime.spawn('parent');
    await until(handle, 'tool_call_result', ({ payload }) => (payload.output ?? '').includes('"results"'));
    expect(resultsIn(own, handle.id).at(-1)).toMatchObject({
      success: false,
      results: [{ status: 'running' }, { status: 'error' }],
    });
    const [endless = ''] = await childrenOf(own, handle.id);
    expect(await own.runtime.orchestrator.getStatus(endless)).toMatchObject({
      status: expect.stringMatching(/created|running/),
    });
  });

  test.each([
    [false, 'cancelled'],
    [true, 'running'],
  ])(
    'cancel_siblings_on_failure, with fail_fast: %j, ends the others of the wait, which says: %s',
    async (fail_fast, sibling) => {
      const parent = starterOf(['endless', 'broken'], waits(), { text: 'done' });
      const both = options({ cancel_siblings_on_failure: true, fail_fast });
      await using own = await scene({ parent, endless: ENDLESS, broken: BROKEN }, both);
      const handle = await own.runtime.spawn('parent');
      const waited = await lastResult(own, handle.id);
      expect(waited).toMatchObject({ success: false, results: [{ status: sibling }, { status: 'error' }] });
      const [endless = '', broken] = await childrenOf(own, handle.id);
      expect(await own.runtime.thread(endless).result).toMatchObject({
        status: 'cancelled',
        error: { message: `sibling ${broken} error` },
      });
    },
  );

  test('max_wait_thread_ids holds for hosts, too', async () => {
    await using own = await scene({ leaf: LEAF }, options({ max_wait_thread_ids: 2 }));
    const answer = await own.runtime.orchestrator.waitThreads(['a', 'b', 'c']);
    expect(answer).toMatchObject({ success: false, error: expect.stringContaining('at most 2 thread_ids') });
  });

  test('wait_timeout_seconds is the deadline of a wait that names none', async () => {
    await using own = await scene({ endless: ENDLESS }, options({ wait_timeout_seconds: 0.01 }));
    const id = await spawned(own, 'endless');
    expect(await own.runtime.orchestrator.waitThreads([id])).toMatchObject({
      results: [{ status: 'timeout', cost: { turns: 0 } }],
    });
  });

  test('completion_event_ttl_seconds: results that are no longer in memory come from the store', async () => {
    await using own = await scene({ leaf: LEAF, broken: BROKEN }, options({ completion_event_ttl_seconds: 0 }));
    const ids: string[] = [];
    for (const directive of ['leaf', 'broken', 'leaf']) {
      const handle = await own.runtime.spawn(directive);
      await handle.result;
      ids.push(handle.id);
    }
    expect(await own.runtime.orchestrator.waitThreads(ids)).toMatchObject({
      success: false,
      results: [
        { threadId: ids[0], status: 'completed', outputs: { n: 7 } },
        { threadId: ids[1], status: 'error' },
        { threadId: ids[2], status: 'completed' },
      ],
    });
  });
});
