import { ENDS_ANSWER, type LogEvent } from '../../api.ts';

/** The log of the open thread as far as it was read, oldest first. */
export type Transcript = {
  readonly id: string;
  /** The event around which it begins; undefined: it begins with its end. */
  readonly at: number | undefined;
  /** Whether that is there with which it begins: before that nothing precedes and nothing follows; or why it is not. */
  readonly opening: 'under way' | 'done' | { readonly code: string; readonly message: string };
  readonly events: readonly LogEvent[];
  /** The `before` of the page that precedes; undefined: this is the beginning. */
  readonly before: number | undefined;
  /** There are events that follow and were not read: what happens now is not shown. */
  readonly more: boolean;
  /** The last sequence number that was read. */
  readonly last: number;
  /** What the model has said so far of an answer that is not there yet. */
  readonly streaming: string;
  /** The same of the answer that was told of last, there or not: what is told next may go on from it. */
  readonly words: string;
};

/** Nothing read yet. */
export function emptyTranscript(id: string, at?: number): Transcript {
  const nothing = { events: [], before: undefined, more: false, last: 0, streaming: '', words: '' };
  return { id, at, opening: 'under way', ...nothing };
}

/**
 * Events that came after, in order; those that are there already are passed over. `upTo`: how far the log was read for them,
 * which may be less far than it is known by now.
 */
export function withEvents(transcript: Transcript, events: readonly LogEvent[], upTo: number = 0): Transcript {
  let { last, streaming } = transcript;
  const stored: LogEvent[] = [];
  for (const event of events) {
    if (event.sequence !== undefined && event.sequence <= last) continue;
    last = event.sequence ?? last;
    if (event.sequence !== undefined && event.event_type !== 'cognition_out_delta') stored.push(event);
    if (ENDS_ANSWER.has(event.event_type)) streaming = '';
  }
  const all = stored.length === 0 ? transcript.events : [...transcript.events, ...stored];
  return { ...transcript, events: all, last: Math.max(last, upTo), streaming };
}

/**
 * What the model says now: a text that stands at `from` of its answer. What follows nothing that is there is passed over. An
 * end of an answer that came after words may be that of the answer before: words that go on say that it was.
 */
export function withWords(transcript: Transcript, { from, text }: { from: number; text: string }): Transcript {
  if (from !== 0 && from !== transcript.words.length) return transcript;
  const words = transcript.words.slice(0, from) + text;
  return { ...transcript, words, streaming: words };
}

/** A page that precedes what is there. */
export function withOlder(transcript: Transcript, events: readonly LogEvent[], before: number | undefined): Transcript {
  const first = transcript.events[0]?.sequence ?? Infinity;
  const older = events.filter(
    ({ sequence, event_type: type }) => sequence !== undefined && sequence < first && type !== 'cognition_out_delta',
  );
  return { ...transcript, events: [...older, ...transcript.events], before };
}

/** Whether events are missing between what is there and these. */
export function isGap({ last }: Transcript, events: readonly LogEvent[]): boolean {
  const first = events.find(({ sequence }) => sequence !== undefined)?.sequence;
  return first !== undefined && first > last + 1;
}

/** A text of a payload, whatever else stands there. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value, undefined, 2);
}
