import { ROOT_CONTEXT, trace, type Context, type Link, type SpanContext } from '@opentelemetry/api';
import type { EventOf, EventPayloads, ThreadEvent } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { Lineage } from '../../core/protocol.ts';
import { beginThread, type Born } from './begin-thread.ts';
import { createBounded, type Bounded } from './bounded.ts';
import type { Described } from './describe-stored.ts';
import { endThreadSpan, restOf, restAttributes, type Rest } from './end-thread.ts';
import { writeHook } from './step-spans.ts';
import { tellEvent } from './tell-event.ts';
import type { Telling } from './telling.ts';
import type { RestingTrace, ThreadTrace, ToolTrace } from './thread-trace.ts';
import { fromTraceparent, toTraceparent } from './traceparent.ts';

/** What traces are made with. */
export type TraceOptions = Telling & {
  readonly maxThreads: number;
  /** Of a thread that an earlier runtime has admitted. */
  readonly describe: (id: ThreadId) => Described | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Who asks for a thread, and what is stored of the one that it goes on with. */
export type Asked = { readonly caller: Context | undefined; readonly traceparent: string | undefined };

/** What may be known of a thread whose span is to begin. */
type Known = {
  readonly parentId: ThreadId | undefined;
  readonly before: RestingTrace | undefined;
  readonly stored?: Described | undefined;
};

/** Hooks that run before their thread's start is told. */
const MOST_EARLY_HOOKS = 64;

type EarlyHook = { readonly at: number; readonly hook: EventPayloads['hook_ran'] };

/**
 * The spans of a runtime's threads, made of their events.
 *
 * Invariants:
 * 1. A thread has at most one span at a time: from its start, or its resumption, to its rest. One that was suspended before its
 *    start has both: its span is that of the resumption. Nothing else of a thread stays open but its turn.
 * 2. At most `maxThreads` threads are open; as many contexts are kept of those that rest, and of those that are to start.
 */
export class ThreadTraces {
  readonly #options: TraceOptions;
  readonly #open = new Map<ThreadId, ThreadTrace>();
  readonly #resting: Bounded<RestingTrace>;
  /** What the spans of threads that were admitted here will be below. */
  readonly #admitted: Bounded<Context>;
  /** Of threads whose start is told after them. */
  readonly #early: Bounded<EarlyHook[]>;

  constructor(options: TraceOptions) {
    this.#options = options;
    this.#resting = createBounded(options.maxThreads);
    this.#admitted = createBounded(options.maxThreads);
    this.#early = createBounded(options.maxThreads);
  }

  hear(event: ThreadEvent): void {
    const at = Date.parse(event.timestamp);
    const { instruments, now } = this.#options;
    if (event.event_type !== 'cognition_out_delta') instruments.eventLag.record(Math.max(0, now() - at) / 1000);
    if (event.event_type === 'thread_started') return this.#start(event, at);
    if (event.event_type === 'thread_resumed') return this.#resume(event.thread_id, at);
    const thread = this.#open.get(event.thread_id);
    const how = restOf(event);
    if (how) instruments.rests.add(1, restAttributes(how));
    if (!thread) return how ? this.forget(event.thread_id) : this.#keepEarly(event, at);
    if (!how) return tellEvent(thread, event, { at, telling: this.#options });
    thread.lastAt = Math.max(thread.lastAt, at);
    this.#rest(thread, how);
  }

  /**
   * A thread is admitted: its span will be beside that of the one it goes on with, else below its parent's, and that of a
   * root below its caller's. Returns what is to be stored of it, for a runtime that starts it or goes on with it later.
   */
  admit({ threadId, parentId, continues }: Lineage, { caller, traceparent }: Asked): string | undefined {
    const before = continues === undefined ? undefined : this.#resting.get(continues)?.parent;
    const stored = fromTraceparent(traceparent);
    const above = before ?? (stored ? below(stored) : this.#caller(parentId, caller));
    this.#admitted.put(threadId, above);
    return toTraceparent(trace.getSpanContext(above));
  }

  /** Of a thread that has not begun: it rests already, or has not been admitted after all. */
  forget(id: ThreadId): void {
    this.#admitted.take(id);
    this.#early.take(id);
  }

  /** Ends what is open. */
  close(): void {
    for (const thread of this.#open.values()) endThreadSpan(thread, { status: 'interrupted' }, this.#options);
    this.#open.clear();
  }

  /** A child's is its parent, whoever has asked for it: what is stored with a child names a span of its parent. */
  #caller(parentId: ThreadId | undefined, caller: Context = ROOT_CONTEXT): Context {
    if (parentId === undefined) return caller;
    const parent = this.#spanOf(parentId);
    return parent ? below(parent) : ROOT_CONTEXT;
  }

  #start({ thread_id: id, payload }: EventOf<'thread_started'>, at: number): void {
    const { directive, model, parent_thread_id: parentId, continues, forked_from: fork } = payload;
    const before = continues === undefined ? undefined : this.#resting.get(continues);
    const predecessor = before?.span ?? (continues && this.#earlierSpan(continues));
    const origin = fork && (this.#spanOf(fork.thread) ?? this.#earlierSpan(fork.thread));
    const links = [...linkTo(predecessor, 'continues'), ...linkTo(origin, 'forked_from')];
    this.#options.instruments.queueTime.record(Math.max(0, at - admittedAt(id)) / 1000);
    const resumed = this.#open.get(id);
    if (resumed) return void resumed.span.addLinks(links);
    const parent = this.#above(id, { parentId, before });
    this.#begin(id, { directive, model, parent, links, at, tools: new Map() });
  }

  #resume(id: ThreadId, at: number): void {
    const lost = this.#open.get(id);
    // Its worker was lost: nothing has said that it rests.
    if (lost) this.#rest(lost, { status: 'interrupted' });
    const before = this.#resting.take(id);
    const stored = before ? undefined : this.#options.describe(id);
    const known = before ?? stored;
    if (!known) return;
    const { directive, model, span } = known;
    const parent = this.#above(id, { parentId: stored?.parentId, before, stored });
    const tools = before?.tools ?? new Map<string, ToolTrace>();
    this.#begin(id, { directive, model, parent, links: linkTo(span, 'resumes'), at, tools });
  }

  /** What a span is below: as it was said when its thread was admitted, here or by an earlier runtime. */
  #above(id: ThreadId, { parentId, before, stored }: Known): Context {
    const admitted = this.#admitted.take(id);
    if (before ?? admitted) return before?.parent ?? admitted ?? ROOT_CONTEXT;
    const named = (stored ?? this.#options.describe(id))?.above;
    return named ? below(named) : this.#caller(parentId);
  }

  #earlierSpan(id: ThreadId): SpanContext | undefined {
    return this.#options.describe(id)?.span;
  }

  #spanOf(id: ThreadId): SpanContext | undefined {
    return this.#open.get(id)?.span.spanContext() ?? this.#resting.get(id)?.span;
  }

  #begin(id: ThreadId, born: Born): void {
    const early = this.#early.take(id) ?? [];
    if (this.#open.size >= this.#options.maxThreads) return this.#options.instruments.dropped.add(1);
    const thread = beginThread(id, born, this.#options);
    this.#open.set(id, thread);
    for (const { at, hook } of early) writeHook(thread, hook, { at, telling: this.#options });
  }

  #rest(thread: ThreadTrace, how: Rest): void {
    this.#open.delete(thread.id);
    const { directive, model, parent } = thread;
    // Its calls may be answered when it goes on.
    const tools = how.status === 'suspended' ? new Map(thread.tools) : new Map<string, ToolTrace>();
    if (how.status === 'suspended') thread.tools.clear();
    const span = thread.span.spanContext();
    this.#resting.put(thread.id, { span, parent: light(parent), directive, model, tools });
    endThreadSpan(thread, how, this.#options);
  }

  #keepEarly({ thread_id: id, event_type: type, payload }: ThreadEvent, at: number): void {
    if (type !== 'hook_ran' || this.#resting.has(id)) return;
    const hooks = this.#early.get(id) ?? [];
    if (hooks.length < MOST_EARLY_HOOKS) this.#early.put(id, [...hooks, { at, hook: payload }]);
  }
}

function linkTo(span: SpanContext | undefined, why: string): readonly Link[] {
  return span ? [{ context: span, attributes: { 'skein.link': why } }] : [];
}

function below(span: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, span);
}

/** Where a context's span stands, without the span and what else the context holds. */
function light(context: Context): Context {
  const span = trace.getSpanContext(context);
  return span ? below(span) : ROOT_CONTEXT;
}

/** An id begins with the time at which it was made (UUIDv7), in milliseconds. */
function admittedAt(id: ThreadId): number {
  const digits = 'thread-'.length;
  return Number.parseInt(id.slice(digits, digits + 12), 16);
}
