import { SkeinError } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import { createNumberedMap } from '../core/paged-map.ts';
import type { LedgerRow } from '../core/store.ts';
import type { BudgetNode, Unwritten } from './budget-node.ts';

/** Where nodes come from that are not in memory. */
export interface LedgerRows {
  read(thread: ThreadNo): LedgerRow | undefined;
}

/**
 * The nodes of the budget tree that are in memory: read through to their rows, written back once per commit, and forgotten
 * when nothing needs them. A node is there with all of its ancestors.
 */
export class LedgerNodes {
  readonly #rows: LedgerRows;
  #nodes = createNumberedMap<BudgetNode>();
  readonly #dirty: BudgetNode[] = [];
  /** May leave memory; some may stand here twice. */
  readonly #loose: BudgetNode[] = [];

  constructor(rows: LedgerRows) {
    this.#rows = rows;
  }

  /** Nodes in memory. */
  get size(): number {
    return this.#nodes.size();
  }

  /** The node of a thread, with its ancestors: from memory, or read from the rows. @throws SkeinError `store_corrupt` */
  get(thread: ThreadNo): BudgetNode {
    const cached = this.#nodes.get(thread);
    if (cached) return cached;
    const node = this.#read(thread);
    const line = [node];
    for (let child = node; child.parent !== undefined;) {
      const known = this.#nodes.get(child.parent);
      if (known && line.includes(known)) throw this.#circular(line);
      const up: BudgetNode = known ?? this.#read(child.parent);
      child.up = up;
      up.below++;
      if (known) break;
      line.push(up);
      child = up;
    }
    return node;
  }

  /** As {@link LedgerNodes.get}, for a thread that runs: its node stays in memory until it is parked. */
  running(thread: ThreadNo): BudgetNode {
    const node = this.get(thread);
    node.pinned = true;
    return node;
  }

  add(row: LedgerRow, up: BudgetNode | undefined): BudgetNode {
    const node = nodeOf(row, up, 'all');
    node.pinned = true;
    if (up) up.below++;
    this.#nodes.set(row.thread, node);
    this.touch(node);
    return node;
  }

  /** Says that a node has changed. */
  touch(node: BudgetNode, what: Unwritten = 'amounts'): void {
    if (what !== 'amounts' && node.unwritten !== 'all' && node.unwritten !== 'parent') node.unwritten = what;
    if (node.dirty) return;
    node.dirty = true;
    this.#dirty.push(node);
  }

  /** Says that a node's thread does not run: it may leave memory once it is written and nothing below needs it. */
  park(thread: ThreadNo): void {
    const node = this.#nodes.get(thread);
    if (!node) return;
    node.pinned = false;
    this.#loose.push(node);
  }

  /** Hands every changed node to `write`, each once, and forgets what nothing needs any more. */
  flush(write: (row: LedgerRow, unwritten: Unwritten) => void): void {
    for (const node of this.#dirty) {
      write(node, node.unwritten);
      node.dirty = false;
      node.unwritten = 'amounts';
    }
    this.#dirty.length = 0;
    for (const node of this.#loose) this.#evict(node);
    this.#loose.length = 0;
  }

  /** Forgets everything, changes included: the rows are the truth again. */
  reset(): void {
    this.#nodes = createNumberedMap();
    this.#dirty.length = 0;
    this.#loose.length = 0;
  }

  #read(thread: ThreadNo): BudgetNode {
    const row = this.#rows.read(thread);
    if (!row) throw new SkeinError('store_corrupt', `thread ${thread} has no row in the budget ledger`);
    const node = nodeOf(row, undefined, 'amounts');
    this.#nodes.set(thread, node);
    this.#loose.push(node);
    return node;
  }

  /** Nodes that are above each other: none of them stays, or whoever goes up from one would never come to an end. */
  #circular(line: readonly BudgetNode[]): SkeinError {
    for (const { thread } of line) this.#nodes.delete(thread);
    return new SkeinError('store_corrupt', `thread ${line[0]?.thread} is below itself in the budget ledger`);
  }

  #evict(start: BudgetNode): void {
    for (let node: BudgetNode | undefined = start; node && !node.pinned && node.below === 0;) {
      if (!this.#nodes.delete(node.thread)) return;
      node = node.up;
      if (node) node.below--;
    }
  }
}

/** Every node has the same fields in the same order: one is made for each thread. */
function nodeOf(row: LedgerRow, up: BudgetNode | undefined, unwritten: Unwritten): BudgetNode {
  const { thread, parent, reserved, extra, actual, committed, max, status } = row;
  return {
    thread,
    parent,
    reserved,
    extra,
    actual,
    committed,
    max,
    status,
    up,
    below: 0,
    pinned: false,
    dirty: false,
    unwritten,
  };
}
