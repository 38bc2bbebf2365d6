import type { ThreadId, ThreadNo } from './ids.ts';
import type { NanoUsd } from './money.ts';

/** Asks what a thread may still spend or reserve for children (S2 §5.5 `check_remaining`). */
export type RemainingOp = { readonly type: 'remaining'; readonly thread: ThreadNo };

/** Asks whether a thread could have a child with this ceiling now. One that has ended could not. */
export type CanSpawnOp = { readonly type: 'can_spawn'; readonly thread: ThreadNo; readonly ceiling: NanoUsd };

/** Asks what a thread and everything below it have spent. */
export type TreeSpendOp = { readonly type: 'tree_spend'; readonly thread: ThreadNo };

/**
 * An operation of `internal/budget_ops` (S2 §5.5) on a thread's node: `reserve` holds an amount beside the model calls,
 * until it is reported, released, or the thread ends; `report_actual` adds to what was spent, out of what is reserved so;
 * `release` gives back what is left. Refused with `permission_denied` unless the node is the asker's or below it.
 */
export type BudgetOp = {
  readonly type: 'budget';
  readonly operation: 'reserve' | 'report_actual' | 'release' | 'check_remaining';
  /** The thread whose hook asks. */
  readonly asker: ThreadNo;
  readonly threadId: ThreadId;
  /** For `reserve` and `report_actual`. */
  readonly amount: NanoUsd;
  /** An operation with a key that its node has seen changes nothing, and is answered as before. */
  readonly key: string | undefined;
  /** Key of the reservation that is reported or released; default: all of the node, oldest first. */
  readonly reservation: string | undefined;
  readonly at: number;
};

/** Answers to the operations above. `remaining` is what the node may still reserve. */
export type BudgetResult =
  | { readonly type: 'remaining'; readonly remaining: NanoUsd }
  | { readonly type: 'can_spawn'; readonly allowed: boolean; readonly remaining: NanoUsd }
  | {
      readonly type: 'tree_spend';
      readonly actual: NanoUsd;
      readonly committed: NanoUsd;
      readonly max: NanoUsd;
      readonly remaining: NanoUsd;
    }
  | {
      readonly type: 'budget';
      /** False: a reservation that did not fit. */
      readonly granted: boolean;
      /** What was reserved, reported or released. */
      readonly amount: NanoUsd;
      /** By how much this took `committed` over the maximum: of the node, or of one above it if that is more. */
      readonly over: NanoUsd;
      readonly remaining: NanoUsd;
    };
