/** An event of a log, as the runtime gives it to everybody (S2 §7.2). */
export type LogEvent = {
  readonly thread_id: string;
  readonly event_type: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly criticality: string;
  readonly sequence?: number | undefined;
  /** Long texts of its payload are cut; each says by how much. The whole is at `GET /api/threads/ID/events/SEQUENCE`. */
  readonly cut?: true | undefined;
};

/** Types of the events with which no answer is being given any more. */
export const ENDS_ANSWER: ReadonlySet<string> = new Set([
  'cognition_out',
  'thread_completed',
  'thread_error',
  'thread_cancelled',
  'thread_suspended',
  'thread_continued',
]);

/**
 * `GET /api/threads/ID/events?before=SEQ&after=SEQ&limit=N&types=NAME,NAME`: a page of its log, oldest first. With neither
 * `before` nor `after` it is the end of the log; with `before` what precedes; with `after` what follows. `limit`: default
 * 100, at most 500; a page ends earlier at 256 KiB.
 */
export type EventsAnswer = {
  readonly id: string;
  readonly events: readonly LogEvent[];
  /** The `before` of the page that precedes; absent: this is the beginning. */
  readonly before?: number;
  /** The `after` of the page that follows, now or later. */
  readonly after: number;
  /** There is more after it already. */
  readonly more: boolean;
};

/** `GET /api/threads/ID/events/SEQUENCE` */
export type EventAnswer = { readonly event: LogEvent };

/**
 * `GET /api/threads/ID/failures?before=SEQ`: failed model calls, retries, limits, warnings, and what it ended with, oldest first:
 * the last 200 before SEQ, or of its whole log. A long log is looked through in parts, so that there may be none and more before.
 */
export type FailuresAnswer = {
  readonly id: string;
  readonly events: readonly LogEvent[];
  /** The `before` of the part that precedes; absent: this is the beginning. */
  readonly before?: number;
  /** The last event that was looked at. */
  readonly up_to: number;
};

/** `GET /api/threads/ID/path`: the states its machine went through, as far as its log tells, the last 500 of them. */
export type PathAnswer = {
  readonly id: string;
  readonly steps: readonly PathStep[];
  /** There were others before. */
  readonly cut: boolean;
};

/** A state that a machine came to. */
export type PathStep = {
  readonly state: string;
  readonly at_ms: number;
  /** The event that tells of it. */
  readonly sequence: number;
};
