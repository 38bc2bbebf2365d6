import { isEnded, type ThreadStatus } from '../core/ending.ts';
import type { Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { AdmitOp, ContinueOp, LoadOp, StepOp, Store, StoreOp, StoreResult } from '../core/store.ts';
import { ApprovalBook } from './approval-book.ts';
import type { AskArchive } from './archive-shelf.ts';
import { loadArchived } from './archived-thread.ts';
import { applyBudget, type BudgetBook, canSpawn, treeSpend } from './budget-operations.ts';
import { closeKeepingLog, type Connection } from './connection.ts';
import { firstStep } from './first-step.ts';
import { Ledger } from './ledger.ts';
import { loadStored } from './load-stored.ts';
import { createLogFile, type LogFile } from './log-file.ts';
import { OpenThreads } from './open-threads.ts';
import { admitProblem, continueProblem, stepProblem } from './operation-check.ts';
import {
  failure,
  hasSuccessor,
  notOpen,
  overAbove,
  overBudget,
  REFUSED_CALL,
  stepKey,
  stillOpen,
  taken,
} from './refusals.ts';
import { isOperationFault, isUnwritten, sqliteFailure } from './sqlite-failure.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { readLedger, writeLedger } from './stored-ledger.ts';
import { Transactions } from './transactions.ts';

/** Settings of {@link SqliteStore}. */
export type SqliteStoreOptions = {
  /** Suspended threads give their unspent ceiling back until they are resumed (`operations.release.on_status`). */
  readonly releaseSuspended?: boolean;
  /** Where ended threads may have gone. */
  readonly archive?: AskArchive;
};

/**
 * The write path: the only writer of an open database.
 *
 * Owns two caches over its rows, the budget tree and the threads being worked on. Inside a transaction only new rows are
 * written at once; changed rows wait in the caches and are written at its end, each once.
 *
 * Invariants
 * S1 An operation is applied whole or, if its result is `failed`, not at all.
 * S2 A thread that has ended takes no further step and admits no child.
 * S3 A thread's event sequence numbers are 1, 2, 3, … without gap or repetition.
 * S4 An operation that was applied before, as it can be told by its numbers or its key, changes nothing.
 * S5 After a transaction failed, the caches hold nothing it wrote; if its fate is unknown, or the log could not be copied
 *    into the database, nothing is written any more, and `close` leaves the log for the next open to read anew.
 *
 * Not owned: how a transaction is undone (transactions.ts), the project's lock and the file (open.ts), who may be answered
 * when (store-service.ts).
 */
export class SqliteStore implements Store {
  readonly #db: Connection;
  readonly #sql: Statements;
  readonly #transactions: Transactions;
  readonly #log: LogFile;
  readonly #ledger: Ledger;
  readonly #threads: OpenThreads;
  readonly #approvals: ApprovalBook;
  readonly #budget: BudgetBook;
  readonly #releaseSuspended: boolean;
  readonly #archive: AskArchive;
  #at = 0;

  constructor(db: Connection, { releaseSuspended = false, archive = () => undefined }: SqliteStoreOptions = {}) {
    this.#db = db;
    this.#sql = prepareStatements(db);
    this.#transactions = new Transactions({ db, sql: this.#sql, forget: () => this.#forget() });
    this.#log = createLogFile(db);
    this.#threads = new OpenThreads(this.#sql);
    this.#ledger = new Ledger({ read: (thread) => readLedger(this.#sql, thread) });
    this.#approvals = new ApprovalBook(this.#sql);
    this.#budget = { sql: this.#sql, ledger: this.#ledger, ended: (thread) => this.#ended(thread) };
    this.#releaseSuspended = releaseSuspended;
    this.#archive = archive;
  }

  /** Rows held in memory, for tests and figures. */
  get cached(): { readonly threads: number; readonly ledger: number } {
    return { threads: this.#threads.size, ledger: this.#ledger.size };
  }

  commit(ops: readonly StoreOp[]): readonly StoreResult[] {
    if (this.#transactions.broken) throw this.#transactions.broken;
    try {
      return this.#transactions.run(() => {
        const results = ops.map((op) => this.#apply(op));
        this.#flush();
        return results;
      });
    } catch (error) {
      if (this.#transactions.broken || !isOperationFault(error)) throw sqliteFailure(error, this.#db.name);
    }
    return this.#commitOneByOne(ops);
  }

  idle(): void {
    this.#outside(() => this.#log.copy());
  }

  keepLogShort(): void {
    this.#outside(() => this.#log.keepShort());
  }

  /** Does a piece of upkeep. What it can't write is the last as well; what it can't read, or the archive fails with, is not. */
  tend<T>(upkeep: () => T): T {
    return this.#transactions.outside(upkeep, isUnwritten);
  }

  close(): void {
    if (this.#transactions.broken) closeKeepingLog(this.#db);
    else this.#db.close();
  }

  #outside(work: () => void): void {
    if (this.#transactions.broken) throw this.#transactions.broken;
    if (this.#db.open) this.#transactions.outside(work);
  }

  /** The slow path after an operation threw: each one in its own savepoint, so that only the culprit fails (S1). */
  #commitOneByOne(ops: readonly StoreOp[]): readonly StoreResult[] {
    try {
      return this.#transactions.run(() => ops.map((op) => this.#applyAlone(op)));
    } catch (error) {
      throw sqliteFailure(error, this.#db.name);
    }
  }

  #applyAlone(op: StoreOp): StoreResult {
    return this.#transactions.runAlone(() => {
      const result = this.#apply(op);
      this.#flush();
      return result;
    });
  }

  #forget(): void {
    this.#ledger.reset();
    this.#threads.reset();
    this.#approvals.reset();
  }

  #apply(op: StoreOp): StoreResult {
    switch (op.type) {
      case 'step':
        return this.#step(op);
      case 'admit':
        return this.#admit(op);
      case 'load':
        return this.#load(op);
      case 'continue':
        return this.#continue(op);
      case 'remaining':
        return this.#known(op.thread) ?? { type: 'remaining', remaining: this.#ledger.remaining(op.thread) };
      case 'can_spawn':
        return this.#known(op.thread) ?? canSpawn(op, this.#budget);
      case 'tree_spend':
        return this.#known(op.thread) ?? treeSpend(op, this.#budget);
      case 'budget':
        this.#at = op.at;
        return applyBudget(op, this.#budget);
    }
  }

  #admit(op: AdmitOp): StoreResult {
    this.#at = op.at;
    const problem = this.#admitProblem(op);
    if (problem) return this.#isAdmitted(op) ? true : failure(problem);
    if (!this.#threads.add(op)) return this.#isAdmitted(op) ? true : failure(taken(op));
    if (op.predecessor !== undefined) this.#link(op.predecessor, op.thread);
    this.#ledger.admit(op.thread, op.parent, op.ceiling);
    return true;
  }

  #admitProblem(op: AdmitOp): Failure | undefined {
    const { parent, predecessor } = op;
    const problem = admitProblem(op) ?? (parent === undefined ? undefined : this.#ended(parent));
    if (problem) return problem;
    const unlinkable = predecessor === undefined ? undefined : this.#predecessorProblem(predecessor);
    if (unlinkable) return unlinkable;
    if (parent === undefined || this.#ledger.fits(parent, op.ceiling)) return undefined;
    return overBudget(op, this.#ledger.remaining(parent));
  }

  #predecessorProblem(predecessor: ThreadNo): Failure | undefined {
    const found = this.#threads.find(predecessor);
    if (typeof found === 'object') return stillOpen(predecessor);
    // The row of one that was archived before does not say so.
    const successor =
      this.#sql.successorOf.get(predecessor) ?? this.#archive((old) => old.successorOf.get(predecessor));
    if (successor) return hasSuccessor(predecessor);
    return found || this.#archive((old) => old.byNo.get(predecessor)) ? undefined : notOpen(predecessor, undefined);
  }

  /** Whether it is an admission that was applied before (S4). */
  #isAdmitted({ thread, threadId, parent }: AdmitOp): boolean {
    const row = this.#sql.thread.get(thread);
    return row !== undefined && row.thread_id === threadId && row.parent_thread === (parent ?? null);
  }

  #link(predecessor: ThreadNo, successor: ThreadNo): void {
    this.#sql.setPredecessor.run(predecessor, successor);
    this.#sql.setSuccessor.run(successor, predecessor);
  }

  #step(op: StepOp): StoreResult {
    this.#at = op.at;
    const thread = this.#threads.find(op.thread);
    if (typeof thread !== 'object') return this.#repeated(op) ?? failure(notOpen(op.thread, thread));
    const problem = stepProblem(op, thread.lastSequence) ?? this.#approvals.problem(op);
    if (problem) return this.#repeated(op) ?? failure(problem);
    const max = op.ceiling === 'kept' ? undefined : op.ceiling;
    if (op.ceiling !== undefined && !this.#ledger.resume(op.thread, max)) return this.#notResumed(op);
    this.#record(op);
    const granted = op.reserve === undefined || this.#ledger.reserve(op.thread, op.reserve);
    this.#threads.apply(thread, op);
    // One that is resumed keeps what it was given for that, until a worker has it.
    if (op.status && op.ceiling === undefined) this.#statusMoney(op.thread, op.status.to);
    if (granted) return true;
    if (op.lines !== '') this.#sql.insertEntry.run(op.thread, stepKey(op), REFUSED_CALL, 0, 0, 0, op.at);
    return { type: 'refused', remaining: this.#ledger.left(op.thread) };
  }

  /** The answer to a step whose very events are stored already (S4); undefined for any other one. */
  #repeated(op: StepOp): StoreResult | undefined {
    if (op.lines === '') return undefined;
    if (this.#sql.chunk.get(op.thread, op.firstSequence, op.lastSequence) !== op.lines) return undefined;
    if (op.reserve === undefined || !this.#sql.entry.get(op.thread, stepKey(op))) return true;
    return { type: 'refused', remaining: this.#ledger.left(op.thread) };
  }

  #notResumed({ thread }: StepOp): StoreResult {
    const parent = readLedger(this.#sql, thread)?.parent ?? thread;
    return failure(overAbove(this.#ledger.remaining(parent)));
  }

  /** Writes a step's events, its settlement, and what it asks or answers. */
  #record(op: StepOp): void {
    if (op.lines !== '') this.#sql.insertEvents.run(op.thread, op.firstSequence, op.lastSequence, op.lines);
    if (op.settle) this.#ledger.settle(op.thread, op.settle);
    if (op.request || op.decision) this.#approvals.apply(op);
  }

  /** What a change of status does to reservations. */
  #statusMoney(thread: ThreadNo, status: ThreadStatus): void {
    if (isEnded(status)) {
      if (this.#ledger.release(thread) > 0) this.#sql.closeEntries.run(thread);
      this.#approvals.cancel(thread, this.#at);
    } else if (this.#releaseSuspended && status === 'suspended') {
      this.#ledger.suspend(thread);
    } else if (status === 'running' && this.#ledger.look(thread).status === 'suspended') {
      // Reserved before it was resumed as a rule; if not, what it reserves from now on must fit above it, too.
      this.#ledger.resume(thread);
    }
  }

  #continue(op: ContinueOp): StoreResult {
    const { end, successor } = op;
    this.#at = end.at;
    const thread = this.#threads.find(end.thread);
    if (typeof thread !== 'object') return this.#continued(op) ?? failure(notOpen(end.thread, thread));
    const problem = continueProblem(op) ?? stepProblem(end, thread.lastSequence) ?? this.#approvals.problem(end);
    if (problem) return failure(problem);
    const parent = this.#sql.thread.get(end.thread)?.parent_thread ?? undefined;
    const admission: AdmitOp = { ...successor, type: 'admit', parent, ceiling: 0 };
    if (!this.#threads.add(admission)) return failure(taken(admission));
    const begun = this.#threads.find(successor.thread);
    if (typeof begun === 'object') this.#threads.apply(begun, firstStep(successor));
    this.#record(end);
    this.#link(end.thread, successor.thread);
    this.#ledger.succeed(end.thread, successor.thread);
    this.#sql.moveEntries.run(successor.thread, end.thread);
    this.#threads.apply(thread, end);
    this.#approvals.cancel(end.thread, end.at);
    return true;
  }

  /** The answer to a continuation that was applied before (S4). */
  #continued({ end, successor }: ContinueOp): StoreResult | undefined {
    const row = this.#sql.thread.get(successor.thread);
    return row?.thread_id === successor.threadId && row.predecessor === end.thread ? true : undefined;
  }

  /** Nothing for a thread that is there, open or suspended; else why not. */
  #known(thread: ThreadNo): StoreResult | undefined {
    return readLedger(this.#sql, thread) || this.#threads.find(thread)
      ? undefined
      : failure(notOpen(thread, undefined));
  }

  #load(op: LoadOp): StoreResult {
    const { thread } = op;
    this.#flush();
    const raw = this.#sql.thread.get(thread);
    const archived = !raw || isEnded(raw.status) ? this.#archive((old) => loadArchived(op, old)) : undefined;
    if (archived) return { type: 'loaded', thread: archived };
    const stored = raw && loadStored(this.#sql, raw, op);
    return stored ? { type: 'loaded', thread: stored } : failure(notOpen(thread, undefined));
  }

  #ended(thread: ThreadNo): Failure | undefined {
    const found = this.#threads.find(thread);
    return typeof found === 'object' ? undefined : notOpen(thread, found);
  }

  #flush(): void {
    this.#threads.flush((thread) => this.#ledger.park(thread));
    this.#ledger.flush((row, unwritten) => writeLedger(this.#sql, { row, unwritten, at: this.#at }));
  }
}
