import type { StoredEvent } from '../src/core/events.ts';

/** An event without its place and time. */
export type SampleEvent = Pick<StoredEvent, 'event_type' | 'payload'>;

/** What Skein stores for one thread of the workload, read back from its database. */
export type ThreadSample = {
  /** The user message as Skein renders it. */
  readonly prompt: string;
  /** Events before the first answer. */
  readonly start: readonly SampleEvent[];
  /** Events from each answer to the next; the last list ends with the terminal event. */
  readonly turns: readonly (readonly SampleEvent[])[];
};

/** Cuts a thread's events into turns. */
export function toThreadSample(events: readonly StoredEvent[]): ThreadSample {
  const start: SampleEvent[] = [];
  const turns: SampleEvent[][] = [];
  let prompt = '';
  for (const { event_type, payload } of events) {
    if (event_type === 'cognition_out') turns.push([]);
    if (event_type === 'cognition_in' && 'text' in payload && prompt === '') prompt = payload.text;
    (turns.at(-1) ?? start).push({ event_type, payload });
  }
  return { prompt, start, turns };
}
