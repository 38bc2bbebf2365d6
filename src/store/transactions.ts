import { toFailure, type SkeinError } from '../core/errors.ts';
import type { StoreResult } from '../core/store.ts';
import type { Connection } from './connection.ts';
import { failure } from './refusals.ts';
import { isOperationFault, isUndone, sqliteFailure } from './sqlite-failure.ts';
import type { Statements } from './statements.ts';

/** What transactions work with; `forget` drops what is cached of the rows. */
export type TransactionParts = {
  readonly db: Connection;
  readonly sql: Statements;
  readonly forget: () => void;
};

/** The transactions of the only writer. One whose fate nobody can tell is the last: the file must be opened anew. */
export class Transactions {
  readonly #db: Connection;
  readonly #sql: Statements;
  readonly #forget: () => void;
  #broken: SkeinError | undefined;

  constructor({ db, sql, forget }: TransactionParts) {
    this.#db = db;
    this.#sql = sql;
    this.#forget = forget;
  }

  /** Why nothing is written any more; undefined while everything is in order. */
  get broken(): SkeinError | undefined {
    return this.#broken;
  }

  /** Commits what `work` writes, or nothing of it. @throws what `work` throws, or SQLite */
  run<T>(work: () => T): T {
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

  /** Does work outside of these transactions, e.g. a checkpoint of the log: if it fails like that, nothing is written any more. */
  outside<T>(work: () => T, isLast: (error: unknown) => boolean = () => true): T {
    try {
      return work();
    } catch (error) {
      const failure = sqliteFailure(error, this.#db.name);
      if (isLast(error)) this.#broken ??= failure;
      throw failure;
    }
  }

  /** Within a transaction: keeps what `work` writes, or nothing of it if the fault is its own, which is the result then. */
  runAlone(work: () => StoreResult): StoreResult {
    this.#sql.savepoint.run();
    try {
      const result = work();
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

  /** After a failure: undoes the transaction, and stops the store if nobody can tell whether that worked. */
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
}
