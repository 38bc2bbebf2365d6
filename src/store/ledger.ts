import { SkeinError } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { NanoUsd } from '../core/money.ts';
import type { LedgerRow, Settlement } from '../core/store.ts';

/*
 * The budget tree: one node per thread, read through to its rows, written back once per commit.
 *
 * A node has `max` (its ceiling), `reserved` (its own model calls in flight), `actual` (spent in its whole subtree) and
 * `committed` = `reserved` + `actual` + what it still holds for its children. For an active child a parent holds the
 * unspent part of the child's ceiling; for an ended child whose own children go on, what those still hold, at most
 * that part. So a child's spend turns into its parent's `actual` without moving the parent's `committed`, until it
 * exceeds the child's ceiling; then it moves `committed` at every ancestor.
 *
 * Not owned here: SQLite, transactions, who may call what when (sqlite-store.ts).
 *
 * Invariants
 * B1 No granted reservation, of a call or of a child's ceiling, takes `committed` over `max`.
 * B2 `actual` never falls.
 * B3 No reservation outlives its thread: an ended node has `reserved` 0, and once its subtree has ended
 *    `committed` = `actual`.
 * B4 The root's `actual` is the sum of all settlements in its tree.
 */

/** Where nodes come from that are not in memory. */
export interface LedgerRows {
  read(thread: ThreadNo): LedgerRow | undefined;
}

type Node = {
  -readonly [Key in keyof LedgerRow]: LedgerRow[Key];
} & {
  /** The parent's node; undefined at the root. */
  up: Node | undefined;
  /** Nodes in memory whose `up` is this one. */
  below: number;
  /** Its thread runs: stays in memory. */
  pinned: boolean;
  dirty: boolean;
  /** Has no row yet. */
  fresh: boolean;
};

/** The budget tree in memory. All amounts are whole, non-negative nano-USD; every call costs at most O(depth). */
export class Ledger {
  readonly #rows: LedgerRows;
  readonly #nodes = new Map<ThreadNo, Node>();
  readonly #dirty: Node[] = [];
  readonly #loose = new Set<Node>();

  constructor(rows: LedgerRows) {
    this.#rows = rows;
  }

  /** Nodes in memory. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Adds a node and reserves its ceiling from its parent; false, and nothing is changed, if that does not fit (B1). */
  admit(thread: ThreadNo, parent: ThreadNo | undefined, ceiling: NanoUsd): boolean {
    const up = parent === undefined ? undefined : this.#node(parent);
    if (up) {
      if (ceiling > up.max - up.committed) return false;
      up.committed += ceiling;
      this.#touch(up);
      up.below++;
    }
    const amounts = { reserved: 0, actual: 0, committed: 0, max: ceiling };
    const state = { up, below: 0, pinned: true, dirty: false, fresh: true };
    const node: Node = { thread, parent, ...amounts, status: 'active', ...state };
    this.#nodes.set(thread, node);
    this.#touch(node);
    return true;
  }

  /** Raises a node's maximum; false, and nothing is changed, if the parent can't reserve the difference (B1). */
  raise(thread: ThreadNo, max: NanoUsd): boolean {
    const node = this.#node(thread);
    const before = held(node);
    const old = node.max;
    node.max = Math.max(old, max);
    const more = held(node) - before;
    if (node.up && more > node.up.max - node.up.committed) {
      node.max = old;
      return false;
    }
    this.#touch(node);
    if (node.up) this.#spread(node.up, more, 0);
    return true;
  }

  /** Reserves a model call's worst case; false, and nothing is changed, if it does not fit (B1). */
  reserve(thread: ThreadNo, amount: NanoUsd): boolean {
    const node = this.#running(thread);
    if (amount > node.max - node.committed) return false;
    node.reserved += amount;
    node.committed += amount;
    this.#touch(node);
    return true;
  }

  /**
   * Gives a call's reservation back and records its real cost, here and at every ancestor (B2, B4). What the node does
   * not hold can't be given back: after a crash the reservation may be gone already.
   */
  settle(thread: ThreadNo, { reserved, actual }: Settlement): void {
    const node = this.#running(thread);
    const back = Math.min(reserved, node.reserved);
    node.reserved -= back;
    this.#spread(node, -back, actual);
  }

  /** Ends a node: its own reservations are dropped, and its parent gets back what nobody below can still spend (B3). */
  release(thread: ThreadNo): void {
    const node = this.#node(thread);
    if (node.status === 'released') return;
    const before = held(node);
    node.committed -= node.reserved;
    node.reserved = 0;
    node.status = 'released';
    this.#touch(node);
    this.park(thread);
    if (node.up) this.#spread(node.up, held(node) - before, 0);
  }

  /** What a node's reservations may still come to. */
  remaining(thread: ThreadNo): NanoUsd {
    const { max, committed } = this.#node(thread);
    return Math.max(0, max - committed);
  }

  /** Says that a node's thread does not run: it may leave memory once it is written and nothing below needs it. */
  park(thread: ThreadNo): void {
    const node = this.#nodes.get(thread);
    if (!node) return;
    node.pinned = false;
    this.#loose.add(node);
  }

  /** Hands every changed node to `write`, each once, and forgets what nothing needs any more. */
  flush(write: (row: LedgerRow, fresh: boolean) => void): void {
    for (const node of this.#dirty) {
      write(node, node.fresh);
      node.dirty = false;
      node.fresh = false;
    }
    this.#dirty.length = 0;
    for (const node of this.#loose) this.#evict(node);
    this.#loose.clear();
  }

  /** Forgets everything, changes included: the rows are the truth again. */
  reset(): void {
    this.#nodes.clear();
    this.#dirty.length = 0;
    this.#loose.clear();
  }

  /** Changes `committed` by `reservations` + `spent` and `actual` by `spent`, and lets ancestors follow. */
  #spread(start: Node, reservations: NanoUsd, spent: NanoUsd): void {
    let change = reservations;
    for (let node: Node | undefined = start; node; node = node.up) {
      if (change === 0 && spent === 0) return;
      const before = held(node);
      node.actual += spent;
      node.committed += change + spent;
      this.#touch(node);
      change = held(node) - before;
    }
  }

  #running(thread: ThreadNo): Node {
    const node = this.#node(thread);
    node.pinned = true;
    return node;
  }

  /** The node of a thread, with its ancestors: from memory, or read from the rows. */
  #node(thread: ThreadNo): Node {
    const cached = this.#nodes.get(thread);
    if (cached) return cached;
    const node = this.#read(thread);
    for (let child = node; child.parent !== undefined;) {
      const known = this.#nodes.get(child.parent);
      const up: Node = known ?? this.#read(child.parent);
      child.up = up;
      up.below++;
      if (known) break;
      child = up;
    }
    return node;
  }

  #read(thread: ThreadNo): Node {
    const row = this.#rows.read(thread);
    if (!row) throw new SkeinError('store_corrupt', `thread ${thread} has no row in the budget ledger`);
    const node: Node = { ...row, up: undefined, below: 0, pinned: false, dirty: false, fresh: false };
    this.#nodes.set(thread, node);
    this.#loose.add(node);
    return node;
  }

  #touch(node: Node): void {
    if (node.dirty) return;
    node.dirty = true;
    this.#dirty.push(node);
  }

  #evict(start: Node): void {
    for (let node: Node | undefined = start; node && !node.pinned && node.below === 0;) {
      if (!this.#nodes.delete(node.thread)) return;
      node = node.up;
      if (node) node.below--;
    }
  }
}

/** What a node's parent holds for it beyond what it has spent. */
function held(node: Node): NanoUsd {
  const unspent = Math.max(0, node.max - node.actual);
  return node.status === 'active' ? unspent : Math.min(unspent, node.committed - node.actual);
}
