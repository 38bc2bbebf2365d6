import { expect, test } from 'vitest';
import { createHostBench, suspendedRow } from '../../../test/fixtures/host-bench.ts';
import type { ParentLog } from '../../core/child-events.ts';
import type { ThreadStatus } from '../../core/ending.ts';
import { encodeEvent, type EventType } from '../../core/events.ts';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import { NO_COST } from '../../core/limits.ts';
import type { LoadOp, StoredThread, StoreResult } from '../../core/store.ts';
import { addInherited } from './inherited-children.ts';

const UNREADABLE: StoreResult = { type: 'failed', failure: { code: 'store_failed', message: 'disk I/O error' } };

/** 3 took over from 2, and 2 goes on from 1. */
test.each<[string, StoreResult, readonly ThreadNo[], readonly string[]]>([
  ['of all that handed over', loaded(1, 'continued'), [1, 2, 3], []],
  ['of none that it was resumed from', loaded(1, 'completed'), [2, 3], []],
  ['up to one that can not be read, which is told', UNREADABLE, [2, 3], ['disk I/O error']],
])('A thread inherits the children %s, and of their logs the lines about children', (_, first, found, problems) => {
  const bench = createHostBench();
  const families: ParentLog[] = [];
  const asked: LoadOp['withChildren'][] = [];
  addInherited(stored(3, 'suspended'), bench.host, (family) => families.push(family));
  bench.commit((op) => {
    if (op.type === 'load') asked.push(op.withChildren);
    return op.type === 'load' && op.thread === 2 ? loaded(2, 'continued') : first;
  });
  const [family] = families;
  expect(families).toHaveLength(1);
  expect(family?.row.threadId).toBe(idOf(3));
  expect(family?.lines).toBe(found.map((no) => event('child_thread_started', no)).join(''));
  expect(family?.children.map(({ threadId }) => threadId)).toEqual(found.map((no) => idOf(10 + no)));
  expect(asked).toEqual(['only', 'only']);
  expect(bench.problems.map(({ message }) => message)).toEqual(problems);
});

function loaded(no: ThreadNo, status: ThreadStatus): StoreResult {
  return { type: 'loaded', thread: stored(no, status) };
}

/** Its log has more than what is said of its one child. */
function stored(no: ThreadNo, status: ThreadStatus): StoredThread {
  const lineage = { thread: no, threadId: idOf(no), parent: undefined, parentId: undefined, root: no };
  const predecessor = no > 1 ? no - 1 : undefined;
  return {
    row: { ...suspendedRow(lineage), status, predecessor },
    spec: '{}',
    checkpoint: undefined,
    lines: event('cognition_out', no) + event('child_thread_started', no) + event('usage', no),
    lastSequence: 3,
    children: [{ threadId: idOf(10 + no), directive: 'demo/child', status: 'running', cost: NO_COST }],
  };
}

function event(event_type: EventType, no: ThreadNo): string {
  return encodeEvent({ sequence: 1, event_type, time: 0, payload: { child_thread_id: idOf(10 + no) } });
}

function idOf(no: ThreadNo): ThreadId {
  return `thread-${no}`;
}
