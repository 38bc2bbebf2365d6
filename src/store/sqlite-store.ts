import { isEnded } from '../core/ending.ts';
import type { Failure, SkeinError } from '../core/errors.ts';
import { toFailure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type {
  AdmitOp,
  LedgerRow,
  LoadOp,
  RaiseOp,
  StepOp,
  Store,
  StoredThread,
  StoreOp,
  StoreResult,
} from '../core/store.ts';
import type { Connection } from './connection.ts';
import { Ledger } from './ledger.ts';
import { OpenThreads } from './open-threads.ts';
import { admitProblem, raiseProblem, stepProblem } from './operation-check.ts';
import { toLedgerRow, toStoredChild, toThreadRow } from './rows.ts';
import { isOperationFault, isUndone, sqliteFailure } from './sqlite-failure.ts';
import type { Statements } from './statements.ts';
import { prepareStatements } from './statements.ts';

/**
 * The write path: the only writer of an open database.
 *
 * Owns the transaction and two caches over its rows, the budget tree and the threads being worked on. Inside a
 * transaction only new rows are written at once; changed rows wait in the caches and are written at its end, each once.
 *
 * Invariants
 * S1 An operation is applied whole or, if its result is `failed`, not at all.
 * S2 A thread that has ended takes no further step and admits no child.
 * S3 A thread's event sequence numbers are 1, 2, 3, … without gap or repetition.
 * S4 After a transaction failed, the caches hold nothing it wrote; if its fate is unknown, nothing is written any more.
 *
 * Not owned: the project's lock and the file (open.ts), who may be answered when (store-service.ts).
 */
export class SqliteStore implements Store {
  readonly #db: Connection;
  readonly #sql: Statements;
  readonly #ledger: Ledger;
  readonly #threads: OpenThreads;
  #at = 0;
  #broken: SkeinError | undefined;

  constructor(db: Connection) {
    this.#db = db;
    this.#sql = prepareStatements(db);
    this.#threads = new OpenThreads(this.#sql);
    this.#ledger = new Ledger({ read: (thread) => this.#readLedger(thread) });
  }

  /** Rows held in memory, for tests and figures. */
  get cached(): { readonly threads: number; readonly ledger: number } {
    return { threads: this.#threads.size, ledger: this.#ledger.size };
  }

  commit(ops: readonly StoreOp[]): readonly StoreResult[] {
    if (this.#broken) throw this.#broken;
    try {
      return this.#transaction(() => {
        const results = ops.map((op) => this.#apply(op));
        this.#flush();
        return results;
      });
    } catch (error) {
      if (this.#broken || !isOperationFault(error)) throw sqliteFailure(error, this.#db.name);
    }
    return this.#commitOneByOne(ops);
  }

  idle(): void {
    if (this.#db.open && !this.#broken) this.#db.pragma('wal_checkpoint(PASSIVE)');
  }

  close(): void {
    this.#db.close();
  }

  /** The slow path after an operation threw: each one in its own savepoint, so that only the culprit fails (S1). */
  #commitOneByOne(ops: readonly StoreOp[]): readonly StoreResult[] {
    try {
      return this.#transaction(() => ops.map((op) => this.#applyAlone(op)));
    } catch (error) {
      throw sqliteFailure(error, this.#db.name);
    }
  }

  #applyAlone(op: StoreOp): StoreResult {
    this.#sql.savepoint.run();
    try {
      const result = this.#apply(op);
      this.#flush();
      this.#sql.release.run();
      return result;
    } catch (error) {
      if (!isOperationFault(error)) throw error;
      this.#sql.undo.run();
      this.#sql.release.run();
      this.#forget();
      return failure(toFailure(error, 'invalid_argument'));
    }
  }

  #transaction<T>(work: () => T): T {
    let committing = false;
    try {
      this.#sql.begin.run();
      const value = work();
      committing = true;
      this.#sql.commit.run();
      return value;
    } catch (error) {
      this.#undo(error, committing);
      throw error;
    }
  }

  /** After a failure: undoes the transaction, and stops the store if nobody can tell whether that worked (S4). */
  #undo(cause: unknown, committing: boolean): void {
    this.#forget();
    const known = isUndone(cause) || (!committing && isOperationFault(cause));
    try {
      if (this.#db.inTransaction) this.#sql.rollback.run();
      if (known) return;
    } catch {
      // A rollback that fails leaves the transaction's fate to recovery at the next open, which `#broken` enforces.
    }
    this.#broken = sqliteFailure(cause, this.#db.name);
  }

  #forget(): void {
    this.#ledger.reset();
    this.#threads.reset();
  }

  #apply(op: StoreOp): StoreResult {
    switch (op.type) {
      case 'step':
        return this.#step(op);
      case 'admit':
        return this.#admit(op);
      case 'load':
        return this.#load(op);
      case 'raise':
        return this.#raise(op);
      case 'remaining':
        return this.#known(op.thread) ?? { type: 'remaining', remaining: this.#ledger.remaining(op.thread) };
    }
  }

  #admit(op: AdmitOp): StoreResult {
    this.#at = op.at;
    const problem = admitProblem(op) ?? (op.parent === undefined ? undefined : this.#ended(op.parent));
    if (problem) return failure(problem);
    if (op.parent !== undefined && this.#ledger.remaining(op.parent) < op.ceiling) {
      return failure(overBudget(op, this.#ledger.remaining(op.parent)));
    }
    if (!this.#threads.add(op)) {
      return failure({ code: 'invalid_argument', message: `thread ${op.thread} (${op.threadId}) exists already` });
    }
    this.#ledger.admit(op.thread, op.parent, op.ceiling);
    return true;
  }

  #step(op: StepOp): StoreResult {
    this.#at = op.at;
    const thread = this.#threads.find(op.thread);
    if (typeof thread !== 'object') return failure(notOpen(op.thread, thread));
    const problem = stepProblem(op, thread.lastSequence);
    if (problem) return failure(problem);
    if (op.lines !== '') this.#sql.insertEvents.run(op.thread, op.firstSequence, op.lastSequence, op.lines);
    if (op.settle) this.#ledger.settle(op.thread, op.settle);
    const granted = op.reserve === undefined || this.#ledger.reserve(op.thread, op.reserve);
    this.#threads.apply(thread, op);
    const result = granted ? true : ({ type: 'refused', remaining: this.#ledger.remaining(op.thread) } as const);
    if (isEnded(thread.status)) this.#ledger.release(op.thread);
    return result;
  }

  #raise({ thread, ceiling, at }: RaiseOp): StoreResult {
    this.#at = at;
    const problem = this.#known(thread) ?? invalidAmount(raiseProblem(thread, ceiling));
    if (problem) return problem;
    if (this.#ledger.raise(thread, ceiling)) return true;
    const parent = this.#readLedger(thread)?.parent ?? thread;
    return { type: 'refused', remaining: this.#ledger.remaining(parent) };
  }

  /** Nothing for a thread that is there, open or suspended; else why not. */
  #known(thread: ThreadNo): StoreResult | undefined {
    return this.#readLedger(thread) || this.#threads.find(thread) ? undefined : failure(notOpen(thread, undefined));
  }

  #load({ thread, withChildren = false }: LoadOp): StoreResult {
    this.#flush();
    const raw = this.#sql.thread.get(thread);
    const spec = this.#sql.spec.get(thread);
    if (!raw || spec === undefined) return failure(notOpen(thread, undefined));
    const loaded: StoredThread = {
      row: toThreadRow(raw),
      spec,
      checkpoint: this.#sql.checkpoint.get(thread),
      lines: this.#sql.lines.all(thread).join(''),
      lastSequence: this.#sql.lastSequence.get(thread) ?? 0,
      children: withChildren ? this.#sql.children.all(thread).map(toStoredChild) : [],
    };
    return { type: 'loaded', thread: loaded };
  }

  #ended(thread: ThreadNo): Failure | undefined {
    const found = this.#threads.find(thread);
    return typeof found === 'object' ? undefined : notOpen(thread, found);
  }

  #flush(): void {
    this.#threads.flush((thread) => this.#ledger.park(thread));
    this.#ledger.flush((row, fresh) => this.#writeLedger(row, fresh));
  }

  #writeLedger(row: LedgerRow, fresh: boolean): void {
    const { thread, parent, reserved, actual, committed, max, status } = row;
    if (fresh) {
      const amounts = [reserved, actual, committed];
      this.#sql.insertLedger.run(...amounts, status, this.#at, thread, parent ?? null, max, this.#at);
    } else {
      const update = status === 'active' ? this.#sql.updateLedger : this.#sql.releaseLedger;
      update.run(reserved, actual, committed, max, this.#at, thread);
    }
  }

  #readLedger(thread: ThreadNo): LedgerRow | undefined {
    const raw = this.#sql.ledger.get(thread);
    return raw && toLedgerRow(raw);
  }
}

function failure(reason: Failure): StoreResult {
  return { type: 'failed', failure: reason };
}

function notOpen(thread: ThreadNo, status: string | undefined): Failure {
  return status === undefined
    ? { code: 'thread_not_found', message: `there is no thread with number ${thread}` }
    : { code: 'thread_ended', message: `thread ${thread} has ended (${status}): nothing can be added to it` };
}

function overBudget(op: AdmitOp, remaining: number): Failure {
  return {
    code: 'budget_refused',
    message: `thread ${op.parent} has ${remaining} nano-USD left, its child ${op.thread} needs ${op.ceiling}`,
    detail: { remaining },
  };
}

function invalidAmount(problem: Failure | undefined): StoreResult | undefined {
  return problem && failure(problem);
}
