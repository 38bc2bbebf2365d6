import type { ThreadNo } from '../core/ids.ts';
import type { NanoUsd } from '../core/money.ts';
import type { LedgerRow, Settlement } from '../core/store.ts';
import { fits, held, type BudgetNode, type Unwritten } from './budget-node.ts';
import { LedgerNodes, type LedgerRows } from './ledger-nodes.ts';

/*
 * The budget tree: one node per thread.
 *
 * A node has `max` (its ceiling), `reserved` (its own model calls in flight), `extra` (what hooks reserved), `actual`
 * (spent in its whole subtree) and `committed` = `reserved` + `extra` + `actual` + what it still holds for its children.
 * For an active child a parent holds the unspent part of the child's ceiling, or what that child itself has reserved or
 * holds if an overspend has made that more; for an ended or suspended child the latter. (Suspended: only if suspensions
 * give back.) So a child's spend turns into its parent's `actual` without moving the parent's `committed`, until the child's
 * own `committed` exceeds its ceiling; then it moves `committed` at every ancestor.
 *
 * Not owned here: which nodes are in memory (ledger-nodes.ts), SQLite, transactions, who may call what when (sqlite-store.ts).
 *
 * Invariants
 * B1 No granted reservation, of a call or of a child's ceiling, takes `committed` over `max`; and `committed` is never less
 *    than what is spent and reserved in the whole subtree, whatever was overspent.
 * B2 `actual` never falls.
 * B3 No reservation outlives its thread: an ended node has `reserved` and `extra` 0, and once its subtree has ended
 *    `committed` = `actual`. What a thread that is continued leaves becomes its successor's in the same step.
 * B4 The root's `actual` is the sum of all settlements in its tree.
 */

/** The budget tree in memory. All amounts are whole, non-negative nano-USD; every call costs at most O(depth). */
export class Ledger {
  readonly #nodes: LedgerNodes;

  constructor(rows: LedgerRows) {
    this.#nodes = new LedgerNodes(rows);
  }

  /** Nodes in memory. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Adds a node and reserves its ceiling from its parent; false, and nothing is changed, if that does not fit (B1). */
  admit(thread: ThreadNo, parent: ThreadNo | undefined, ceiling: NanoUsd): boolean {
    const up = parent === undefined ? undefined : this.#nodes.get(parent);
    if (up) {
      if (!fits(up, ceiling)) return false;
      this.#spread(up, ceiling, 0);
    }
    this.#nodes.add(
      { thread, parent, reserved: 0, extra: 0, actual: 0, committed: 0, max: ceiling, status: 'active' },
      up,
    );
    return true;
  }

  /**
   * Takes back what a node's suspension gave to its parent, and gives it another maximum if there is one, which is lower only
   * as far as nothing is committed; false, and nothing is changed, if that does not fit (B1).
   */
  resume(thread: ThreadNo, max?: NanoUsd): boolean {
    const node = this.#nodes.get(thread);
    const { max: oldMax, status, committed } = node;
    const before = held(node);
    if (max !== undefined) node.max = Math.max(max, Math.min(oldMax, committed));
    if (status === 'suspended') node.status = 'active';
    const more = held(node) - before;
    if (node.up && more > 0 && !fits(node.up, more)) {
      node.max = oldMax;
      node.status = status;
      return false;
    }
    this.#nodes.touch(node, status === node.status ? 'amounts' : 'status');
    if (node.up) this.#spread(node.up, more, 0);
    return true;
  }

  /** Gives what a node may still spend back to its parent, but for what it has reserved or holds; {@link Ledger.resume} undoes it. */
  suspend(thread: ThreadNo): void {
    const node = this.#nodes.get(thread);
    if (node.status !== 'active') return;
    const before = held(node);
    node.status = 'suspended';
    this.#nodes.touch(node, 'status');
    if (node.up) this.#spread(node.up, held(node) - before, 0);
  }

  /** Reserves a model call's worst case; false, and nothing is changed, if it does not fit (B1). */
  reserve(thread: ThreadNo, amount: NanoUsd): boolean {
    const node = this.#nodes.running(thread);
    if (node.status !== 'active') return this.#reserveFromAbove(node, amount, 0);
    if (amount > node.max - node.committed) return false;
    node.reserved += amount;
    node.committed += amount;
    this.#nodes.touch(node);
    return true;
  }

  /** Reserves beside the model calls; false, and nothing is changed, if it does not fit (B1). */
  reserveExtra(thread: ThreadNo, amount: NanoUsd): boolean {
    return this.#reserveFromAbove(this.#nodes.get(thread), 0, amount);
  }

  /** Gives an extra reservation of a node back, and records what was spent, here and at every ancestor (B2, B4). */
  settleExtra(thread: ThreadNo, { reserved, actual }: Settlement): void {
    const node = this.#nodes.get(thread);
    const back = Math.min(reserved, node.extra);
    node.extra -= back;
    if (back > 0) this.#nodes.touch(node, 'status');
    this.#spread(node, -back, actual);
  }

  /**
   * Gives a call's reservation back and records its real cost, here and at every ancestor (B2, B4). What the node does
   * not hold can't be given back: after a crash the reservation may be gone already.
   */
  settle(thread: ThreadNo, { reserved, actual }: Settlement): void {
    const node = this.#nodes.running(thread);
    const back = Math.min(reserved, node.reserved);
    node.reserved -= back;
    this.#spread(node, -back, actual);
  }

  /**
   * Ends a node: its own reservations are dropped, and its parent gets back what nobody below can still spend (B3).
   * Returns the extra reservations that were dropped.
   */
  release(thread: ThreadNo): NanoUsd {
    const node = this.#nodes.get(thread);
    if (node.status === 'released') return 0;
    const { extra } = node;
    const before = held(node);
    this.#close(node);
    if (node.up) this.#spread(node.up, held(node) - before, 0);
    return extra;
  }

  /**
   * Ends a node and puts another in its place below the same parent, with its ceiling, what its subtree has spent and
   * what it has reserved beside model calls. The ended node becomes the first below the new one, and its children stay
   * its own: every sum in the tree stays what it was.
   */
  succeed(thread: ThreadNo, successor: ThreadNo): void {
    const node = this.#nodes.get(thread);
    const { up, parent, max, actual, extra, status } = node;
    const before = held(node);
    this.#close(node);
    const committed = actual + extra + held(node);
    const next = this.#nodes.add({ thread: successor, parent, reserved: 0, extra, actual, committed, max, status }, up);
    if (up) up.below--;
    node.up = next;
    node.parent = successor;
    next.below++;
    this.#nodes.touch(node, 'parent');
    if (up) this.#spread(up, held(next) - before, 0);
  }

  /** A node as it stands. */
  look(thread: ThreadNo): LedgerRow {
    return this.#nodes.get(thread);
  }

  /** What a node's reservations may still come to. */
  remaining(thread: ThreadNo): NanoUsd {
    return Math.max(0, this.left(thread));
  }

  /** The same, less than 0 by what was overspent. */
  left(thread: ThreadNo): NanoUsd {
    const { max, committed } = this.#nodes.get(thread);
    return max - committed;
  }

  /** Whether an amount could be reserved now, for a call or a child. */
  fits(thread: ThreadNo, amount: NanoUsd): boolean {
    return fits(this.#nodes.get(thread), amount);
  }

  /** By how much `committed` is over the maximum, at a node and at each one above it. */
  excesses(thread: ThreadNo): readonly NanoUsd[] {
    const excesses: NanoUsd[] = [];
    for (let node: BudgetNode | undefined = this.#nodes.get(thread); node; node = node.up) {
      excesses.push(Math.max(0, node.committed - node.max));
    }
    return excesses;
  }

  /** Whether a node is another one or below it. */
  isWithin(thread: ThreadNo, top: ThreadNo): boolean {
    for (let node: BudgetNode | undefined = this.#nodes.get(thread); node; node = node.up)
      if (node.thread === top) return true;
    return false;
  }

  /** Says that a node's thread does not run: it may leave memory once it is written and nothing below needs it. */
  park(thread: ThreadNo): void {
    this.#nodes.park(thread);
  }

  /** Hands every changed node to `write`, each once, and forgets what nothing needs any more. */
  flush(write: (row: LedgerRow, unwritten: Unwritten) => void): void {
    this.#nodes.flush(write);
  }

  /** Forgets everything, changes included: the rows are the truth again. */
  reset(): void {
    this.#nodes.reset();
  }

  /** Changes `committed` by `reservations` + `spent` and `actual` by `spent`, and lets ancestors follow. */
  #spread(start: BudgetNode, reservations: NanoUsd, spent: NanoUsd): void {
    let change = reservations;
    for (let node: BudgetNode | undefined = start; node; node = node.up) {
      if (change === 0 && spent === 0) return;
      const before = held(node);
      node.actual += spent;
      node.committed += change + spent;
      this.#nodes.touch(node);
      change = held(node) - before;
    }
  }

  /** Reserves where ancestors may have to follow; false, and nothing is changed, if it does not fit (B1). */
  #reserveFromAbove(node: BudgetNode, reserved: NanoUsd, extra: NanoUsd): boolean {
    if (!fits(node, reserved + extra)) return false;
    node.reserved += reserved;
    node.extra += extra;
    this.#nodes.touch(node, extra > 0 ? 'status' : 'amounts');
    this.#spread(node, reserved + extra, 0);
    return true;
  }

  /** Drops a node's own reservations, and lets it leave memory. */
  #close(node: BudgetNode): void {
    node.committed -= node.reserved + node.extra;
    node.reserved = 0;
    node.extra = 0;
    node.status = 'released';
    this.#nodes.touch(node, 'status');
    this.#nodes.park(node.thread);
  }
}
