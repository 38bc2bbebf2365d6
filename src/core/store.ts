import type { SuspendReason } from './events.ts';
import type { Failure } from './errors.ts';
import type { TerminalStatus, ThreadStatus } from './ending.ts';
import type { ThreadId, ThreadNo } from './ids.ts';
import type { Cost } from './limits.ts';
import type { NanoUsd } from './money.ts';
import type { ApprovalDecision, ApprovalFilter, ApprovalRequest, ApprovalRow } from './store-approvals.ts';
import type { BudgetOp, BudgetResult, CanSpawnOp, RemainingOp, TreeSpendOp } from './store-budget.ts';
import type { LogChunk, LogPlace, Page } from './store-log.ts';

/**
 * Admits a thread: writes its registry row (status `created`) and its ledger node, and reserves its ceiling from its
 * parent's. Refused with `budget_refused` when the parent's remaining budget is smaller; nothing is written then. Sent
 * again with the same number and id it changes nothing and is answered as before.
 */
export type AdmitOp = {
  readonly type: 'admit';
  readonly thread: ThreadNo;
  readonly threadId: ThreadId;
  readonly parent: ThreadNo | undefined;
  readonly root: ThreadNo;
  readonly directive: string;
  readonly model: string;
  /** The node's cap, and what its parent reserves for it. */
  readonly ceiling: NanoUsd;
  /** JSON: everything needed to start the thread again. */
  readonly spec: string;
  readonly at: number;
  /** The ended thread that it goes on from, which has given its reservation back. */
  readonly predecessor?: ThreadNo;
};

/**
 * Ends a thread as `continued` and admits its successor below the same parent in one step: the successor takes over
 * ceiling, what its subtree has spent and what hooks have reserved; the parent holds neither both nor none. Fails, and
 * changes nothing, if either can't be.
 */
export type ContinueOp = {
  readonly type: 'continue';
  /** The predecessor's last step: its status is `continued`, it reserves nothing. */
  readonly end: StepOp;
  readonly successor: Omit<AdmitOp, 'type' | 'parent' | 'ceiling' | 'predecessor'> & {
    /** The counters that it goes on with. */
    readonly checkpoint?: CheckpointWrite;
    readonly cost?: Cost;
  };
};

/** A model call's settlement: its reservation is given back and its real cost recorded, at every ancestor. */
export type Settlement = { readonly reserved: NanoUsd; readonly actual: NanoUsd };

/** A thread's own state at a point of its log; its messages are the log's events up to `sequence`. */
export type CheckpointWrite = { readonly turn: number; readonly state: string };

/** A checkpoint as it is stored; `sequence`: the last event it knows of. */
export type StoredCheckpoint = CheckpointWrite & { readonly sequence: number };

/** What becomes of the thread with this step. */
export type StatusChange =
  | { readonly to: 'running' }
  | { readonly to: 'suspended'; readonly reason: SuspendReason }
  | { readonly to: TerminalStatus; /** JSON of the `Ending`. */ readonly ending: string };

/**
 * One step of a thread: its events since the last step, and the money, checkpoint and status that belong to them. All
 * of it commits or none of it, except that `reserve` alone may be refused: a `ceiling` that does not fit fails the whole step
 * with `budget_refused`. A terminal status releases what the thread
 * still has reserved, and what its parent still holds for it, and cancels what a person was asked and has not answered.
 * A step whose events are stored already, each as it is, changes nothing and is answered as before.
 */
export type StepOp = {
  readonly type: 'step';
  readonly thread: ThreadNo;
  readonly at: number;
  /** JSON lines, as `encodeEvent` makes them; empty when the step has no events. */
  readonly lines: string;
  /** Sequence numbers of the first and last line; both 0 without lines. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly settle?: Settlement | undefined;
  readonly reserve?: NanoUsd | undefined;
  /**
   * What the thread may have, which its parent reserves in turn; no less than what is committed. What a suspension gave back is reserved again,
   * too, and is not given back by this step. `kept` for that alone.
   */
  readonly ceiling?: NanoUsd | 'kept' | undefined;
  readonly checkpoint?: CheckpointWrite | undefined;
  readonly cost?: Cost | undefined;
  readonly status?: StatusChange | undefined;
  /** A question to a person, which comes with the suspension. */
  readonly request?: ApprovalRequest | undefined;
  /** The answer, which comes with the resumption or the ending. */
  readonly decision?: ApprovalDecision;
};

/** Reads back what is needed to go on with a suspended thread. */
export type LoadOp = {
  readonly type: 'load';
  readonly thread: ThreadNo;
  /** Reads its children, too; most threads have none, and need not be asked. `only`: of its events it has only those about them. */
  readonly withChildren?: boolean | 'only';
  /** Of its events it has only those that may raise what its checkpoint has as limits. */
  readonly onlyRaises?: boolean;
};

/** An operation on the store. Operations of one sender are applied in the order they were sent. */
export type StoreOp = AdmitOp | ContinueOp | StepOp | LoadOp | RemainingOp | CanSpawnOp | TreeSpendOp | BudgetOp;

/** A thread as read back by {@link LoadOp}. */
export type StoredThread = {
  readonly row: ThreadRow;
  readonly spec: string;
  readonly checkpoint: StoredCheckpoint | undefined;
  readonly lines: string;
  readonly lastSequence: number;
  /** What a model call has reserved that was in flight when its runtime ended; absent if there was none. */
  readonly reserved?: NanoUsd;
  /** If they were asked for: its children, whether or not its log tells of them; oldest first. */
  readonly children: readonly StoredChild[];
};

/** What a thread that is read back is told of a child. */
export type StoredChild = Pick<ThreadRow, 'threadId' | 'directive' | 'status' | 'cost'> & {
  /** Number of hooks that led to it; absent = none, or it is archived. */
  readonly hookDepth?: number;
};

/**
 * Result of one operation, in the order sent: `true` = applied; `refused` = a reservation that did not fit (the rest of
 * a step was applied), with what was left, less than 0 after an overspend; `failed` = nothing of it was applied.
 */
export type StoreResult =
  | true
  | { readonly type: 'refused'; readonly remaining: NanoUsd }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'loaded'; readonly thread: StoredThread }
  | BudgetResult;

/** What kept an operation from being applied, if it failed. */
export function failureIn(result: StoreResult): Failure | undefined {
  return result !== true && result.type === 'failed' ? result.failure : undefined;
}

/** Durable storage of one project. One writer; `commit` is one transaction and durable when it returns. */
export interface Store {
  /** Applies the operations in order in one transaction. Throws a `SkeinError` when the transaction as a whole failed. */
  commit(ops: readonly StoreOp[]): readonly StoreResult[];
  /** Work that waits for a quiet moment: WAL checkpoint. */
  idle(): void;
  /** The same between commits that leave no such moment, once there is much to copy. */
  keepLogShort?(): void;
  /** Does one slice of cleanup, some milliseconds; false if there is nothing to do. Throws when it failed: the store goes on, unless `keepLogShort` throws then. */
  tidy?(): boolean;
  close(): void;
}

/** A registry row, as status and list queries return it. */
export type ThreadRow = {
  readonly thread: ThreadNo;
  readonly threadId: ThreadId;
  readonly parent: ThreadNo | undefined;
  readonly root: ThreadNo;
  readonly directive: string;
  readonly model: string;
  readonly status: ThreadStatus;
  readonly suspendReason: SuspendReason | undefined;
  /** Without what came from caches and went into them: of an ended thread its ending says that. */
  readonly cost: Cost;
  /** JSON of the `Ending`; present once the thread has ended. */
  readonly ending: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The thread it continues, and the one that continues it. */
  readonly predecessor?: ThreadNo | undefined;
  readonly successor?: ThreadNo | undefined;
};

/** A ledger node; `committed` = open reservations + actual, over its whole subtree. */
export type LedgerRow = {
  readonly thread: ThreadNo;
  readonly parent: ThreadNo | undefined;
  /** For model calls in flight. */
  readonly reserved: NanoUsd;
  /** By hooks, through `internal/budget_ops`. */
  readonly extra: NanoUsd;
  readonly actual: NanoUsd;
  readonly committed: NanoUsd;
  readonly max: NanoUsd;
  /** `suspended`: its parent has the unspent part back; only where suspensions release. */
  readonly status: 'active' | 'suspended' | 'released';
};

/** Which rows a list query returns; newest first. */
export type ThreadFilter = {
  readonly status?: readonly ThreadStatus[];
  readonly parent?: ThreadNo;
  readonly directive?: string;
  /** Those that were admitted before this one. */
  readonly before?: ThreadNo;
  /** Those that were admitted after this one. */
  readonly after?: ThreadNo;
  /** Default 100. */
  readonly limit?: number;
  /** Also archived ones. */
  readonly archived?: boolean;
};

/** Queries on a stored database and its archive, through connections that can't write. */
export interface StoreReader {
  /** Any text may be asked for; one that is no id is in no row. */
  thread(id: string): ThreadRow | undefined;
  threadByNo(thread: ThreadNo): ThreadRow | undefined;
  /** Newest first; archived threads only if they are asked for. */
  threads(filter: ThreadFilter): readonly ThreadRow[];
  /** Children, oldest first. */
  children(thread: ThreadNo, page?: Page): readonly ThreadRow[];
  /** A thread below this one, at any depth, that has not ended. Goes through all that have until it finds one. */
  openBelow(thread: ThreadNo): ThreadRow | undefined;
  /** A thread with its predecessors and successors, in order; empty if it is not there. */
  chain(thread: ThreadNo): readonly ThreadRow[];
  ledger(thread: ThreadNo): LedgerRow | undefined;
  /** JSON of what the thread was started with. */
  spec(thread: ThreadNo): string | undefined;
  /** JSON of what an open thread last wrote down of its state; undefined before its first step. */
  checkpoint(thread: ThreadNo): string | undefined;
  /** Chunks of JSON lines of an open thread that its checkpoint does not know yet, and that have limits in them. */
  raises(thread: ThreadNo): readonly string[];
  /** Threads that the end of their runtime has interrupted, in the order they were admitted: those after a number. */
  interrupted(after: ThreadNo, limit: number): readonly Pick<ThreadRow, 'thread' | 'threadId'>[];
  /** Whether one of these is in a tree, among those that were admitted after a thread of it. */
  isInterrupted(root: ThreadNo, after: ThreadNo): boolean;
  /** Chunks of JSON lines of a thread in order, from `fromSequence` on. */
  events(thread: ThreadNo, fromSequence?: number): readonly string[];
  /**
   * A few chunks of a thread, fewer where they are long, so that whoever reads a long log holds little of it and can let
   * others have their turn between them; empty only where nothing follows.
   */
  logPage(thread: ThreadNo, place: LogPlace): readonly LogChunk[];
  approvals(filter: ApprovalFilter): readonly ApprovalRow[];
  approval(id: string): ApprovalRow | undefined;
  close(): void;
}

/**
 * What the store worker answers after the commit that held the batch. `results` lists only what is not `true`, by index
 * in the batch; a failed transaction is one `failure` for all of its operations.
 */
export type StoreReply = {
  readonly batch: number;
  readonly results: readonly (readonly [index: number, result: Exclude<StoreResult, true>])[];
  readonly failure?: Failure;
};

/** What the store worker says once it is open; `nextThread` is the first unused thread number. */
export type StoreOpened = {
  readonly nextThread: ThreadNo;
  readonly suspendedOrphans: number;
  /** Left out where the database was made in its place, and for one without threads. */
  readonly foreign?: ForeignThreads;
};

/**
 * Threads that a database brought along from elsewhere, none of which goes on by itself (ADR 67): those up to the number `last`
 * whose row has not been written since `until` (milliseconds since the epoch).
 */
export type ForeignThreads = { readonly last: ThreadNo; readonly until: number };
