import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { endingOf } from '../../../test/fixtures/host-bench.ts';
import type { TerminalStatus } from '../../core/ending.ts';
import { SkeinError } from '../../core/errors.ts';
import type { ThreadId } from '../../core/ids.ts';
import { NO_COST } from '../../core/limits.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import { createThreadTable, type ThreadEntry } from '../rest/thread-table.ts';
import { Wait, type WaitAnswer, type WaitOrder } from './waits.ts';

describe('Waiting for all', () => {
  test('ends with the last thread, in the order asked and with what each delivered', () => {
    const { entries, wait } = open(3);
    const waited = wait({ of: [3, 1, 2] });
    end(entries[1]);
    end(entries[2], 'error');
    expect(waited.results).toBeUndefined();
    end(entries[3]);
    expect(statuses(waited)).toEqual(['3:completed', '1:completed', '2:error']);
    expect(waited.results?.[2]?.ending).toEqual(endingOf('error'));
  });

  test('is over at once when all have ended', () => {
    const { entries, wait } = open(2);
    end(entries[1]);
    end(entries[2]);
    expect(statuses(wait({ of: [1, 2] }))).toEqual(['1:completed', '2:completed']);
  });

  test('of nobody is over at once', () => {
    expect(open(0).wait({ of: [] }).results).toEqual([]);
  });

  test('counts a suspended thread as there, also one suspended later', () => {
    const { entries, wait } = open(2);
    suspend(entries[1]);
    const waited = wait({ of: [1, 2] });
    expect(waited.results).toBeUndefined();
    suspend(entries[2]);
    expect(statuses(waited)).toEqual(['1:suspended', '2:suspended']);
    expect(waited.results?.[0]?.ending).toBeUndefined();
  });

  test('goes on after a failure', () => {
    const { entries, wait } = open(2);
    const waited = wait({ of: [1, 2] });
    end(entries[1], 'error');
    expect(waited.results).toBeUndefined();
  });

  test('waits again for a suspended thread that goes on meanwhile', () => {
    const { entries, wait } = open(2);
    suspend(entries[1]);
    const waited = wait({ of: [1, 2] });
    put(entries[1], 'running');
    end(entries[2]);
    expect(waited.results).toBeUndefined();
    end(entries[1]);
    expect(statuses(waited)).toEqual(['1:completed', '2:completed']);
  });

  test('does not count a suspended thread as there whose resumption is being written', () => {
    const { entries, wait, clock } = open(1);
    suspend(entries[1]);
    if (entries[1]) entries[1].resuming = true;
    const waited = wait({ of: [1] });
    const late = wait({ of: [1], timeoutMs: 10 });
    clock.advance(10);
    expect([waited.results, statuses(late)]).toEqual([undefined, ['1:timeout']]);
    put(entries[1], 'running');
    end(entries[1]);
    expect(statuses(waited)).toEqual(['1:completed']);
  });

  test('waits again for a thread that was suspended during the wait and went on', () => {
    const { entries, wait } = open(2);
    const waited = wait({ of: [1, 2] });
    suspend(entries[1]);
    put(entries[1], 'running');
    end(entries[2]);
    expect(waited.results).toBeUndefined();
    suspend(entries[1]);
    expect(statuses(waited)).toEqual(['1:suspended', '2:completed']);
    expect(waiters(entries)).toBe(0);
  });

  test('is over when its runtime stops, and what has not ended is suspended', () => {
    const { entries, wait, stop } = open(2);
    const waited = wait({ of: [1, 2] });
    end(entries[1]);
    stop();
    wake(entries[2]);
    expect(statuses(waited)).toEqual(['1:completed', '2:suspended']);
  });

  test('that begins when its runtime has stopped is over at once, and leaves nothing behind', () => {
    const { entries, clock, wait, stop } = open(2);
    end(entries[1]);
    stop();
    expect(statuses(wait({ of: [1, 2], timeoutMs: 1000 }))).toEqual(['1:completed', '2:suspended']);
    expect([waiters(entries), clock.pending()]).toEqual([0, 0]);
  });

  test('takes an id that is given twice as one thread, and answers for both', () => {
    const { entries, wait } = open(1);
    const waited = wait({ of: [1, 1] });
    end(entries[1]);
    expect(statuses(waited)).toEqual(['1:completed', '1:completed']);
  });

  test('asks the store about threads that are not in memory, and does not wait for them', () => {
    const { entries, wait } = open(1, { 7: 'completed', 8: 'not_found' });
    const waited = wait({ of: [8, 1, 7] });
    end(entries[1]);
    expect(statuses(waited)).toEqual(['8:not_found', '1:completed', '7:completed']);
  });

  test('answers once, however often its threads change', () => {
    const { entries, wait } = open(1);
    const waited = wait({ of: [1], timeoutMs: 100 });
    suspend(entries[1]);
    end(entries[1]);
    expect(waited.answers).toBe(1);
  });
});

describe('Waiting for the first', () => {
  test('ends with whoever ends first; the others are reported as not there yet', () => {
    const { entries, wait } = open(3);
    const waited = wait({ of: [1, 2, 3], until: 'first' });
    expect(waited.results).toBeUndefined();
    end(entries[2]);
    expect(statuses(waited)).toEqual(['1:running', '2:completed', '3:running']);
  });

  test('is over at once when one has ended', () => {
    const { entries, wait } = open(2);
    end(entries[2]);
    expect(wait({ of: [1, 2], until: 'first' }).answers).toBe(1);
  });

  test('takes an id that is given twice as one thread', () => {
    const { entries, wait } = open(1);
    const waited = wait({ of: [1, 1], until: 'first' });
    expect(waited.results).toBeUndefined();
    end(entries[1]);
    expect(waited.answers).toBe(1);
  });

  test('leaves no waiter on the others', () => {
    const { entries, wait } = open(3);
    wait({ of: [1, 2, 3], until: 'first' });
    end(entries[2]);
    expect(waiters(entries)).toBe(0);
  });
});

describe('Waiting with failFast', () => {
  test('ends with a thread that was suspended before and is cancelled then', () => {
    const { entries, wait } = open(2);
    suspend(entries[1]);
    const waited = wait({ of: [1, 2], until: 'failFast' });
    end(entries[1], 'cancelled');
    expect(statuses(waited)).toEqual(['1:cancelled', '2:running']);
  });

  test('ends with the first failure', () => {
    const { entries, wait } = open(3);
    const waited = wait({ of: [1, 2, 3], until: 'failFast' });
    end(entries[1]);
    expect(waited.results).toBeUndefined();
    end(entries[3], 'cancelled');
    expect(statuses(waited)).toEqual(['1:completed', '2:running', '3:cancelled']);
  });

  test('ends with the last thread when none fails', () => {
    const { entries, wait } = open(2);
    const waited = wait({ of: [1, 2], until: 'failFast' });
    end(entries[1]);
    end(entries[2]);
    expect(statuses(waited)).toEqual(['1:completed', '2:completed']);
  });

  test('is over at once when one has failed', () => {
    const { entries, wait } = open(2);
    end(entries[1], 'error');
    expect(wait({ of: [1, 2], until: 'failFast' }).answers).toBe(1);
  });

  test('is over at once when one has failed that only the store still knows', () => {
    const { wait } = open(1, { 7: 'error' });
    expect(statuses(wait({ of: [1, 7], until: 'failFast' }))).toEqual(['1:running', '7:error']);
  });
});

describe('A thread that hands over while others wait for it', () => {
  test('fails in its successor: a wait with failFast is over, and whoever asked for the first failure is told', () => {
    const { entries, wait, handOver } = open(2);
    const failFast = wait({ of: [1, 2], until: 'failFast' });
    let told = 0;
    const all = wait({ of: [1, 2], failed: () => told++ });
    const next = handOver(entries[1]);
    expect([failFast.answers, told]).toEqual([0, 0]);
    end(next, 'error');
    expect([statuses(failFast), all.answers, told]).toEqual([['3:error', '2:running'], 0, 1]);
  });

  test('is not there before its successor is', () => {
    const { entries, wait, handOver } = open(2);
    const [first, all] = [wait({ of: [1, 2], until: 'first' }), wait({ of: [1, 2] })];
    const next = handOver(entries[1]);
    expect([first.answers, all.answers]).toEqual([0, 0]);
    end(next);
    expect([statuses(first), all.answers]).toEqual([['3:completed', '2:running'], 0]);
    end(entries[2]);
    expect([statuses(all), waiters({ ...entries, 3: next })]).toEqual([['3:completed', '2:completed'], 0]);
  });

  test('is not kept in memory by them', async () => {
    setFlagsFromString('--expose-gc');
    // A context that is made after the flag has what the flag adds.
    const collect = runInNewContext('gc') as () => void;
    const { waited, next, first } = waitForHeir();
    // A weak reference holds on to what it names until the job that made it is over.
    await new Promise(setImmediate);
    collect();
    expect(first.deref()).toBeUndefined();
    end(next);
    expect(statuses(waited)).toEqual(['2:completed']);
  });

  /** In a function of its own: nothing of this one's frame is left when it has returned. */
  function waitForHeir(): { waited: Waited; next: ThreadEntry; first: WeakRef<ThreadEntry> } {
    const { entries, wait, handOver, forget } = open(1);
    const first = entries[1];
    const waited = wait({ of: [1] });
    const next = handOver(first);
    forget(1);
    if (!first) throw new Error('no such thread');
    return { waited, next, first: new WeakRef(first) };
  }
});

describe('The deadline of a wait', () => {
  test('is one for all threads, and reports those that are not there as timeout', () => {
    const { entries, wait, clock } = open(2);
    const waited = wait({ of: [1, 2], timeoutMs: 1000 });
    clock.advance(900);
    end(entries[1]);
    clock.advance(99);
    expect(waited.results).toBeUndefined();
    clock.advance(1);
    expect(statuses(waited)).toEqual(['1:completed', '2:timeout']);
  });

  test('leaves no waiter behind', () => {
    const { entries, wait, clock } = open(3);
    wait({ of: [1, 2, 3], timeoutMs: 10 });
    clock.advance(10);
    expect(waiters(entries)).toBe(0);
  });

  test('leaves no timer behind when the threads are there first', () => {
    const { entries, wait, clock } = open(1);
    wait({ of: [1], timeoutMs: 1000 });
    expect(clock.pending()).toBe(1);
    end(entries[1]);
    expect(clock.pending()).toBe(0);
  });

  test('sets no timer for a wait that is over at once', () => {
    const { wait, clock } = open(0);
    wait({ of: [], timeoutMs: 1000 });
    expect(clock.pending()).toBe(0);
  });

  test('of 0 ms asks how things stand', () => {
    const { wait, clock } = open(1);
    const waited = wait({ of: [1], timeoutMs: 0 });
    clock.advance(0);
    expect(statuses(waited)).toEqual(['1:timeout']);
  });
});

describe('What threads have used that have not ended', () => {
  test('is known of those that are suspended, and no row is read for it', () => {
    const { entries, wait, reads } = open(1);
    Object.assign(entries[1] ?? {}, { lastCost: COST });
    suspend(entries[1]);
    expect(wait({ of: [1] }).results).toMatchObject([{ status: 'suspended', cost: COST }]);
    expect(reads()).toBe(0);
  });

  test('is read for those that are late, which one that can not be read keeps from no answer', () => {
    const { wait, clock } = open(2, { 1: 'open', 2: 'unreadable' });
    const waited = wait({ of: [1, 2], timeoutMs: 10 });
    clock.advance(10);
    expect(waited.refusal).toBeUndefined();
    expect(waited.results?.map(({ status, cost }) => [status, cost])).toEqual([
      ['timeout', COST],
      ['timeout', undefined],
    ]);
  });

  test('is left out beyond the first 250 that are late: their rows are read in one go', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const { wait, clock, reads } = open(1_000, Object.fromEntries(all.map((no) => [no, 'open'])));
    const waited = wait({ of: all, timeoutMs: 10 });
    clock.advance(10);
    expect(reads()).toBe(250);
    expect(waited.results?.filter(({ cost }) => cost)).toHaveLength(250);
  });
});

describe('A wait that is given up', () => {
  test('is not answered, and leaves no waiter and no timer behind', () => {
    const { entries, wait, clock } = open(2);
    const waited = wait({ of: [1, 2], timeoutMs: 1000 });
    waited.giveUp();
    expect([waiters(entries), clock.pending()]).toEqual([0, 0]);
    end(entries[1]);
    end(entries[2]);
    clock.advance(2000);
    expect(waited.answers).toBe(0);
  });

  test('while it is told of a failure leaves nothing behind', () => {
    const { entries, clock, wait } = open(2);
    end(entries[1], 'error');
    const atOnce = wait({ of: [1, 2], timeoutMs: 10, failed: (given) => given.giveUp() });
    expect([waiters(entries), clock.pending()]).toEqual([0, 0]);
    const later = wait({ of: [2], timeoutMs: 10, failed: (given) => given.giveUp() });
    end(entries[2], 'error');
    expect([waiters(entries), clock.pending()]).toEqual([0, 0]);
    expect([atOnce.answers, later.answers]).toEqual([0, 0]);
  });

  test('does not disturb another wait for the same thread', () => {
    const { entries, wait } = open(1);
    const given = wait({ of: [1] });
    const kept = wait({ of: [1] });
    given.giveUp();
    end(entries[1]);
    expect([given.answers, kept.answers]).toEqual([0, 1]);
  });
});

describe('With a thread that can not be read back', () => {
  test.each<[string, (it: ReturnType<typeof open>) => void]>([
    ['the others have ended', ({ entries }) => end(entries[1])],
    ['its time is over', ({ clock }) => clock.advance(1_000)],
  ])('a wait says so once %s, and harms no other', (_, pass) => {
    const it = open(1, { 2: 'unreadable' });
    const waited = it.wait({ of: [1, 2], timeoutMs: 1_000 });
    const other = it.wait({ of: [1], timeoutMs: 1_000 });
    pass(it);
    expect(waited).toMatchObject({ refusal: 'store_failed', results: undefined, answers: 1 });
    expect(other).toMatchObject({ refusal: undefined, answers: 1 });
    expect([waiters(it.entries), it.clock.pending()]).toEqual([0, 0]);
  });

  test('a wait that has to know how it stands says so at once', () => {
    const { entries, clock, wait } = open(1, { 2: 'unreadable' });
    const waited = wait({ of: [1, 2], until: 'failFast', timeoutMs: 1_000 });
    expect(waited).toMatchObject({ refusal: 'store_failed', answers: 1 });
    expect([waiters(entries), clock.pending()]).toEqual([0, 0]);
  });
});

type Waited = {
  results: readonly WaitedThread[] | undefined;
  refusal: string | undefined;
  answers: number;
  readonly giveUp: () => void;
};
type Asked = Pick<Partial<WaitOrder>, 'timeoutMs' | 'until'> & {
  readonly of: readonly number[];
  readonly failed?: (wait: Wait) => void;
};

type Stored = TerminalStatus | 'not_found' | 'unreadable' | 'open';

const COST = { ...NO_COST, turns: 3 };

/** Threads 1 to `count` in memory, and others only in the store. */
function open(count: number, stored: Readonly<Record<number, Stored>> = {}) {
  const table = createThreadTable();
  const clock = createHandClock();
  const entries: Record<number, ThreadEntry> = {};
  for (let no = 1; no <= count; no++) {
    const lineage = { thread: no, threadId: idOf(no), parent: undefined, parentId: undefined, root: no };
    entries[no] = table.add(lineage, undefined);
  }
  let reads = 0;
  const recall = (id: string): WaitedThread => {
    reads++;
    const status = stored[numberOf(id)] ?? 'not_found';
    if (status === 'unreadable') throw new SkeinError('store_failed', 'disk I/O error');
    if (status === 'open') return { threadId: id as ThreadId, status: 'suspended', ending: undefined, cost: COST };
    const ending = status === 'not_found' ? undefined : endingOf(status);
    return { threadId: id as ThreadId, status, ending };
  };
  let isStopped = false;
  const wait = ({ of, timeoutMs, until = 'all', failed }: Asked): Waited => {
    const waited: Omit<Waited, 'giveUp'> = { results: undefined, refusal: undefined, answers: 0 };
    const done = (answer: WaitAnswer): void => {
      waited.results = answer.ok ? answer.value : undefined;
      waited.refusal = answer.ok ? undefined : answer.failure.code;
      waited.answers++;
    };
    const sources = { table, clock, recall, isStopped: () => isStopped };
    const order = { threadIds: of.map(idOf), timeoutMs, until, failed: () => failed?.(begun), done };
    const begun: Wait = new Wait(order, sources);
    begun.begin();
    return Object.assign(waited, { giveUp: () => begun.giveUp() });
  };
  const handOver = (entry: ThreadEntry | undefined): ThreadEntry => {
    if (!entry) throw new Error('no such thread');
    const lineage = { ...entry.lineage, thread: count + 1, threadId: idOf(count + 1) };
    const next = table.succeed(entry, { ...lineage, continues: entry.lineage.threadId });
    end(entry, 'continued');
    return put(next, 'running');
  };
  const forget = (no: number): void => {
    const entry = entries[no];
    if (entry) table.forget(entry);
    delete entries[no];
  };
  return { entries, clock, wait, handOver, forget, stop: () => void (isStopped = true), reads: () => reads };
}

function idOf(no: number): ThreadId {
  return `thread-${String(no).padStart(32, '0')}`;
}

function numberOf(id: string): number {
  return Number(id.slice('thread-'.length));
}

function end(entry: ThreadEntry | undefined, status: TerminalStatus = 'completed'): void {
  const ended = put(entry, 'ended');
  ended.ending = endingOf(status);
  wake(ended);
}

function suspend(entry: ThreadEntry | undefined): void {
  wake(put(entry, 'suspended'));
}

/** Nobody is woken, as when a thread is resumed. */
function put(entry: ThreadEntry | undefined, phase: ThreadEntry['phase']): ThreadEntry {
  if (!entry) throw new Error('no such thread');
  return Object.assign(entry, { phase });
}

/** As the host wakes waiters: each once. */
function wake(entry: ThreadEntry | undefined): void {
  const woken = entry?.waiters;
  if (entry) entry.waiters = undefined;
  for (const waiter of woken ?? []) waiter();
}

function waiters(entries: Readonly<Record<number, ThreadEntry>>): number {
  return Object.values(entries).reduce((sum, { waiters }) => sum + (waiters?.size ?? 0), 0);
}

function statuses({ results }: Waited): string[] | undefined {
  return results?.map(({ threadId, status }) => `${numberOf(threadId)}:${status}`);
}
