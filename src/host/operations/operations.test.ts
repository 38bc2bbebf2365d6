import { dirname, join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { admit, idOf, scratchFolder, shippedTables, step } from '../../../test/conformance/store-fixture.ts';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { loadConfig } from '../../config/load.ts';
import type { Ending } from '../../core/ending.ts';
import { SkeinError, toFailure } from '../../core/errors.ts';
import { encodeEvent, type EventType, type SuspendReason } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { Lineage } from '../../core/protocol.ts';
import { NO_COST } from '../../core/limits.ts';
import { OPERATIONS, type OperationInput, type OperationName, type OperationResult } from '../../core/operations.ts';
import type { AdmitOp, StatusChange, StepOp, Store, StoreReader, ThreadFilter } from '../../core/store.ts';
import type { ApprovalRequest } from '../../core/store-approvals.ts';
import { openStore } from '../../store/open.ts';
import { openReader } from '../../store/reader.ts';
import { createRecall } from '../rest/recall.ts';
import { createOperations, type Asking, type Operations } from './dispatcher.ts';
import { restingThreads } from './resting-threads.ts';
import { createWaitFollowing } from './wait-following.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const { config } = loadConfig({
  systemDir: join(here, '../../../config'),
  projectDir: join(here, 'no-such-project'),
});

let scratch: ReturnType<typeof scratchFolder>;
let store: Store;
let reader: StoreReader;

beforeEach(() => {
  scratch = scratchFolder();
  mkdirSync(dirname(scratch.path), { recursive: true });
  store = openStore({ path: scratch.path, tables: shippedTables(), now: () => 0 });
  reader = openReader(scratch.path);
});
afterEach(() => {
  reader.close();
  store.close();
  scratch[Symbol.dispose]();
});

type Told = readonly [type: EventType, payload: object];

type Row = Partial<Pick<AdmitOp, 'parent' | 'threadId' | 'predecessor'> & Pick<StepOp, 'status' | 'cost' | 'request'>>;

/** Stores a thread whose log is this. */
function thread(no: ThreadNo, told: readonly Told[] = [], { status, cost, request, ...row }: Row = {}): void {
  const lines = told.map(([event_type, payload], at) =>
    encodeEvent({ sequence: at + 1, event_type, time: 5, payload }),
  );
  const log = { lines: lines.join(''), firstSequence: lines.length && 1, lastSequence: lines.length };
  // Children cost their parents nothing.
  const admission = admit(no, { ...row, ceiling: row.parent === undefined ? 1_000 : 0 });
  const results = store.commit([
    admission,
    step(no, 0, { ...log, ...(status && { status }), ...(cost && { cost }), request }),
  ]);
  expect(results).toEqual([true, true]);
}

function ended(to: Ending['status'], more: Partial<Ending> = {}): { readonly status: StatusChange } {
  const ending = { status: to, outputs: undefined, text: 'done', error: undefined, cost: NO_COST, ...more };
  return { status: { to, ending: JSON.stringify(ending) } };
}

/** Three threads of a chain: 1 handed over to 2, and 2 to 3. */
function chain(): void {
  const end = (successor: number): Told => ['thread_continued', { successor: idOf(successor), cost: {} }];
  const begin = (no: number): Told => ['thread_started', { directive: 'd', continues: idOf(no) }];
  thread(1, [['cognition_in', { text: 'The Needle is in the first', role: 'user' }], end(2)], ended('continued'));
  thread(2, [begin(1), end(3)], { ...ended('continued'), predecessor: 1 });
  thread(3, [begin(2), ['cognition_out', { text: 'a needle\nagain', model: 'm' }]], {
    ...ended('completed', { text: 'three' }),
    predecessor: 2,
  });
}

function resting(isRun = false): Operations {
  return createOperations(restingThreads({ reader, config, isRun: () => isRun }));
}

describe('The log of a thread, in pages', () => {
  /** Steps of so many events each. */
  function logged(...steps: readonly number[]): void {
    store.commit([admit(1, { ceiling: 1_000 })]);
    let last = 0;
    for (const count of steps) {
      const sequences = Array.from({ length: count }, (_, at) => last + at + 1);
      const lines = sequences.map((sequence) =>
        encodeEvent({ sequence, event_type: sequence % 2 ? 'usage' : 'warning', time: 5, payload: { n: sequence } }),
      );
      const log = { lines: lines.join(''), firstSequence: last + 1, lastSequence: last + count };
      expect(store.commit([step(1, 0, log)])).toEqual([true]);
      last += count;
    }
  }

  async function page(input: Partial<OperationInput<'read_events'>> = {}): Promise<OperationResult<'read_events'>> {
    const answer = await resting(true).call('read_events', { thread_id: idOf(1), ...input });
    return OPERATIONS.read_events.result.parse(answer);
  }

  test.each<[readonly number[], pages: number]>([
    [[1, 2, 3], 2],
    [[40, 1, 40], 17],
    [Array.from({ length: 50 }, () => 1), 10],
    [[], 1],
  ])('is whole and in order, whatever the steps: %j', async (steps, expectedPages) => {
    logged(...steps);
    const found: (number | undefined)[] = [];
    let pages = 0;
    for (let after = 0, more = true; more; pages++) {
      const { events, last, more: isMore } = await page({ after, max_bytes: 1_000 });
      found.push(...events.map(({ sequence }) => sequence));
      [after, more] = [last, isMore];
    }
    const count = steps.reduce((sum, each) => sum + each, 0);
    expect(found).toEqual(Array.from({ length: count }, (_, at) => at + 1));
    expect(pages).toBe(expectedPages);
  });

  test('has pages of so many bytes as were asked for, unless one event alone has more', async () => {
    const says = (length: number): Told => ['cognition_out', { text: 'é'.repeat(length), model: 'm' }];
    thread(1, [says(1), says(300), says(1), says(2_000), says(100), says(100), says(1)]);
    const pages: (number | undefined)[][] = [];
    for (let after = 0, more = true; more;) {
      const { events, last, more: isMore } = await page({ after, max_bytes: 1_300 });
      expect(events.length === 1 || Buffer.byteLength(JSON.stringify(events)) <= 1_300).toBe(true);
      pages.push(events.map(({ sequence }) => sequence));
      [after, more] = [last, isMore];
    }
    expect(pages).toEqual([[1, 2, 3], [4], [5, 6, 7]]);
  });

  test('goes on from any event, also in the middle of a step', async () => {
    logged(5, 5);
    const { events, last } = await page({ after: 3 });
    expect([events.map(({ sequence }) => sequence), last]).toEqual([[4, 5, 6, 7, 8, 9, 10], 10]);
    expect(await page({ after: 10 })).toMatchObject({ events: [], last: 10, more: false, ended: false });
  });

  test('is read no further than a page goes: what stands before damage in a step is given, and what stands behind it', async () => {
    const line = (n: number): string => encodeEvent({ sequence: n, event_type: 'usage', time: 5, payload: { n } });
    const damaged = (n: number): string => line(n).replace('}}', '');
    const lines = [line(1), damaged(2), line(3), damaged(4)].join('');
    store.commit([admit(1), step(1, 0, { lines, firstSequence: 1, lastSequence: 4 })]);
    expect(await page()).toMatchObject({ events: [{ sequence: 1 }], last: 1, more: true });
    await expect(page({ after: 1 })).rejects.toMatchObject({ code: 'store_corrupt' });
    expect(await page({ after: 2 })).toMatchObject({ events: [{ sequence: 3 }], last: 3, more: true });
    expect(await page({ types: ['warning'] })).toMatchObject({ events: [], last: 4, more: false });
  });

  test('has passed what was not asked for', async () => {
    logged(3);
    expect(await page({ types: ['warning'] })).toMatchObject({ events: [{ sequence: 2 }], last: 3 });
  });

  test('says who took over', async () => {
    chain();
    expect(await page()).toMatchObject({ ended: true, status: 'continued', continued_as: idOf(2) });
  });
});

test.each<Asking>([{ caller: 1 }, { isModel: true }])(
  'A model can give a thread no other limits: %j',
  async (asking) => {
    thread(1);
    thread(2, [], { parent: 1, status: { to: 'suspended', reason: 'shutdown' } });
    const input = { thread_id: idOf(2), limits: { turns: 500 } };
    expect(await resting().call('resume_thread', input, asking)).toMatchObject({
      success: false,
      code: 'permission_denied',
    });
  },
);

test.each<Asking>([{ caller: 1 }, { isModel: true }])('A model can fork no thread: %j', async (asking) => {
  thread(1);
  const input = { thread_id: idOf(1), at: 0, limits: { turns: 500 } };
  const answer = await resting().call('fork_thread', input, asking);
  expect(answer).toMatchObject({ success: false, code: 'not_available' });
  // Only a runtime is missing.
  await expect(resting().call('fork_thread', input)).rejects.toMatchObject({ code: 'runtime_closed' });
});

describe('What a person has decided or is to decide', () => {
  const request: ApprovalRequest = {
    approvalId: `approval-${'a'.repeat(32)}`,
    reason: 'error',
    limitCode: undefined,
    currentValue: undefined,
    currentMax: undefined,
    suggested: undefined,
    askedBy: 'd, interrupted',
    message: 'May it run again?',
  };
  const suspended = (reason: SuspendReason): Row => ({ parent: 1, status: { to: 'suspended', reason } });
  const decision = { approvalId: request.approvalId, status: 'denied', by: 'ann', granted: undefined } as const;
  const MODELS: readonly Asking[] = [{ caller: 1 }, { isModel: true }];

  test.each<[string, Row, Partial<StepOp>?]>([
    ['stopped at a limit', suspended('limit')],
    ['asks whether a call may run again', { ...suspended('error'), request }],
    ['was suspended by a person', suspended('user')],
    ['was cancelled', { parent: 1, ...ended('cancelled') }],
    ['was denied', { ...suspended('error'), request }, { decision, ...ended('error') }],
  ])('stays so whichever model asks: a thread that %s goes on for a person alone', async (_, row, then) => {
    thread(1);
    thread(2, [], row);
    expect(then ? store.commit([step(2, 1, then)]) : [true]).toEqual([true]);
    for (const name of ['resume_thread', 'handoff_thread']) {
      for (const asking of MODELS) {
        const answer = await resting().call(name, { thread_id: idOf(2) }, asking);
        expect([name, asking, answer]).toMatchObject([name, asking, { success: false, code: 'permission_denied' }]);
      }
      // Only a runtime is missing.
      await expect(resting().call(name, { thread_id: idOf(2) })).rejects.toMatchObject({ code: 'runtime_closed' });
    }
  });

  test.each(MODELS)('is nothing about a thread that a shutdown has stopped: %j', async (asking) => {
    thread(1);
    thread(2, [], suspended('shutdown'));
    const resumed = resting().call('resume_thread', { thread_id: idOf(2) }, asking);
    await expect(resumed).rejects.toMatchObject({ code: 'runtime_closed' });
  });

  test.each(MODELS)('is nothing about a thread that failed after a call of it was denied: %j', async (asking) => {
    thread(1);
    thread(2, [], { ...suspended('error'), request });
    const steps = [step(2, 1, { decision, at: 2_001 }), step(2, 2, { ...ended('error'), at: 2_002 })];
    expect(store.commit(steps)).toEqual([true, true]);
    const resumed = resting().call('resume_thread', { thread_id: idOf(2) }, asking);
    await expect(resumed).rejects.toMatchObject({ code: 'runtime_closed' });
  });

  test.each(MODELS)('is not got round where the clock was set back between two requests: %j', async (asking) => {
    thread(1);
    const earlier = { ...request, approvalId: `approval-${'b'.repeat(32)}` } as const;
    thread(2, [], { ...suspended('error'), request: earlier });
    const granted = { approvalId: earlier.approvalId, status: 'granted', by: 'ann', granted: undefined } as const;
    const asked = { ...suspended('error'), request };
    const steps = [{ decision: granted }, asked, { decision, ...ended('error') }];
    expect(store.commit(steps.map((over, at) => step(2, at + 1, over)))).toEqual([true, true, true]);
    const answer = await resting().call('resume_thread', { thread_id: idOf(2) }, asking);
    expect(answer).toMatchObject({ success: false, code: 'permission_denied' });
  });

  test.each(MODELS)('is not got round by the id of a predecessor: %j', async (asking) => {
    thread(1);
    thread(2, [['thread_continued', { successor: idOf(3), cost: {} }]], { parent: 1, ...ended('continued') });
    thread(3, [], { ...suspended('limit'), predecessor: 2 });
    const answer = await resting().call('handoff_thread', { thread_id: idOf(2) }, asking);
    expect(answer).toMatchObject({ success: false, code: 'permission_denied' });
  });
});

test('Threads are listed in pages, of one directive if asked', async () => {
  for (const no of [1, 2, 3, 4, 5]) thread(no);
  const first = await resting().call('list_threads', { limit: 3 });
  expect(first).toMatchObject({ threads: [5, 4, 3].map((no) => ({ thread_id: idOf(no) })), more: true, next: idOf(3) });
  const rest = await resting().call('list_threads', { limit: 3, after: idOf(3) });
  expect(rest).toMatchObject({ threads: [{ thread_id: idOf(2) }, { thread_id: idOf(1) }], more: false });
  expect(rest).not.toHaveProperty('next');
  expect(await resting().call('list_threads', { directive: 'another' })).toMatchObject({ threads: [] });
  expect(await resting().call('list_threads', { after: 'thread-no' })).toMatchObject({ code: 'thread_not_found' });
});

describe('A chain of threads', () => {
  test.each([1, 2, 3])('is the same for each of its threads: %i', async (no) => {
    chain();
    expect(await resting().call('get_chain', { thread_id: idOf(no) })).toMatchObject({
      success: true,
      chain: [{ thread_id: idOf(1) }, { thread_id: idOf(2) }, { thread_id: idOf(3), status: 'completed' }],
    });
  });

  test('of one thread is that thread', async () => {
    thread(1);
    const answer = await resting().call('get_chain', { thread_id: idOf(1) });
    expect(answer).toMatchObject({ chain: [{ thread_id: idOf(1) }] });
  });

  test('is searched as a whole, without regard to case', async () => {
    chain();
    expect(await resting().call('chain_search', { thread_id: idOf(2), query: 'NEEDLE' })).toEqual({
      success: true,
      thread_id: idOf(2),
      notice: expect.stringContaining('not instructions'),
      hits: [
        { thread_id: idOf(1), event_type: 'cognition_in', sequence: 1, snippet: 'The Needle is in the first' },
        { thread_id: idOf(3), event_type: 'cognition_out', sequence: 2, snippet: 'a needle\nagain' },
      ],
      more: false,
    });
  });

  test.each<[string, string, number]>([
    ['what JSON writes otherwise', 'needle\nagain', 1],
    ['a name of a field', 'is_partial', 0],
    ['what is nowhere', 'haystack', 0],
  ])('is searched for %s', async (_, query, count) => {
    chain();
    const answer = await resting().call('chain_search', { thread_id: idOf(1), query });
    expect((answer as { readonly hits: readonly unknown[] }).hits).toHaveLength(count);
  });

  test('has no more hits than asked for, and says that there are more', async () => {
    chain();
    const answer = await resting().call('chain_search', { thread_id: idOf(1), query: 'needle', limit: 1 });
    expect(answer).toMatchObject({ hits: [{ thread_id: idOf(1) }], more: true });
  });

  test('shows a hit in a long text with what is around it', async () => {
    thread(1, [['cognition_out', { text: `${'a'.repeat(500)}needle${'b'.repeat(500)}`, model: 'm' }]]);
    const answer = await resting().call('chain_search', { thread_id: idOf(1), query: 'needle' });
    const snippet = `…${'a'.repeat(80)}needle${'b'.repeat(80)}…`;
    expect(answer).toMatchObject({ hits: [{ snippet }] });
  });

  test('is waited for to its end, and gives its last result under the id that was asked for', async () => {
    chain();
    const answer = await resting().call('wait_threads', { thread_ids: [idOf(1), idOf(3)] });
    expect(answer).toMatchObject({
      success: true,
      results: [
        { thread_id: idOf(1), status: 'completed', result: 'three', continued_as: idOf(3) },
        { thread_id: idOf(3), status: 'completed', result: 'three' },
      ],
    });
  });

  test('is paid for once in a total', async () => {
    const cost = { turns: 2, inputTokens: 10, outputTokens: 1, spend: 500_000_000 };
    thread(1, [['thread_continued', { successor: idOf(2) }]], { ...ended('continued'), cost });
    thread(2, [], { ...ended('completed', { cost }), cost, predecessor: 1 });
    thread(3, [], { ...ended('error', { cost, error: { code: 'internal', message: 'broke' } }), cost });
    const ids = [idOf(3), idOf(1), idOf(2), 'nobody'];
    expect(await resting().call('aggregate_results', { thread_ids: ids })).toMatchObject({
      success: false,
      results: [
        { thread_id: idOf(3), success: false, status: 'error', error: 'broke', cost: { spend: 0.5 } },
        { thread_id: idOf(1), success: true, continued_as: idOf(2), cost: { turns: 2 } },
        { thread_id: idOf(2), success: true },
        { thread_id: 'nobody', success: false, status: 'not_found', code: 'thread_not_found' },
      ],
      total: { turns: 4, input_tokens: 20, output_tokens: 2, spend: 1 },
    });
  });
});

describe('A wait of a running host', () => {
  test.each([
    ['', 0],
    [', also if the clock is moved back by hours', -5 * 3_600_000],
    [', also if the clock is moved forward by hours', 5 * 3_600_000],
  ])('goes on with the successors of threads that hand over, under one deadline%s', (_, moved) => {
    const bench = createHostBench();
    const first = bench.spawn();
    const answers: unknown[] = [];
    const order = {
      threadIds: [first.lineage.threadId],
      timeoutMs: 1_000,
      until: 'failFast' as const,
      isVisible: () => true,
    };
    const sources = { host: bench.host, recall: createRecall(reader), isStopped: () => false };
    createWaitFollowing(sources)({ ...order, done: (answer) => answers.push(answer) });
    bench.clock.advance(600);
    bench.clock.set(moved);
    const second = bench.handOver(first);
    bench.clock.advance(200);
    const third = bench.handOver(second);
    bench.clock.advance(199);
    expect(answers).toEqual([]);
    bench.clock.advance(1);
    expect(answers).toMatchObject([
      {
        ok: true,
        value: [{ threadId: first.lineage.threadId, status: 'timeout', continuedAs: third.lineage.threadId }],
      },
    ]);
  });

  test('says so if it can not be read who goes on, and waits for nobody', () => {
    const bench = createHostBench();
    const [first, second] = [bench.spawn(), bench.spawn()];
    handsOver(undefined, first.lineage);
    handsOver(first.lineage, second.lineage);
    bench.end(first, 'continued');
    bench.host.table.forget(second);
    const timers = bench.clock.pending();
    const thread = (id: string): ReturnType<StoreReader['thread']> => {
      if (id === second.lineage.threadId) throw new SkeinError('store_failed', 'disk I/O error');
      return reader.thread(id);
    };
    const host = { ...bench.host, reader: { ...reader, thread }, config };
    const answers: unknown[] = [];
    createWaitFollowing({ host, recall: createRecall(reader), isStopped: () => false })({
      threadIds: [first.lineage.threadId],
      timeoutMs: 1_000,
      until: 'all',
      isVisible: () => true,
      done: (answer) => answers.push(answer),
    });
    expect(answers).toMatchObject([{ ok: false, failure: { code: 'store_failed' } }]);
    expect(bench.clock.pending()).toBe(timers);
  });

  test('that fails takes its siblings with it, also beside one that can not be read', () => {
    let isBroken = false;
    const thread = (id: string): ReturnType<StoreReader['thread']> => {
      if (isBroken) throw new SkeinError('store_failed', 'disk I/O error');
      return reader.thread(id);
    };
    const resilience = { coordination: { cancel_siblings_on_failure: true } };
    const bench = createHostBench(resilience, { reader: { ...reader, thread } });
    const [failing, unread, sibling] = [bench.spawn(), bench.spawn(), bench.spawn()];
    const answers: unknown[] = [];
    createWaitFollowing({ host: bench.host, recall: createRecall(reader), isStopped: () => false })({
      threadIds: [failing, unread, sibling].map(({ lineage }) => lineage.threadId),
      timeoutMs: undefined,
      until: 'all',
      isVisible: () => true,
      done: (answer) => answers.push(answer),
    });
    bench.host.table.forget(unread);
    isBroken = true;
    bench.end(failing, 'error');
    expect(bench.cancelled()).toEqual([sibling.lineage.thread]);
    expect(bench.problems).toMatchObject([{ code: 'store_failed' }]);
    expect(answers).toEqual([]);
  });

  test('of which it can not be said whom its caller may know of says so', () => {
    const answers: unknown[] = [];
    const bench = createHostBench();
    const { threadId } = bench.spawn().lineage;
    const isVisible = (): never => {
      throw new SkeinError('store_failed', 'disk I/O error');
    };
    const order = { threadIds: [threadId], timeoutMs: undefined, until: 'all' as const, isVisible };
    const sources = { host: bench.host, recall: createRecall(reader), isStopped: () => false };
    createWaitFollowing(sources)({ ...order, done: (answer) => answers.push(answer) });
    expect(answers).toMatchObject([{ ok: false, failure: { code: 'store_failed' } }]);
  });

  test('of which the first has handed over already goes on with the second, and can be given up', () => {
    const bench = createHostBench();
    const [first, second] = [bench.spawn(), bench.spawn()];
    handsOver(undefined, first.lineage);
    handsOver(first.lineage, second.lineage);
    bench.end(first, 'continued');
    const timers = bench.clock.pending();
    const answers: unknown[] = [];
    const sources = { host: { ...bench.host, reader, config }, recall: createRecall(reader), isStopped: () => false };
    const wait = createWaitFollowing(sources)({
      threadIds: [first.lineage.threadId],
      timeoutMs: 1_000,
      until: 'all',
      isVisible: () => true,
      done: (answer) => answers.push(answer),
    });
    expect([second.waiters?.size, bench.clock.pending()]).toEqual([1, timers + 1]);
    wait.giveUp();
    expect([second.waiters?.size ?? 0, bench.clock.pending()]).toEqual([0, timers]);
    bench.end(second, 'completed');
    expect(answers).toEqual([]);
  });

  /** The store's side of a thread that hands over to another; of the first of a chain there is none before it. */
  function handsOver(from: Lineage | undefined, { thread: no, threadId }: Lineage): void {
    const payload = { successor: threadId };
    const line = encodeEvent({ sequence: 1, event_type: 'thread_continued', time: 5, payload });
    const end = from && step(from.thread, 1, { lines: line, ...ended('continued') });
    const next = admit(no, { threadId, ...(from && { predecessor: from.thread }) });
    expect(store.commit(end ? [end, next] : [next])).not.toContainEqual(expect.objectContaining({ type: 'failed' }));
  }
});

describe('Threads are listed', () => {
  test('newest first, by how they stand, at most as many as asked for', async () => {
    for (const no of [1, 2, 3]) thread(no);
    const listed = async (input: object): Promise<unknown> => {
      const answer = await resting().call('list_threads', input);
      const { threads, more } = answer as { threads: { thread_id: string }[]; more: boolean };
      return [threads.map(({ thread_id: id }) => id), more];
    };
    expect(await listed({})).toEqual([[idOf(3), idOf(2), idOf(1)], false]);
    expect(await listed({ limit: 2 })).toEqual([[idOf(3), idOf(2)], true]);
    // Nobody runs them any more.
    expect(await listed({ status: ['suspended'] })).toEqual([[idOf(3), idOf(2), idOf(1)], false]);
    expect(await listed({ status: ['created', 'running', 'completed'] })).toEqual([[], false]);
  });

  // One more query says where the next range begins, or that there is none.
  test.each<[Partial<OperationInput<'list_threads'>>, numbers: number[], more: boolean, ranges: number]>([
    [{ status: ['created'] }, [9_000, 2_501, 2_500, 1_500, 1], false, 4],
    [{ status: ['created'], after: idOf(2_501) }, [2_500, 1_500, 1], false, 3],
    [{ directive: 'demo/task', limit: 3 }, [9_000, 2_501, 2_500], true, 3],
    [{ directive: 'demo/task', limit: 2, after: idOf(2_500) }, [1_500, 1], false, 2],
    [{ status: ['completed'] }, [], false, 4],
  ])('as if at once, and looked for in ranges that begin at a thread: %j', async (input, numbers, more, ranges) => {
    const { operations, asked, looks } = scattered();
    const listed = numbers.map((no) => ({ thread_id: idOf(no) }));
    expect(await operations.call('list_threads', input)).toMatchObject({ threads: listed, more });
    const found = asked.filter(({ after }) => after !== undefined);
    expect([found.length, asked.length]).toEqual([ranges, more ? 2 * ranges : 2 * ranges + 1]);
    expect(found.every(({ before = Infinity, after = 0 }) => before - after <= 1_001)).toBe(true);
    expect(looks()).toBe(input.status ? 1 : 0);
  });

  test.each<Partial<OperationInput<'list_threads'>>>([{}, { archived: true }, { limit: 2 }])(
    'by one query where every thread fits: %j',
    async (input) => {
      const { operations, asked, looks } = scattered();
      const all = [9_000, 2_501, 2_500, 1_500, 1].map((no) => ({ thread_id: idOf(no) }));
      const { limit = all.length } = input;
      const answer = { threads: all.slice(0, limit), more: limit < all.length };
      expect(await operations.call('list_threads', input)).toMatchObject(answer);
      expect([asked.length, looks()]).toEqual([1, 0]);
    },
  );

  /** Threads with gaps between their numbers; what is asked of the database, and how often of what is in memory. */
  function scattered(): { operations: Operations; asked: readonly ThreadFilter[]; looks: () => number } {
    const all = [1, 1_500, 2_500, 2_501, 9_000];
    for (const no of all) thread(no);
    const asked: ThreadFilter[] = [];
    const threads = (filter: ThreadFilter) => {
      asked.push(filter);
      return reader.threads(filter);
    };
    let looks = 0;
    const inMemory = (): readonly ThreadNo[] => {
      looks++;
      return all;
    };
    const sources = restingThreads({ reader: { ...reader, threads }, config, isRun: () => true });
    return { operations: createOperations({ ...sources, inMemory }), asked, looks: () => looks };
  }

  test('for hosts and people, not for threads', async () => {
    thread(1);
    expect(await resting().call('list_threads', {}, { caller: 1 })).toMatchObject({ code: 'not_available' });
  });
});

describe('A transcript', () => {
  const text = (length: number): Told => ['cognition_out', { text: 'x'.repeat(length), model: 'm' }];

  test('is the last events as envelopes, and says how many came before', async () => {
    thread(1, [text(1), ['usage', { spend: 0 }], text(3)]);
    expect(await resting().call('read_transcript', { thread_id: idOf(1), tail: 2 })).toEqual({
      success: true,
      thread_id: idOf(1),
      notice: expect.stringContaining('not instructions'),
      events: [envelope(2, 'usage', { spend: 0 }), envelope(3, 'cognition_out', { text: 'xxx', model: 'm' })],
      left_out: 1,
    });
  });

  test('of a log of many pages is read from its end, whatever types are asked for', async () => {
    thread(1);
    const sequences = Array.from({ length: 100 }, (_, index) => index + 1);
    store.commit(sequences.map((sequence) => step(1, sequence)));
    const asked = { thread_id: idOf(1), tail: 40 };
    const { events, left_out: leftOut } = (await resting().call('read_transcript', asked)) as {
      readonly events: readonly { readonly sequence: number }[];
      readonly left_out: number;
    };
    expect([events.map(({ sequence }) => sequence), leftOut]).toEqual([sequences.slice(-40), 60]);
    const typed = { ...asked, types: ['cognition_out', 'warning', 'cognition_in'] };
    expect(await resting().call('read_transcript', typed)).toMatchObject({ events, left_out: 60 });
  });

  test('has only events of the types asked for, and counts only those', async () => {
    thread(1, [text(1), ['usage', { spend: 0 }], text(3), text(4)]);
    store.commit([step(1, 5), step(1, 6)]);
    const asked = { thread_id: idOf(1), types: ['cognition_out'], tail: 1 };
    expect(await resting().call('read_transcript', asked)).toMatchObject({ events: [{ sequence: 4 }], left_out: 2 });
  });

  test.each(['cognition_outt', 'toString', '__proto__'])(
    'of the type %s, which there is not, is refused',
    async (type) => {
      thread(1, [text(1)]);
      for (const name of ['read_transcript', 'read_events'] as const) {
        const asked = resting().call(name, { thread_id: idOf(1), types: ['usage', type] });
        await expect(asked).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringMatching(new RegExp(`"${type}"; there are: thread_started, .*usage`)),
        });
      }
    },
  );

  test('is no longer than asked for, and keeps the newest', async () => {
    thread(1, [text(400), text(400), text(400), text(400), text(400)]);
    const answer = await resting().call('read_transcript', { thread_id: idOf(1), max_bytes: 2_000 });
    const { events, left_out: leftOut } = answer as { events: { sequence: number }[]; left_out: number };
    expect(Buffer.byteLength(JSON.stringify(events))).toBeLessThanOrEqual(2_000 + events.length + 1);
    expect([events.map(({ sequence }) => sequence), leftOut]).toEqual([[2, 3, 4, 5], 1]);
  });

  test.each<[string, object, unknown]>([
    [
      'a long text',
      { text: 'é'.repeat(90_000), model: 'm' },
      { text: expect.stringMatching(/^é+\[\d+ characters left out\]$/), model: 'm' },
    ],
    [
      'too many short ones',
      { list: Array.from({ length: 9_000 }, () => 'abc') },
      { left_out: expect.stringMatching(/^\[payload of \d+ bytes left out\]$/) },
    ],
  ])('shows an event with %s in part, and says so', async (_, payload, shown) => {
    thread(1, [['cognition_out', payload], text(3)]);
    const answer = await resting().call('read_transcript', { thread_id: idOf(1) });
    expect(answer).toMatchObject({
      events: [{ sequence: 1, payload: shown, cut: true }, { sequence: 2 }],
      left_out: 0,
    });
    expect(JSON.stringify(answer).length).toBeLessThan(65_536);
  });

  function envelope(sequence: number, event_type: string, payload: object): object {
    const timestamp = '1970-01-01T00:00:00.005Z';
    return { thread_id: idOf(1), event_type, timestamp, payload, criticality: 'critical', sequence };
  }
});

describe('Children', () => {
  beforeEach(() => {
    thread(1);
    thread(2, [], { parent: 1 });
    for (const no of [3, 4, 5, 6]) thread(no, [], { parent: 1, ...ended('completed') });
    thread(7, [], { parent: 2 });
  });

  test('come oldest first, a page at a time', async () => {
    const pages: string[][] = [];
    let after: string | undefined;
    do {
      const answer = await resting().call('list_children', { thread_id: idOf(1), limit: 2, after });
      const page = answer as { children: { thread_id: string }[]; next?: string };
      pages.push(page.children.map(({ thread_id: id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(pages).toEqual([[idOf(2), idOf(3)], [idOf(4), idOf(5)], [idOf(6)]]);
  });

  test.each([
    ['nobody', 'thread-no'],
    ['a child of another', idOf(7)],
    ['the thread itself', idOf(1)],
  ])('that follow %s are not the first ones: it is no child', async (_, after) => {
    const answer = await resting().call('list_children', { thread_id: idOf(1), after });
    expect(answer).toEqual({ success: false, error: `Thread not found: ${after}`, code: 'thread_not_found' });
  });

  test('are none where there are none', async () => {
    const answer = await resting().call('list_children', { thread_id: idOf(7) });
    expect(answer).toEqual({ success: true, thread_id: idOf(7), children: [] });
  });
});

describe('What a suspended thread waits for', () => {
  const approvalId = `approval-${'0'.repeat(32)}` as const;
  const texts = { askedBy: 'd on_exceed', message: 'more?' };
  const values = { limitCode: 'spend_exceeded', currentValue: 2_000_000_000, currentMax: 1_000_000_000 };
  const request = { approvalId, reason: 'limit', ...texts, ...values, suggested: undefined } as const;
  const asked = { asked_by: 'd on_exceed', message: 'more?', limit_code: 'spend_exceeded' };
  const suspended = { status: { to: 'suspended', reason: 'limit' } } as const;

  const shown = { approval_id: approvalId, ...asked, current_value: 2, current_max: 1 };
  const decision = { approvalId, status: 'granted', by: 'a person', granted: undefined } as const;

  test.each<[string, Row, Partial<StepOp>, unknown]>([
    ['an approval', { request }, {}, shown],
    ['nothing, once it was answered', { request }, { decision }, undefined],
    ['nothing, if nothing was asked', {}, {}, undefined],
  ])('is %s', async (_, more, then, approval) => {
    thread(1, [], { ...suspended, ...more });
    expect(store.commit([step(1, 1, then)])).toEqual([true]);
    const answer = await resting().call('get_status', { thread_id: idOf(1) });
    expect(answer).toMatchObject({ status: 'suspended', suspend_reason: 'limit' });
    expect((answer as { approval?: unknown }).approval).toEqual(approval);
  });
});

test('A status says what a thread and all below it have spent', async () => {
  const spend = (no: number, actual: number) => step(no, 1, { settle: { reserved: 0, actual } });
  store.commit([admit(1), admit(2, { parent: 1, ceiling: 10 }), spend(1, 2_000_000), spend(2, 5_000_000)]);
  const spent = async (no: number) => resting().call('get_status', { thread_id: idOf(no) });
  expect(await spent(1)).toMatchObject({ cost: { spend: 0 }, tree_spend: 0.007 });
  expect(await spent(2)).toMatchObject({ tree_spend: 0.005 });
});

describe('A stored database without its runtime', () => {
  test.each([
    ['runs', { to: 'running' }, 'gone', false, 'suspended', []],
    ['runs', { to: 'running' }, 'there, and not to be spoken to', true, 'running', [idOf(1)]],
    ['rests', { to: 'suspended', reason: 'user' }, 'there, and not to be spoken to', true, 'suspended', []],
  ] as const)('says of what %s by its row (%j), with a runtime that is %s', async (...row) => {
    const [, change, , isRun, status, active] = row;
    thread(1, [], { status: change });
    expect(await resting(isRun).call('get_status', { thread_id: idOf(1) })).toMatchObject({ status });
    expect(await resting(isRun).call('list_active', {})).toMatchObject({ active_threads: active });
    const waited = await resting(isRun).call('wait_threads', { thread_ids: [idOf(1)] });
    expect(waited).toMatchObject({ success: false, results: [{ status }] });
  });

  test('asks for each answer whether one runs it, and not for each thread of it', async () => {
    for (const no of [1, 2, 3]) thread(no, [], { status: { to: 'running' } });
    let asked = 0;
    // Its runtime goes after the first answer.
    const operations = createOperations(restingThreads({ reader, config, isRun: () => asked++ === 0 }));
    for (const status of ['running', 'suspended']) {
      const threads = [1, 2, 3].map(() => ({ status }));
      expect(await operations.call('list_threads', {})).toMatchObject({ threads });
    }
    expect(asked).toBe(2);
  });

  test.each(['cancel_thread', 'kill_thread', 'resume_thread'])('refuses %s', async (name) => {
    thread(1, [], { status: { to: 'suspended', reason: 'user' } });
    const call = resting().call(name, { thread_id: idOf(1) });
    await expect(call).rejects.toMatchObject({ code: 'runtime_closed' });
  });
});

const ONE_THREAD = Object.entries(OPERATIONS).filter(([, { input }]) => 'thread_id' in input.shape);

test.each(ONE_THREAD.map(([name]) => name))(
  '%s of an unknown thread is answered with thread_not_found',
  async (name) => {
    const more: Record<string, object> = { chain_search: { query: 'x' }, fork_thread: { at: 0 } };
    expect(await resting().call(name, { thread_id: 'thread-no', ...more[name] })).toEqual({
      success: false,
      error: 'Thread not found: thread-no',
      code: 'thread_not_found',
    });
  },
);

test.each<[string, string, unknown]>([
  ['an unknown operation', 'approve_everything', {}],
  ['an operation named like a property of every object', 'constructor', {}],
  ['a field too many', 'get_status', { thread_id: 'a', force: true }],
  ['no id', 'get_status', {}],
  ['an id that is no text', 'kill_thread', { thread_id: 7 }],
  ['nothing', 'get_status', undefined],
  ['a page of nothing', 'list_children', { thread_id: 'a', limit: 0 }],
  ['an empty query', 'chain_search', { thread_id: 'a', query: '' }],
])('%s is refused as invalid_argument', async (_, name, input) => {
  await expect(resting().call(name, input)).rejects.toMatchObject({ code: 'invalid_argument' });
});

describe('A thread that asks', () => {
  // 1 has the children 2 and 3, and 2 the child 4; 9 is a tree of its own.
  beforeEach(() => {
    thread(1);
    thread(2, [], { parent: 1 });
    thread(3, [], { parent: 1 });
    thread(4, [], { parent: 2 });
    thread(9);
  });

  const READS: readonly OperationName[] = ['get_status', 'list_children', 'get_chain', 'read_transcript'];
  const ACTS: readonly OperationName[] = ['handoff_thread'];

  test.each<[ThreadNo, ThreadNo, boolean, boolean]>([
    [2, 4, true, true],
    [1, 4, true, true],
    [2, 2, true, false],
    [2, 1, false, false],
    [2, 3, false, false],
    [2, 9, false, false],
  ])('as %i about %i may read: %j, and act: %j', async (caller, target, mayRead, mayAct) => {
    for (const [names, may] of [
      [READS, mayRead],
      [ACTS, mayAct],
    ] as const) {
      for (const name of names) {
        // What is allowed to act needs a runtime, which is not there.
        const code = await resting()
          .call(name, { thread_id: idOf(target) }, { caller })
          .then(
            (answer) => ('code' in answer ? answer.code : undefined),
            (thrown: unknown) => toFailure(thrown).code,
          );
        expect([name, code !== 'thread_not_found']).toEqual([name, may]);
      }
    }
  });

  test('hears of others in a list of ids that they are not found', async () => {
    const input = { thread_ids: [idOf(4), idOf(3), idOf(1)] };
    const statuses = ['suspended', 'not_found', 'not_found'];
    for (const name of ['wait_threads', 'aggregate_results']) {
      const answer = await resting().call(name, input, { caller: 2 });
      const { results } = answer as { readonly results: readonly { readonly status: string }[] };
      expect(results.map(({ status }) => status)).toEqual(statuses);
      expect(results[1]).toMatchObject({ error: `Thread not found: ${idOf(3)}`, code: 'thread_not_found' });
    }
  });

  test('and has taken over from another has what that one was and started', async () => {
    store.commit([step(2, 0, ended('continued'))]);
    thread(10, [['thread_started', { continues: idOf(2) }]], { predecessor: 2 });
    const read = (no: ThreadNo) => resting().call('get_status', { thread_id: idOf(no) }, { caller: 10 });
    expect(await Promise.all([read(2), read(4), read(3)])).toMatchObject([
      { success: true },
      { success: true },
      { success: false, code: 'thread_not_found' },
    ]);
  });
});
