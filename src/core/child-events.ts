import { costPayload } from './cost-payload.ts';
import { isEnded } from './ending.ts';
import { eventsOfTypes, linesOfTypes, type EventPayloads } from './events.ts';
import type { ThreadId } from './ids.ts';
import type { StoredChild } from './store.ts';

/** An event of a parent's log that is about a child. */
export type ChildEvent =
  | { readonly type: 'child_thread_started'; readonly payload: EventPayloads['child_thread_started'] }
  | { readonly type: 'child_thread_ended'; readonly payload: EventPayloads['child_thread_ended'] };

/** A parent as it is read back; of its log the lines about children suffice. */
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

/** A parent, of its log only the lines about children. */
export function familyOf({ row, lines, children }: ParentLog): ParentLog {
  return { row, lines: childLines(lines), children };
}

/** Of a log the lines about children: all that {@link missedChildEvents} looks for in it. */
export function childLines(lines: string): string {
  return linesOfTypes(lines, CHILD_EVENTS);
}

/**
 * Adds the children of a thread that has handed over to the parent, or to one before it: they are the parent's own, and that
 * thread's log tells of them as its own does.
 */
export function withInherited({ row, lines, children }: ParentLog, before: ParentLog): ParentLog {
  const inherited = familyOf(before);
  return { row, lines: inherited.lines + lines, children: [...inherited.children, ...children] };
}

const CHILD_EVENTS = ['child_thread_started', 'child_thread_ended'] as const;

type Told = { readonly started: Set<ThreadId>; readonly ended: Set<ThreadId> };

/** The children that a log tells of. Only the lines about them are parsed. */
function toldChildren(lines: string): Told {
  const told: Told = { started: new Set(), ended: new Set() };
  for (const { event_type: type, payload } of eventsOfTypes(lines, CHILD_EVENTS)) {
    told[type === 'child_thread_started' ? 'started' : 'ended'].add(payload.child_thread_id);
  }
  return told;
}
