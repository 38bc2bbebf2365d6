import type { ContentPart } from './content-part.ts';
import type { ContextChange } from './context-change.ts';
import type { ProviderCarry, ToolCall } from './conversation.ts';
import type { CostPayload } from './cost-payload.ts';
import { SkeinError, messageOf } from './errors.ts';
import type { ThreadId } from './ids.ts';
import type { LimitOverrides } from './limits.ts';
import type { ProjectEvents } from './project-events.ts';

/** Why a thread is suspended (S2 §4.1 and contracts). */
export type SuspendReason = (typeof SUSPEND_REASONS)[number];

/** All of them. */
export const SUSPEND_REASONS = ['limit', 'error', 'budget', 'approval', 'user', 'shutdown'] as const;

/** Payload of every event by its name, those of the project among them. Snake case, since this is what is stored. */
export type EventPayloads = RuntimePayloads & ProjectEvents;

/** Those that the runtime itself emits: S2 §4.1 and the contracts' table. */
type RuntimePayloads = {
  thread_started: {
    readonly directive: string;
    readonly model: string;
    readonly limits: Readonly<Record<string, unknown>>;
    readonly inputs?: Readonly<Record<string, unknown>>;
    readonly parent_thread_id?: ThreadId;
    /** Ids of the directives it extends, root first. */
    readonly extends?: readonly string[];
    readonly capabilities?: readonly string[];
    /** The thread that it goes on from. */
    readonly continues?: ThreadId;
    /** The event of another thread whose conversation up to there it has. */
    readonly forked_from?: { readonly thread: ThreadId; readonly sequence: number };
  };
  thread_completed: { readonly cost: CostPayload };
  thread_error: { readonly error: { readonly code: string; readonly message: string }; readonly cost: CostPayload };
  thread_cancelled: { readonly reason: string; readonly cost: CostPayload };
  thread_suspended: { readonly suspend_reason: SuspendReason; readonly message?: string };
  /** `limits`: the new ones it was resumed with, also if that failed; a message that no `cognition_in` follows has not been delivered. */
  thread_resumed: { readonly message?: string; readonly limits?: LimitOverrides };
  thread_continued: { readonly successor: ThreadId; readonly cost: CostPayload };
  system_prompt: { readonly text: string; readonly layers: readonly string[] };
  context_injected: { readonly before: readonly string[]; readonly after: readonly string[] };
  context_changed: ContextChange;
  cognition_in: {
    readonly text: string;
    readonly role: 'system' | 'user' | 'developer' | 'tool';
    /** If there was more than text: all of it in order. */
    readonly parts?: readonly ContentPart[];
    readonly directive?: string;
    /** Was said to the thread that this one goes on from. */
    readonly carried?: true;
  };
  cognition_out: {
    readonly text: string;
    readonly model: string;
    /** The call broke off, with `error`. */
    readonly is_partial?: boolean;
    /** The text stops before its end: the call broke off, or the output limit was reached. */
    readonly truncated?: boolean;
    readonly error?: string;
    /** Of a call that broke off: 100 × output tokens seen ÷ output limit, 0 to 100. */
    readonly completion_percentage?: number;
    /** Its calls as the model made them, where `before_tool` hooks look at them before they start. */
    readonly tool_calls?: readonly ToolCall[];
    /** What its provider wants back with it, e.g. signed thoughts. */
    readonly carry?: ProviderCarry;
    /** Was said in the thread that this one goes on from. */
    readonly carried?: true;
  };
  context_compacted: {
    /** The user message that stands for what was replaced, word for word. */
    readonly summary: string;
    /** Number of messages it replaces, from the second one on. */
    readonly replaced: number;
    readonly tokens_before: number;
    readonly tokens_after: number;
  };
  /** `is_final`: the last of its call; its text may be empty. `tool_call`: complete, and not running yet. */
  cognition_out_delta: {
    readonly text: string;
    readonly chunk_index: number;
    readonly is_final?: boolean;
    readonly tool_call?: ToolCall;
  };
  cognition_reasoning: {
    readonly text: string;
    readonly is_partial?: boolean;
    readonly was_interrupted?: boolean;
  };
  tool_call_start: {
    readonly tool: string;
    readonly call_id: string;
    readonly input: Readonly<Record<string, unknown>>;
    /** The call as the model made it, if that was `rye_execute`: `tool` and `input` are those of what it executes. */
    readonly called_as?: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
  };
  tool_call_result: {
    readonly call_id: string;
    readonly output?: string;
    readonly error?: string;
    readonly duration_ms: number;
    /** Of a call of the thread that this one goes on from. */
    readonly carried?: true;
  };
  error_classified: {
    readonly error_code: string;
    readonly category: string;
    readonly retryable: boolean;
    readonly message?: string;
    readonly attempt?: number;
    readonly delay_ms?: number;
  };
  limit_escalation_requested: {
    readonly limit_code: string;
    readonly current_value: number;
    readonly current_max: number;
  };
  /** What is asked about a limit has the limit's code, value and maximum; `spend` in USD. `point`: the hook's decision. */
  approval_requested: {
    readonly approval_id: string;
    readonly suspend_reason?: SuspendReason;
    readonly asked_by?: string;
    readonly message?: string;
    readonly limit_code?: string;
    readonly current_value?: number;
    readonly current_max?: number;
    readonly suggested?: number;
    readonly point?: string;
  };
  /** `by` is the person, program or policy that decided; `limits` are the new ones, with the seeds' names. */
  approval_resolved: {
    readonly approval_id: string;
    readonly granted: boolean;
    readonly by: string;
    readonly message?: string;
    readonly limits?: LimitOverrides;
  };
  child_thread_started: {
    readonly child_thread_id: ThreadId;
    readonly child_directive: string;
    readonly parent_thread_id: ThreadId;
  };
  child_thread_ended: { readonly child_thread_id: ThreadId; readonly status: string; readonly cost: CostPayload };
  directive_return: { readonly outputs: Readonly<Record<string, unknown>>; readonly cost: CostPayload };
  budget_overspend: { readonly reserved: number; readonly actual: number };
  usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly spend: number;
    readonly interrupted: boolean;
  };
  checkpoint_saved: { readonly turn: number };
  /** Only shown, while somebody looks on: a request goes to its provider. `attempt` is 0 for a turn's first one. */
  model_call_started: { readonly model: string; readonly turn: number; readonly attempt: number };
  /** Only shown, while somebody looks on. `decision`: what it decided, if anything; `error`: the code of an action's failure. */
  hook_ran: {
    readonly hook: string;
    readonly event: string;
    readonly duration_ms: number;
    readonly decision?: string;
    readonly error?: string;
  };
  warning: { readonly code: string; readonly message: string; readonly where?: string };
};

/** Name of an event. */
export type EventType = keyof EventPayloads;

/** `critical`: durable before anything depends on it. `droppable`: delivered to whoever listens, never waited for. */
export type Criticality = 'critical' | 'droppable';

/** The envelope of S2 §7.2. `sequence` is absent on a droppable event that was not stored. */
export type EventOf<Type extends EventType> = {
  readonly thread_id: ThreadId;
  readonly event_type: Type;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly payload: EventPayloads[Type];
  readonly criticality: Criticality;
  readonly sequence?: number;
};

/** Any event, discriminated by `event_type`. */
export type ThreadEvent = { [Type in EventType]: EventOf<Type> }[EventType];

/**
 * An event as it is encoded in a worker and stored: one JSON line, without what its row already says (thread) and
 * what config says (criticality). `time` is milliseconds since the epoch.
 */
export type StoredEvent = {
  [Type in EventType]: {
    readonly sequence: number;
    readonly event_type: Type;
    readonly time: number;
    readonly payload: EventPayloads[Type];
  };
}[EventType];

/** An event to be encoded; whoever makes it has matched payload and type. */
export type EventToStore = {
  readonly sequence: number;
  /** An {@link EventType}, or a type of the project's own that `events.yaml` declares. */
  readonly event_type: string;
  readonly time: number;
  readonly payload: object;
};

/** Encodes one event as a JSON line. */
export function encodeEvent(event: EventToStore): string {
  return encodeLine(event, JSON.stringify(event.payload));
}

/** The same with a payload that is JSON already. The only place where event bytes are made. */
export function encodeLine({ sequence, event_type, time }: Omit<EventToStore, 'payload'>, payload: string): string {
  return `{"sequence":${sequence},"event_type":"${event_type}","time":${time},"payload":${payload}}\n`;
}

/** The first so many events of JSON lines: each is one line. */
export function firstLines(lines: string, count: number): string {
  let end = 0;
  for (let left = count; left > 0 && end < lines.length; left--) {
    const found = lines.indexOf('\n', end);
    end = found === -1 ? lines.length : found + 1;
  }
  return lines.slice(0, end);
}

const TYPE = '"event_type":"';

/** The types of a chunk's events, in order, without parsing them: the beginning of a line is ours alone (`encodeEvent`). */
export function* eventTypes(lines: string): Generator<string, void> {
  for (const { type } of lineHeads(lines)) yield type;
}

/** Events of some types alone; nothing else of a chunk is parsed. */
export function eventsOfTypes<Type extends EventType>(
  lines: string,
  types: readonly Type[],
): Extract<StoredEvent, { readonly event_type: Type }>[] {
  return decodeEvents(linesOfTypes(lines, types)) as Extract<StoredEvent, { readonly event_type: Type }>[];
}

/** The lines of some types of event alone, as they are; whoever keeps them does not keep the rest of the chunk. */
export function linesOfTypes(lines: string, types: readonly EventType[]): string {
  const found: string[] = [];
  const wanted: ReadonlySet<string> = new Set(types);
  for (const { type, start, end } of lineHeads(lines)) if (wanted.has(type)) found.push(lines.slice(start, end));
  // A piece of a text holds all of it; what is joined is a text of its own.
  return [...found, ''].join('\n');
}

/** The number of a chunk's last event; 0 if it has none. */
export function lastSequence(lines: string): number {
  const begin = lines.lastIndexOf('\n', lines.length - 2) + 1;
  const [, sequence = '0'] = /^\{"sequence":(\d+)/.exec(lines.slice(begin, begin + 40)) ?? [];
  return Number(sequence);
}

/** A line of a chunk that has not been parsed: number and type, NaN and undefined where its beginning can't be read. */
export type EventLine = { readonly sequence: number; readonly type: string | undefined; readonly line: string };

/** The lines of a chunk, in order. */
export function* eventLines(lines: string): Generator<EventLine, void> {
  for (const { start, end } of lineHeads(lines)) {
    const line = lines.slice(start, end);
    const [, sequence, type] = /^\{"sequence":(\d+),"event_type":"([^"]*)"/.exec(line) ?? [];
    yield { sequence: Number(sequence), type, line };
  }
}

/** Lines end at a newline alone: texts may have other characters that a pattern takes for the end of a line. */
function* lineHeads(lines: string): Generator<{ readonly type: string; readonly start: number; readonly end: number }> {
  for (let start = 0; start < lines.length;) {
    const found = lines.indexOf('\n', start);
    const end = found === -1 ? lines.length : found;
    const type = lines.indexOf(TYPE, start) + TYPE.length;
    yield { type: lines.slice(type, lines.indexOf('"', type)), start, end };
    start = end + 1;
  }
}

/** Decodes a chunk of JSON lines as stored by {@link encodeEvent}. @throws SkeinError `store_corrupt` */
export function decodeEvents(lines: string): StoredEvent[] {
  const events: StoredEvent[] = [];
  try {
    for (let start = 0; start < lines.length;) {
      const end = lines.indexOf('\n', start);
      const stop = end === -1 ? lines.length : end;
      events.push(JSON.parse(lines.slice(start, stop)) as StoredEvent);
      start = stop + 1;
    }
    return events;
  } catch (cause) {
    throw unreadable(events.at(-1)?.sequence ?? firstSequence(lines) - 1, cause);
  }
}

/** The number of a chunk's first event, which may be all that can be read of it. */
function firstSequence(lines: string): number {
  return Number(/^\{"sequence":(\d+)/.exec(lines.slice(0, 40))?.[1]);
}

function unreadable(last: number, cause: unknown): SkeinError {
  const where = last >= 0 ? `The log can't be read after event ${last}` : 'An event can not be read';
  return new SkeinError('store_corrupt', `${where}: ${messageOf(cause)}`, { cause });
}
