import { costPayload } from './cost-payload.ts';
import { isEnded } from './ending.ts';
import { decodeEvents, type EventPayloads } from './events.ts';
import type { ThreadId } from './ids.ts';
import type { StoredChild } from './store.ts';

/** An event of a parent's log that is about a child. */
export type ChildEvent =
  | { readonly type: 'child_thread_started'; readonly payload: EventPayloads['child_thread_started'] }
  | { readonly type: 'child_thread_ended'; readonly payload: EventPayloads['child_thread_ended'] };

/** A parent as it is read back. */
export type ParentLog = {
  readonly row: { readonly threadId: ThreadId };
  readonly lines: string;
  readonly children: readonly StoredChild[];
};

/**
 * What a thread's log lacks about its children, by the registry: those that were admitted or have ended while the thread
 * was in no worker, where nobody appends to its log. Costs one look through the log, and nothing without children.
 */
export function missedChildEvents({ row, lines, children }: ParentLog): ChildEvent[] {
  if (children.length === 0) return [];
  const told = toldChildren(lines);
  return children.flatMap(({ threadId, directive, status, cost }) => {
    const missed: ChildEvent[] = [];
    if (!told.started.has(threadId)) {
      const payload = { child_thread_id: threadId, child_directive: directive, parent_thread_id: row.threadId };
      missed.push({ type: 'child_thread_started', payload });
    }
    if (isEnded(status) && !told.ended.has(threadId)) {
      const payload = { child_thread_id: threadId, status, cost: costPayload(cost) };
      missed.push({ type: 'child_thread_ended', payload });
    }
    return missed;
  });
}

/** How a line about a child begins (`encodeEvent`); what somebody says about events is inside of a payload. */
const CHILD_LINE = /^\{"sequence":\d+,"event_type":"child_thread_(?:started|ended)",.*$/gm;

type Told = { readonly started: Set<ThreadId>; readonly ended: Set<ThreadId> };

/** The children that a log tells of. Only the lines about them are parsed. */
function toldChildren(lines: string): Told {
  const told: Told = { started: new Set(), ended: new Set() };
  for (const [line] of lines.matchAll(CHILD_LINE)) {
    for (const event of decodeEvents(line)) {
      if (event.event_type === 'child_thread_started') told.started.add(event.payload.child_thread_id);
      if (event.event_type === 'child_thread_ended') told.ended.add(event.payload.child_thread_id);
    }
  }
  return told;
}
