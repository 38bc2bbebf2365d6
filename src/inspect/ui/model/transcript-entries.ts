import type { LogEvent } from '../../api.ts';
import { asWords, formatUsd } from './format-values.ts';
import { isCarried, toolPairs, type CarriedCall, type ToolPairs } from './tool-pairs.ts';
import { textOf } from './transcript.ts';

/** What an entry of a transcript shows beside itself: where it stands in the log, and when. */
export type EntryPlace = {
  readonly sequence: number;
  /** The last event that it is made of: up to there it is whole. */
  readonly upTo: number;
  readonly atMs: number;
  /** Those of its events whose long texts are cut. */
  readonly cut: readonly number[];
};

/** An entry of a transcript. */
export type TranscriptEntry = EntryPlace &
  (
    | {
        readonly kind: 'said';
        readonly by: 'system' | 'user' | 'model' | 'reasoning';
        readonly label: string;
        readonly text: string;
        /** Broken off, or taken over from another thread. */
        readonly remark: string;
      }
    | {
        readonly kind: 'tool';
        readonly tool: string;
        readonly input: string;
        /** Undefined: it has not come yet. */
        readonly output: string | undefined;
        readonly failed: boolean;
        readonly durationMs: number | undefined;
        /** Taken over from another thread. */
        readonly remark: string;
      }
    | {
        readonly kind: 'note';
        readonly tone: 'plain' | 'good' | 'bad' | 'wait';
        readonly text: string;
        readonly thread: string | undefined;
      }
  );

/** What is to be read of a log: what was said and done; a tool's call and its result are one entry, where the call was. */
export function transcriptEntries(events: readonly LogEvent[]): TranscriptEntry[] {
  return createEntries()(events);
}

/** {@link transcriptEntries} of a log that grows: what is made of the same events is the same entry again, and need not be drawn anew. */
export function createEntries(): (events: readonly LogEvent[]) => TranscriptEntry[] {
  const made = new WeakMap<LogEvent, Made>();
  const make = (event: LogEvent, pairs: ToolPairs): TranscriptEntry | undefined => {
    const pair = { result: pairs.results.get(event), call: pairs.carried.get(event) };
    const before = made.get(event);
    if (before && before.pair.result === pair.result && before.pair.call === pair.call) return before.entry;
    const entry = entryOf(event, pair);
    made.set(event, { pair, entry });
    return entry;
  };
  return (events) => {
    const pairs = toolPairs(events);
    return events.flatMap((event) => make(event, pairs) ?? []);
  };
}

/** The entry that an event is part of, or else that precedes it. */
export function entryAt(entries: readonly TranscriptEntry[], sequence: number): TranscriptEntry | undefined {
  return (
    entries.find((entry) => entry.sequence === sequence || entry.upTo === sequence) ??
    entries.findLast((entry) => entry.sequence < sequence) ??
    entries[0]
  );
}

/** Of a call its result, of a result that was carried its call. */
type Pair = { readonly result: LogEvent | undefined; readonly call: CarriedCall | undefined };
type Made = { readonly pair: Pair; readonly entry: TranscriptEntry | undefined };

type Payload = LogEvent['payload'];

function entryOf(event: LogEvent, { result, call }: Pair): TranscriptEntry | undefined {
  const { event_type: type, payload } = event;
  if (type === 'tool_call_start') return toolEntry(event, { ...payload, result });
  if (type === 'tool_call_result' && isCarried(event)) {
    return toolEntry(event, { tool: call?.name ?? 'of another thread', input: call?.input, result: event });
  }
  if (SILENT.has(type)) return undefined;
  const place = placeOf(event);
  const said = SAID.get(type)?.(payload);
  if (said) return { ...place, kind: 'said', text: textOf(payload['text']), remark: remarkOf(payload), ...said };
  const note = NOTES.get(type)?.(payload) ?? { text: `${asWords(type)} ${JSON.stringify(payload)}` };
  return { ...place, kind: 'note', tone: 'plain', thread: undefined, ...note };
}

/** Told elsewhere on the page, or part of another entry. */
const SILENT: ReadonlySet<string> = new Set([
  'tool_call_result',
  'checkpoint_saved',
  'usage',
  'context_injected',
  'cognition_out_delta',
]);

function placeOf({ sequence = 0, timestamp, cut }: LogEvent): EntryPlace {
  return { sequence, upTo: sequence, atMs: Date.parse(timestamp), cut: cut ? [sequence] : [] };
}

type Called = { readonly tool?: unknown; readonly input?: unknown; readonly result: LogEvent | undefined };

function toolEntry(event: LogEvent, { tool, input, result }: Called): TranscriptEntry {
  const error = result?.payload['error'];
  const duration = result?.payload['duration_ms'];
  const place = placeOf(event);
  const end = result && placeOf(result);
  return {
    ...place,
    upTo: end?.upTo ?? place.upTo,
    cut: [...new Set([...place.cut, ...(end?.cut ?? [])])],
    kind: 'tool',
    tool: textOf(tool),
    input: textOf(input),
    output: result && textOf(error ?? result.payload['output']),
    failed: error !== undefined,
    durationMs: typeof duration === 'number' ? duration : undefined,
    remark: remarkOf(event.payload),
  };
}

function remarkOf(payload: Payload): string {
  const remarks = [
    payload['carried'] === true ? 'taken over' : '',
    payload['is_partial'] === true ? 'broken off' : payload['truncated'] === true ? 'cut at its output limit' : '',
  ];
  return remarks.filter(Boolean).join(', ');
}

type Said = Pick<Extract<TranscriptEntry, { kind: 'said' }>, 'by' | 'label'>;

// Maps: a type is a name that anybody may have given, `constructor` as well.
const SAID: ReadonlyMap<string, (payload: Payload) => Said> = new Map(
  Object.entries<(payload: Payload) => Said>({
    system_prompt: () => ({ by: 'system', label: 'System' }),
    cognition_in: ({ role }) => ({
      by: role === 'user' ? 'user' : 'system',
      label: ROLES.get(textOf(role)) ?? textOf(role),
    }),
    cognition_out: ({ model }) => ({ by: 'model', label: textOf(model) || 'Model' }),
    cognition_reasoning: () => ({ by: 'reasoning', label: 'Reasoning' }),
  }),
);

const ROLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    user: 'User',
    system: 'System',
    developer: 'Developer',
    tool: 'Tool',
  }),
);

type Note = Partial<Pick<Extract<TranscriptEntry, { kind: 'note' }>, 'tone' | 'thread'>> & { readonly text: string };

const NOTES: ReadonlyMap<string, (payload: Payload) => Note> = new Map(
  Object.entries<(payload: Payload) => Note>({
    thread_started: ({ directive, model }) => ({ text: `Started ${textOf(directive)} with ${textOf(model)}` }),
    thread_completed: () => ({ tone: 'good', text: 'Completed' }),
    thread_error: ({ error }) => ({ tone: 'bad', text: `Failed: ${messageOf(error)}` }),
    thread_cancelled: ({ reason }) => ({ tone: 'bad', text: `Cancelled: ${textOf(reason)}` }),
    thread_suspended: ({ suspend_reason: reason, message }) => ({
      tone: 'wait',
      text: `Suspended (${textOf(reason)})${message === undefined ? '' : `: ${textOf(message)}`}`,
    }),
    thread_resumed: ({ message }) => ({ text: message === undefined ? 'Resumed' : `Resumed with: ${textOf(message)}` }),
    thread_continued: ({ successor }) => ({ text: 'Continued by', thread: textOf(successor) }),
    context_compacted: ({ replaced }) => ({ text: `Compacted: a summary stands for ${textOf(replaced)} messages` }),
    error_classified: ({ category, message, attempt, delay_ms: delay }) => ({
      tone: 'bad',
      text: `A call failed (${textOf(category)}${attempt === undefined ? '' : `, attempt ${textOf(attempt)}`}): ${textOf(message)}${delay === undefined ? '' : `; again after ${textOf(delay)} ms`}`,
    }),
    limit_escalation_requested: ({ limit_code: code }) => ({
      tone: 'wait',
      text: `Limit hit: ${asWords(textOf(code))}`,
    }),
    approval_requested: ({ message, limit_code: code }) => ({
      tone: 'wait',
      text: `Asks a person: ${textOf(message ?? code)}`,
    }),
    approval_resolved: ({ granted, by }) => ({
      tone: granted === true ? 'good' : 'bad',
      text: `${granted === true ? 'Granted' : 'Denied'} by ${textOf(by)}`,
    }),
    child_thread_started: ({ child_directive: directive, child_thread_id: id }) => ({
      text: `Child started: ${textOf(directive)}`,
      thread: textOf(id),
    }),
    child_thread_ended: ({ status, child_thread_id: id }) => ({
      tone: status === 'completed' ? 'plain' : 'bad',
      text: `Child ended: ${textOf(status)}`,
      thread: textOf(id),
    }),
    directive_return: ({ outputs }) => ({ tone: 'good', text: `Returned ${textOf(outputs)}` }),
    budget_overspend: ({ reserved, actual }) => ({
      tone: 'bad',
      text: `Spent ${formatUsd(Number(actual))} of ${formatUsd(Number(reserved))} reserved`,
    }),
    warning: ({ message }) => ({ tone: 'wait', text: `Warning: ${textOf(message)}` }),
  }),
);

function messageOf(error: unknown): string {
  const message: unknown = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return textOf(message);
}
