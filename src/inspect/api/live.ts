import type { LogEvent } from './log.ts';
import type { ThreadRow } from './thread-list.ts';
import type { LevelTotals } from './totals.ts';

/** Changes are given in batches, at most so many a second. */
export const BATCHES_PER_SECOND = 10;

/**
 * `GET /api/live?level=root|all|ID&level=…&thread=ID&after=SEQ&from=PLACE`: server-sent events, read with `fetch` since the token is
 * a header. `level`: parents whose children are shown (at most 50), or all threads; `thread`: the one that is open, whose log is followed from
 * `after` on (default: its end). Another choice is another request, `from` where the one before it has told everything up to
 * (`up_to`; default: from now on), so that nothing is missed between them. Threads that there are not, or not any more, are left out. Each message is `event: NAME`, `data: JSON`:
 */
export type LiveMessage =
  /** The first, and again after a runtime has come or gone: read again what is shown. */
  | { readonly type: 'hello'; readonly is_run: boolean; readonly at_ms: number; readonly up_to: string }
  | LiveBatch
  /** Events of the open thread, in order. After a gap in their numbers, read them with `after`. */
  | { readonly type: 'log'; readonly id: string; readonly events: readonly LogEvent[] }
  /** What the model of the open thread says while it says it: this text stands at `from` of its answer; 0: another answer. */
  | { readonly type: 'words'; readonly id: string; readonly from: number; readonly text: string }
  /** At least so many messages were not sent since the last one, because they were not read in time: read again what is shown. */
  | { readonly type: 'dropped'; readonly messages: number; readonly at_ms: number };

/** What has changed of what is shown. */
export type LiveBatch = {
  readonly type: 'threads';
  readonly at_ms: number;
  /** New or changed threads of the levels, the open thread, and those above it: as they stand now. At most 500 … */
  readonly changed: readonly ThreadRow[];
  /** … and so many others, which come with the next batches. */
  readonly more: number;
  /** All that has changed up to here was told. */
  readonly up_to: string;
  /** Totals of shown levels that were counted again. */
  readonly levels: readonly { readonly parent: string; readonly totals: LevelTotals }[];
  /** Of the project, if that has changed. */
  readonly totals?: LevelTotals;
  readonly pending_approvals?: number;
};
