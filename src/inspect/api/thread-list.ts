import type { ApiStatus, LevelTotals } from './totals.ts';

/** A thread in a list. */
export type ThreadRow = {
  readonly id: string;
  /** Absent: it is a root. */
  readonly parent?: string;
  readonly directive: string;
  readonly model: string;
  readonly status: ApiStatus;
  /** Of a suspended one. */
  readonly suspend_reason?: string;
  readonly turns: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Its own calls. */
  readonly spend: number;
  /** With all threads below it. */
  readonly tree_spend: number;
  /** Up to 1,000: that many or more. */
  readonly children: number;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
};

/**
 * `GET /api/threads?parent=ID|root|all&limit=N&after=ID&status=NAME,NAME`: a level of the tree, or all threads in one list,
 * page-wise; totals and lists are without archived threads, but for the children of one that is archived itself; children oldest first, others newest first. `limit`: default 100, at most 500. With `status` a page may be short or empty although there is a
 * `next`: so many were looked through.
 */
export type LevelAnswer = {
  readonly parent: string;
  readonly totals: LevelTotals;
  readonly threads: readonly ThreadRow[];
  /** The `after` of the next page, if there is one. */
  readonly next?: string;
};
