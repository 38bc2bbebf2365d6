import type { ApiCounts, ApiStatus } from './totals.ts';

/**
 * `GET /api/timeline?root=ID&limit=N`: when the threads at and below one were there, parents before their children, at most
 * `limit` (default 200, at most 500) of them; of each parent's children that are left out there is one summary.
 */
export type TimelineAnswer = {
  readonly root: string;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly rows: readonly TimelineRow[];
  readonly summaries: readonly TimelineSummary[];
};

/**
 * A thread in time; `end_ms` is absent while it has not ended. Spans are in order and leave no gap, up to its end or until now.
 * `unread`: its log was not read to its end, for want of time or since its states are too many. What follows its spans is not
 * known then, and it may have none.
 */
export type TimelineRow = {
  readonly id: string;
  readonly parent?: string;
  readonly depth: number;
  readonly directive: string;
  readonly status: ApiStatus;
  readonly start_ms: number;
  readonly end_ms?: number;
  readonly spans: readonly TimelineSpan[];
  readonly unread?: true;
};

/** `queued`: until it started; `running`, `suspended`: until it was resumed. */
export type TimelineSpan = {
  readonly state: 'queued' | 'running' | 'suspended';
  readonly from_ms: number;
  readonly to_ms: number;
};

/** Children of a thread that are in no row. */
export type TimelineSummary = {
  readonly parent: string;
  readonly depth: number;
  readonly threads: number;
  readonly counts: ApiCounts;
  readonly start_ms: number;
  readonly end_ms: number;
};
