import type { EventOf, ThreadEvent, ThreadStatus } from '../index.ts';
import { usdToNano, type NanoUsd } from '../core/money.ts';

/** A thread that has not ended, as its events tell of it. */
export type LiveThread = {
  readonly id: string;
  readonly parent: string | undefined;
  readonly directive: string;
  /** Its inputs as `name=value …`, without those it shares with its parent; not made printable. */
  readonly inputs: string;
  readonly status: 'queued' | 'running' | 'suspended';
  readonly turns: number;
  /** Tool calls without a result, by call id. */
  readonly calls: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Children that have not ended. */
  readonly children: ReadonlySet<string>;
  /** Children that have ended, by status. */
  readonly ended: ReadonlyMap<ThreadStatus, number>;
};

/** Sums over all threads of a run. */
export type Totals = {
  readonly started: number;
  readonly ended: ReadonlyMap<ThreadStatus, number>;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly spend: NanoUsd;
  readonly events: number;
};

/** Something worth a line of its own. */
export type Notice =
  | {
      readonly kind: 'state';
      readonly thread: string;
      readonly label: string;
      readonly status: ThreadStatus | 'queued';
      readonly detail: string;
    }
  | { readonly kind: 'trouble'; readonly thread: string; readonly label: string; readonly detail: string };

/** What a run is doing, kept up to date by its events. Memory: live threads, and the ids of all. */
export interface Progress {
  /** Takes an event in. `undefined` if no person needs to hear of it by itself. */
  take(event: ThreadEvent): Notice | undefined;
  /** Names a thread that another runtime has started: it may go on in this one. */
  meet(thread: { readonly id: string; readonly directive: string }): void;
  /** Threads without a live parent, oldest first. */
  roots(): readonly LiveThread[];
  thread(id: string): LiveThread | undefined;
  totals(): Totals;
  /** How many threads that have not ended are in a status. */
  count(status: LiveThread['status']): number;
}

/** Makes the progress of a run that has not begun. */
export function createProgress(): Progress {
  const state: State = {
    seen: new Set(),
    live: new Map(),
    met: new Map(),
    sums: { started: 0, ended: new Map(), turns: 0, inputTokens: 0, outputTokens: 0, spend: 0, events: 0 },
  };
  return {
    take: (event) => take(state, event),
    meet: ({ id, directive }) => void state.met.set(id, directive),
    roots: () => [...state.live.values()].filter(({ parent }) => parent === undefined || !state.live.has(parent)),
    thread: (id) => state.live.get(id),
    totals: () => state.sums,
    count: (status) => state.live.values().reduce((sum, entry) => sum + (entry.status === status ? 1 : 0), 0),
  };
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type Inputs = Readonly<Record<string, unknown>>;
type Entry = Mutable<Omit<LiveThread, 'children' | 'ended' | 'calls'>> & {
  given: Inputs;
  readonly calls: Map<string, string>;
  readonly children: Set<string>;
  readonly ended: Map<ThreadStatus, number>;
};
type State = {
  /** Also the ended ones: a parent tells of a child when its own step is stored, which may be after the child's end. */
  readonly seen: Set<string>;
  readonly live: Map<string, Entry>;
  /** Directives of threads that others have started. */
  readonly met: Map<string, string>;
  readonly sums: Mutable<Omit<Totals, 'ended'>> & { readonly ended: Map<ThreadStatus, number> };
};

function take(state: State, event: ThreadEvent): Notice | undefined {
  const { sums } = state;
  sums.events++;
  // It happened in the thread that this one goes on from.
  if ('carried' in event.payload) return undefined;
  switch (event.event_type) {
    case 'thread_started':
      return started(state, event);
    case 'child_thread_started':
      return queued(state, event);
    case 'cognition_out':
      return event.payload.is_partial ? undefined : turned(state, event.thread_id);
    case 'usage':
      sums.inputTokens += event.payload.input_tokens;
      sums.outputTokens += event.payload.output_tokens;
      sums.spend += usdToNano(event.payload.spend);
      return undefined;
    case 'tool_call_start':
      state.live.get(event.thread_id)?.calls.set(event.payload.call_id, event.payload.tool);
      return undefined;
    case 'tool_call_result':
      return answered(state, event);
    case 'warning':
      return trouble(state, event.thread_id, `warning: ${warningText(event.payload)}`);
    default:
      return changed(state, event);
  }
}

/** With the place, unless the message names it already. */
function warningText({ message, where, code }: EventOf<'warning'>['payload']): string {
  const place = where === undefined || message.includes(where) ? '' : ` (${where})`;
  return `${message}${place} [${code}]`;
}

function changed(state: State, event: ThreadEvent): Notice | undefined {
  const { thread_id: id } = event;
  switch (event.event_type) {
    case 'thread_suspended':
      return moved(state, {
        id,
        status: 'suspended',
        detail: [event.payload.suspend_reason, event.payload.message].filter(Boolean).join(': '),
      });
    case 'thread_resumed':
      return resumed(state, event);
    case 'thread_completed':
      return left(state, { id, status: 'completed', detail: '' });
    case 'thread_error':
      return left(state, {
        id,
        status: 'error',
        detail: `${event.payload.error.message} [${event.payload.error.code}]`,
      });
    case 'thread_cancelled':
      return left(state, { id, status: 'cancelled', detail: event.payload.reason });
    case 'thread_continued':
      return left(state, { id, status: 'continued', detail: `as ${event.payload.successor}` });
    default:
      return undefined;
  }
}

function started(state: State, { thread_id: id, timestamp, payload }: EventOf<'thread_started'>): Notice | undefined {
  const entry =
    state.live.get(id) ?? enter(state, { id, parent: payload.parent_thread_id, directive: payload.directive });
  entry.given = payload.inputs ?? {};
  entry.inputs = describeInputs(entry.given, state.live.get(entry.parent ?? '')?.given ?? {});
  entry.since = Date.parse(timestamp);
  return moved(state, { id, status: 'running', detail: payload.model });
}

/** Another runtime may have started it. */
function resumed(state: State, { thread_id: id, timestamp }: EventOf<'thread_resumed'>): Notice | undefined {
  const entry = state.live.get(id) ?? enter(state, { id, parent: undefined, directive: state.met.get(id) ?? '' });
  entry.since = Date.parse(timestamp);
  return moved(state, { id, status: 'running', detail: 'resumed' });
}

function queued(state: State, { timestamp, payload }: EventOf<'child_thread_started'>): Notice | undefined {
  const { child_thread_id: id, child_directive: directive, parent_thread_id: parent } = payload;
  if (state.seen.has(id)) return undefined;
  enter(state, { id, parent, directive }).since = Date.parse(timestamp);
  return moved(state, { id, status: 'queued', detail: '' });
}

function enter(state: State, { id, parent, directive }: Pick<LiveThread, 'id' | 'parent' | 'directive'>): Entry {
  const counts = { turns: 0, calls: new Map(), children: new Set<string>(), ended: new Map() };
  const entry: Entry = { id, parent, directive, inputs: '', given: {}, status: 'queued', since: 0, ...counts };
  state.seen.add(id);
  state.live.set(id, entry);
  state.sums.started++;
  if (parent !== undefined) state.live.get(parent)?.children.add(id);
  return entry;
}

function turned({ live, sums }: State, id: string): undefined {
  sums.turns++;
  const entry = live.get(id);
  if (entry) entry.turns++;
}

function answered(state: State, { thread_id: id, payload }: EventOf<'tool_call_result'>): Notice | undefined {
  const calls = state.live.get(id)?.calls;
  const tool = calls?.get(payload.call_id) ?? 'a tool';
  calls?.delete(payload.call_id);
  return payload.error === undefined ? undefined : trouble(state, id, `${tool}: ${payload.error}`);
}

type Move<Status> = { readonly id: string; readonly status: Status; readonly detail: string };

function moved(state: State, { id, status, detail }: Move<LiveThread['status']>): Notice | undefined {
  const entry = state.live.get(id);
  if (!entry) return undefined;
  entry.status = status;
  if (status === 'suspended') entry.calls.clear();
  return { kind: 'state', thread: id, label: labelOf(entry), status, detail };
}

function left(state: State, { id, status, detail }: Move<ThreadStatus>): Notice {
  const entry = state.live.get(id);
  const parent = entry?.parent === undefined ? undefined : state.live.get(entry.parent);
  state.live.delete(id);
  addOne(state.sums.ended, status);
  parent?.children.delete(id);
  if (parent) addOne(parent.ended, status);
  return { kind: 'state', thread: id, label: entry ? labelOf(entry) : (state.met.get(id) ?? ''), status, detail };
}

function trouble({ live }: State, id: string, detail: string): Notice {
  const entry = live.get(id);
  return { kind: 'trouble', thread: id, label: entry ? labelOf(entry) : '', detail };
}

function addOne(counts: Map<ThreadStatus, number>, status: ThreadStatus): void {
  counts.set(status, (counts.get(status) ?? 0) + 1);
}

function labelOf({ directive, inputs }: Pick<LiveThread, 'directive' | 'inputs'>): string {
  return inputs === '' ? directive : `${directive} ${inputs}`;
}

const MAX_INPUTS_CHARS = 120;

function describeInputs(inputs: Inputs, parents: Inputs): string {
  const own = Object.entries(inputs).filter(
    ([name, value]) => !Object.hasOwn(parents, name) || parents[name] !== value,
  );
  const pairs = own.map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return `${name}=${text.slice(0, MAX_INPUTS_CHARS)}`;
  });
  return pairs.join(' ').slice(0, MAX_INPUTS_CHARS);
}
