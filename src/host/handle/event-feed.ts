import type { Config } from '../../config/config.ts';
import { criticalityOf } from '../../config/events.ts';
import { decodeEvents, type ThreadEvent } from '../../core/events.ts';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { Gateway } from '../workers/gateway.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** Hears a thread's events; `ended` once nothing more comes. */
export type EventListener = { readonly event: (event: ThreadEvent) => void; readonly ended: () => void };

/**
 * Events on their way from workers to whoever listens. Nobody listens: nothing is sent. Stored events arrive after their
 * commit and in order, those by which a thread rests or ends once the host knows of that; live ones (deltas) as they happen.
 */
export interface EventFeed {
  /** Listens to one thread; returns the way to stop. */
  listen(entry: ThreadEntry, listener: EventListener): () => void;
  /** Listens to every thread; returns the way to stop. */
  listenAll(listener: (event: ThreadEvent) => void): () => void;
  /**
   * Hears when the feed is closed, while the store can still be read; must not throw. Returns the way to stop. A listener that nobody
   * else holds hears nothing: whoever drops an iterator does not say so.
   */
  listenToClose(listener: () => void): () => void;
  /** Whether anybody listens to a thread. */
  hears(thread: ThreadNo): boolean;
  /** Events of a thread, as its worker sends them. */
  deliver(entry: ThreadEntry, lines: string): void;
  /** Events of a thread that the host has written itself: without what a worker would have taken out of them. */
  deliverOwn(entry: ThreadEntry, lines: string): void;
  /** A worker has come that was not there when somebody began to listen. */
  joined(worker: number): void;
  /**
   * The thread is about to start in its worker, or has left it. The worker is told to send its events, or to forget it: it may have been
   * told to send them when the thread had ended there already.
   */
  moved(entry: ThreadEntry, isIn: boolean): void;
  readonly ended: (entry: ThreadEntry) => void;
  /** Nothing more comes: every listener hears that its thread's events are over. */
  close(): void;
}

/** What a feed is made from. */
export type EventFeedOptions = {
  /** The one in force: read anew each time. */
  readonly config: Config;
  readonly gateway: () => Gateway;
  readonly redactor: Pick<Redactor, 'text'>;
};

/** Makes a runtime's feed. */
export function createEventFeed(options: EventFeedOptions): EventFeed {
  const { gateway } = options;
  const byThread = new Map<ThreadNo, Set<EventListener>>();
  const toAll = new Set<(event: ThreadEvent) => void>();
  const closing = createClosing();

  const watch = (entry: ThreadEntry, on: boolean): void => {
    if (entry.worker >= 0) gateway().send(entry.worker, { type: 'watch', threads: [entry.lineage.thread], on });
  };

  const hears = (thread: ThreadNo): boolean => toAll.size > 0 || byThread.has(thread);

  const deliver: EventFeed['deliver'] = ({ lineage: { thread, threadId } }, lines) => {
    if (hears(thread)) tell(openEvents(lines, threadId, options.config), toAll, byThread.get(thread));
  };

  return {
    listen(entry, listener) {
      const { thread } = entry.lineage;
      const listeners = byThread.get(thread) ?? new Set();
      byThread.set(thread, listeners.add(listener));
      if (listeners.size === 1) watch(entry, true);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        byThread.delete(thread);
        watch(entry, false);
      };
    },
    listenAll(listener) {
      toAll.add(listener);
      if (toAll.size === 1) gateway().broadcast({ type: 'watch', threads: 'all', on: true });
      return () => {
        if (toAll.delete(listener) && toAll.size === 0)
          gateway().broadcast({ type: 'watch', threads: 'all', on: false });
      };
    },
    listenToClose: (listener) => closing.listen(listener),
    hears,
    deliver,
    deliverOwn(entry, lines) {
      if (hears(entry.lineage.thread)) deliver(entry, options.redactor.text(lines));
    },
    joined(worker) {
      if (toAll.size > 0) gateway().send(worker, { type: 'watch', threads: 'all', on: true });
    },
    moved(entry, isIn) {
      if (byThread.has(entry.lineage.thread)) watch(entry, isIn);
    },
    ended(entry) {
      const listeners = byThread.get(entry.lineage.thread);
      byThread.delete(entry.lineage.thread);
      for (const listener of listeners ?? []) listener.ended();
    },
    close() {
      for (const listeners of byThread.values()) for (const listener of listeners) listener.ended();
      closing.tell();
      byThread.clear();
      toAll.clear();
    },
  };
}

type CloseListener = () => void;
type Reference = { readonly deref: () => CloseListener | undefined };

/** Those who hear of the close, as long as somebody holds them; `referTo` makes the references to them. */
export function createClosing(referTo: (listener: CloseListener) => Reference = (listener) => new WeakRef(listener)): {
  listen: EventFeed['listenToClose'];
  tell(): void;
} {
  const listeners = new Set<Reference>();
  const dropped = new FinalizationRegistry<Reference>((reference) => void listeners.delete(reference));
  return {
    listen(listener) {
      const reference = referTo(listener);
      listeners.add(reference);
      dropped.register(listener, reference, reference);
      return () => {
        listeners.delete(reference);
        dropped.unregister(reference);
      };
    },
    tell() {
      for (const reference of listeners) reference.deref()?.();
      listeners.clear();
    },
  };
}

function tell(
  events: readonly ThreadEvent[],
  toAll: ReadonlySet<(event: ThreadEvent) => void>,
  listeners: ReadonlySet<EventListener> | undefined,
): void {
  for (const event of events) {
    for (const listener of toAll) listener(event);
    for (const listener of listeners ?? []) listener.event(event);
  }
}

/** Stored lines as the envelopes of S2 §7.2. */
export function openEvents(lines: string, threadId: ThreadId, config: Config): ThreadEvent[] {
  return decodeEvents(lines).map(({ sequence, event_type, time, payload }) => {
    const envelope = {
      thread_id: threadId,
      event_type,
      timestamp: new Date(time).toISOString(),
      payload,
      criticality: criticalityOf(config, event_type),
      ...(sequence > 0 && { sequence }),
    };
    // Type and payload were written together by the journal, which checks that they belong together.
    return envelope as ThreadEvent;
  });
}
