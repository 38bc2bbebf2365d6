import type { NanoUsd } from '../core/money.ts';
import type { LedgerRow } from '../core/store.ts';

/** What of a node's row has to be written: all of it, its amounts, its status too, or its parent too. */
export type Unwritten = 'all' | 'amounts' | 'status' | 'parent';

/** A thread's account in memory. */
export type BudgetNode = {
  -readonly [Key in keyof LedgerRow]: LedgerRow[Key];
} & {
  /** The parent's node; undefined at the root. */
  up: BudgetNode | undefined;
  /** Nodes in memory whose `up` is this one. */
  below: number;
  /** Its thread runs: stays in memory. */
  pinned: boolean;
  dirty: boolean;
  unwritten: Unwritten;
};

/** Whether a node, and every ancestor that has to follow, can hold so much more. */
export function fits(start: BudgetNode, amount: NanoUsd): boolean {
  let more = amount;
  for (let node: BudgetNode | undefined = start; node; node = node.up) {
    if (more > node.max - node.committed) return false;
    more = held(node, node.committed + more) - held(node);
    if (more === 0) return true;
  }
  return true;
}

/** What a node's parent holds for it beyond what it has spent. */
export function held({ status, max, actual, committed: now }: BudgetNode, committed: NanoUsd = now): NanoUsd {
  return (status === 'active' ? Math.max(max, committed) : committed) - actual;
}
