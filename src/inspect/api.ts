/*
 * The dashboard's HTTP API, as both sides have it: JSON with names as on the wire, money in USD, times in milliseconds since
 * the epoch. Every request has the token in the header {@link TOKEN_HEADER}; a change is a POST with
 * `content-type: application/json`. What is refused is an {@link ApiError} with a fitting HTTP status.
 */

/** The header with the token; it comes in the fragment of the page's address (`#token=…`) and stands in no other address. */
export const TOKEN_HEADER = 'x-skein-token';

/** Changes are given in batches, at most so many a second. */
export const BATCHES_PER_SECOND = 10;

/** Parent of threads that have none, where a parent is named: `?parent=root`, `?level=root`. */
export const ROOT = 'root';

/** Why something was not done: HTTP 400, 403, 404, 405, 409, 413, 415, 500 or 503. `code` is a `SkeinErrorCode`. */
export type ApiError = { readonly error: { readonly code: string; readonly message: string } };

/** How a thread stands. */
export type ApiStatus = 'created' | 'running' | 'suspended' | 'completed' | 'error' | 'cancelled' | 'continued';

/** Threads by how they stand; absent = none. */
export type ApiCounts = Readonly<Partial<Record<ApiStatus, number>>>;

/** `GET /api/project` */
export type ProjectAnswer = {
  /** Name of its folder. */
  readonly name: string;
  readonly version: string;
  /** The runtime that holds the project; null: none, it can be read and nothing changed. */
  readonly runtime: {
    readonly running: number;
    readonly queued: number;
    readonly workers: readonly {
      readonly threads: number;
      /** Threads by the state of their machine, e.g. `running.calling`. */
      readonly states: Readonly<Record<string, number>>;
      readonly turns: number;
      readonly spend: number;
      readonly events: number;
    }[];
  } | null;
  /** All threads that are not archived. */
  readonly totals: LevelTotals;
  readonly pending_approvals: number;
};

/** What threads come to, as counted at `as_of_ms`: counted again when something has changed, not for every request. */
export type LevelTotals = {
  readonly counts: ApiCounts;
  readonly threads: number;
  readonly turns: number;
  readonly spend: number;
  readonly as_of_ms: number;
};

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
 * `GET /api/threads?parent=ID|root&limit=N&after=ID&status=NAME,NAME`: a level of the tree, page-wise; roots newest first,
 * children oldest first. `limit`: default 100, at most 500. With `status` a page may be short or empty although there is a
 * `next`: so many were looked through.
 */
export type LevelAnswer = {
  readonly parent: string;
  readonly totals: LevelTotals;
  readonly threads: readonly ThreadRow[];
  /** The `after` of the next page, if there is one. */
  readonly next?: string;
};

/** What a thread may use; `spend` in USD. */
export type ApiLimits = {
  readonly turns: number;
  readonly tokens: number;
  readonly spend: number;
  readonly spawns: number;
  readonly depth: number;
  readonly duration_seconds: number;
};

/** An account of the budget tree; `remaining` = `max` − `reserved` − `spent`, where children's ceilings are reserved. */
export type BudgetNode = {
  readonly id: string;
  readonly directive: string;
  readonly max: number;
  /** For model calls in flight, by hooks, and for children beyond what they have spent. */
  readonly reserved: number;
  /** With everything below it. */
  readonly spent: number;
  readonly remaining: number;
  readonly status: 'active' | 'suspended' | 'released';
};

/** A thread of a chain of continuations. */
export type ChainLink = { readonly id: string; readonly status: ApiStatus };

/** `GET /api/threads/ID` */
export type ThreadAnswer = {
  readonly thread: ThreadRow;
  /** Root first, without the thread itself. */
  readonly ancestors: readonly ThreadRow[];
  /** Root first, the thread itself last. */
  readonly budget: readonly BudgetNode[];
  readonly limits: ApiLimits | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  /**
   * The state of its machine, e.g. `running.calling`; `as_of`: its worker says so, or its log does, which knows the states
   * between two events not.
   */
  readonly machine: { readonly state: string; readonly as_of: 'worker' | 'log' };
  /** Predecessors, itself, successors. */
  readonly chain: readonly ChainLink[];
  /** What it waits for. */
  readonly approval: ApprovalRow | null;
  readonly ending: {
    readonly outputs: Readonly<Record<string, unknown>> | null;
    readonly text: string;
    readonly error: { readonly code: string; readonly message: string } | null;
  } | null;
};

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

/** `GET /api/threads/ID/prompt`: what its model was sent at the start, by where it is from. */
export type PromptAnswer = {
  readonly id: string;
  readonly parts: readonly PromptPart[];
};

/** A part of the first messages. */
export type PromptPart = {
  readonly role: 'system' | 'user' | 'developer' | 'tool';
  readonly text: string;
  /** Ids of hooks, directives or items it was put together from, in order; empty: the event does not tell. */
  readonly sources: readonly PromptSource[];
  readonly sequence: number;
};

/** `layer`: of the system prompt; `before` and `after`: context around the instruction. */
export type PromptSource = {
  readonly kind: 'layer' | 'before' | 'directive' | 'after';
  readonly id: string;
};

/** `GET /api/threads/ID/failures`: failed calls, retries, limits, warnings, and what it ended with; the last 200. */
export type FailuresAnswer = {
  readonly id: string;
  readonly events: readonly LogEvent[];
  readonly cut: boolean;
};

/** A question to a person. Amounts about `spend_exceeded` in USD. */
export type ApprovalRow = {
  readonly approval_id: string;
  readonly thread_id: string;
  readonly directive: string;
  readonly status: 'pending' | 'granted' | 'denied' | 'cancelled';
  readonly reason: string;
  readonly asked_by: string;
  readonly message: string;
  readonly limit_code?: string | undefined;
  readonly current_value?: number | undefined;
  readonly current_max?: number | undefined;
  /** What would be enough. */
  readonly suggested?: number | undefined;
  readonly requested_at_ms: number;
  readonly decided_at_ms?: number | undefined;
  readonly decided_by?: string | undefined;
  readonly granted?: Readonly<Record<string, unknown>> | undefined;
};

/** `GET /api/approvals?status=pending|granted|denied|cancelled|all&limit=N`: newest first; default: pending, 100. */
export type ApprovalsAnswer = { readonly approvals: readonly ApprovalRow[] };

/** `POST /api/approvals/ID/grant`: new maximums, not what is added; answered by an {@link ApprovalRow}. */
export type GrantRequest = {
  readonly limits?: {
    readonly spend?: number;
    readonly turns?: number;
    readonly tokens?: number;
    readonly duration_seconds?: number;
  };
  /** Said to the model. */
  readonly message?: string;
};

/** `POST /api/approvals/ID/deny`: answered by an {@link ApprovalRow}. */
export type DenyRequest = { readonly message?: string };

/** `POST /api/threads/ID/cancel`; `tree`: with everything below it, whatever the child policy says. */
export type CancelRequest = { readonly tree?: boolean };

/** `POST /api/threads/ID/suspend`: it stops at its next step; `running` in the answer: that takes more than a second. */
export type SuspendRequest = Readonly<Record<string, never>>;

/** `POST /api/threads/ID/resume`: one that has ended goes on as another thread, which the answer names. */
export type ResumeRequest = {
  readonly message?: string;
  /** New maximums. */
  readonly limits?: {
    readonly turns?: number;
    readonly tokens?: number;
    readonly spend?: number;
    readonly spawns?: number;
    readonly duration_seconds?: number;
  };
};

/** `POST /api/threads/ID/fork`: another thread with its conversation up to the event `at`. */
export type ForkRequest = {
  readonly at: number;
  readonly inputs?: Readonly<Record<string, unknown>>;
};

/** Answer of cancel, suspend, resume and fork: the thread that it is about from now on, and how it stands. */
export type ActionAnswer = { readonly id: string; readonly status: ApiStatus };

/**
 * `GET /api/search?query=TEXT&cursor=CURSOR&limit=N&under=ID`: where a text stands in the logs of all threads or of one tree,
 * newest thread first, whatever its case. It looks for at most a second: with a `next` and few hits there is more to look
 * through.
 */
export type SearchAnswer = {
  readonly hits: readonly SearchHit[];
  /** Threads that this page looked through. */
  readonly searched: number;
  /** The `cursor` of the next page; absent: everything was looked through. */
  readonly next?: string;
};

/** A place where a text was found. */
export type SearchHit = {
  readonly thread_id: string;
  readonly directive: string;
  readonly event_type: string;
  readonly sequence: number;
  readonly at_ms: number;
  readonly snippet: string;
};

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

/** A thread in time; `end_ms` is absent while it has not ended. Spans are in order and leave no gap. */
export type TimelineRow = {
  readonly id: string;
  readonly parent?: string;
  readonly depth: number;
  readonly directive: string;
  readonly status: ApiStatus;
  readonly start_ms: number;
  readonly end_ms?: number;
  readonly spans: readonly TimelineSpan[];
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

/** `GET /api/machines`: the charts, as XState takes them. */
export type MachinesAnswer = {
  readonly thread: Readonly<Record<string, unknown>>;
  readonly supervisor: Readonly<Record<string, unknown>>;
};

/**
 * `GET /api/live?level=root|ID&level=…&thread=ID&after=SEQ`: server-sent events, read with `fetch` since the token is a
 * header. `level`: parents whose children are shown (at most 50); `thread`: the one that is open, whose log is followed from
 * `after` on (default: its end). Another choice is another request. Each message is `event: NAME`, `data: JSON`:
 */
export type LiveMessage =
  /** The first, and again when a runtime comes or goes: read again what is shown. */
  | { readonly type: 'hello'; readonly is_run: boolean; readonly at_ms: number }
  | LiveBatch
  /** Events of the open thread, in order. After a gap in their numbers, read them with `after`. */
  | { readonly type: 'log'; readonly id: string; readonly events: readonly LogEvent[] }
  /** So many messages were not sent since the last one, because they were not read in time: read again what is shown. */
  | { readonly type: 'dropped'; readonly messages: number; readonly at_ms: number };

/** What has changed of what is shown. */
export type LiveBatch = {
  readonly type: 'threads';
  readonly at_ms: number;
  /** New or changed threads of the levels, the open thread, and those above it: as they stand now. At most 500 … */
  readonly changed: readonly ThreadRow[];
  /** … and so many others. */
  readonly more: number;
  /** Totals of shown levels that were counted again. */
  readonly levels: readonly { readonly parent: string; readonly totals: LevelTotals }[];
  /** Of the project, if that has changed. */
  readonly totals?: LevelTotals;
  readonly pending_approvals?: number;
};
