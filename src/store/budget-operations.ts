import type { Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { NanoUsd } from '../core/money.ts';
import type { StoreResult } from '../core/store.ts';
import type { BudgetOp, BudgetResult, CanSpawnOp, TreeSpendOp } from '../core/store-budget.ts';
import type { Ledger } from './ledger.ts';
import { amountProblem, keyProblem } from './operation-check.ts';
import { failure } from './refusals.ts';
import type { Statements } from './statements.ts';

/** What an operation on the budget works with. */
export type BudgetBook = {
  readonly sql: Statements;
  readonly ledger: Ledger;
  /** Why nothing can be added to a thread; undefined if it is open. */
  readonly ended: (thread: ThreadNo) => Failure | undefined;
};

/** Applies an operation of `internal/budget_ops`. Inside a transaction; its own rows are written at once. */
export function applyBudget(op: BudgetOp, book: BudgetBook): StoreResult {
  const thread = book.sql.threadNo.get(op.threadId);
  if (thread === undefined || !book.ledger.isWithin(thread, op.asker)) return failure(foreign(op));
  if (op.operation === 'check_remaining') return answer(book.ledger, thread, { granted: true, amount: 0 });
  const prior = op.key === undefined ? undefined : book.sql.entry.get(thread, op.key);
  if (prior) {
    if (prior.operation !== op.operation) return failure(otherOperation(op, prior.operation));
    return answer(book.ledger, thread, { granted: prior.granted === 1, amount: prior.amount });
  }
  const problem =
    keyProblem(op.key) ??
    amountProblem(op.threadId, op.amount) ??
    (op.operation === 'release' ? undefined : book.ended(thread));
  if (problem) return failure(problem);
  const before = book.ledger.excesses(thread);
  const entry = operate(op, thread, book);
  if ('code' in entry) return failure(entry);
  const { granted, amount, open = 0 } = entry;
  book.sql.insertEntry.run(thread, op.key ?? null, op.operation, amount, granted ? 1 : 0, open, op.at);
  const over = Math.max(0, ...book.ledger.excesses(thread).map((now, at) => now - (before[at] ?? 0)));
  return answer(book.ledger, thread, { ...entry, over });
}

/** Whether a thread that is there could have a child with this ceiling now. */
export function canSpawn({ thread, ceiling }: CanSpawnOp, { ledger, ended }: BudgetBook): StoreResult {
  const problem = amountProblem(thread, ceiling);
  if (problem) return failure(problem);
  const allowed = !ended(thread) && ledger.fits(thread, ceiling);
  return { type: 'can_spawn', allowed, remaining: ledger.remaining(thread) };
}

/** What a thread that is there and everything below it have spent. */
export function treeSpend({ thread }: TreeSpendOp, { ledger }: BudgetBook): StoreResult {
  const { actual, committed, max } = ledger.look(thread);
  return { type: 'tree_spend', actual, committed, max, remaining: ledger.remaining(thread) };
}

/** What an operation came to; `open`: what a reservation holds. */
type Entry = { readonly granted: boolean; readonly amount: NanoUsd; readonly open?: NanoUsd };

function operate(op: BudgetOp, thread: ThreadNo, book: BudgetBook): Entry | Failure {
  if (op.operation === 'reserve') {
    const granted = book.ledger.reserveExtra(thread, op.amount);
    const amount = granted ? op.amount : 0;
    return { granted, amount, open: amount };
  }
  const isReport = op.operation === 'report_actual';
  const reserved = takeBack(op, thread, { book, most: isReport ? op.amount : Infinity });
  if (typeof reserved !== 'number') return reserved;
  book.ledger.settleExtra(thread, { reserved, actual: isReport ? op.amount : 0 });
  return { granted: true, amount: isReport ? op.amount : reserved };
}

/** Takes up to `most` out of the open reservations that the operation is about, oldest first. */
function takeBack(
  { reservation }: BudgetOp,
  thread: ThreadNo,
  { book: { sql }, most }: { readonly book: BudgetBook; readonly most: number },
): NanoUsd | Failure {
  if (reservation !== undefined && sql.entry.get(thread, reservation)?.operation !== 'reserve') {
    return { code: 'invalid_argument', message: `There is no reservation with the key ${JSON.stringify(reservation)}` };
  }
  let taken = 0;
  for (const { entry, entry_key, open_amount } of sql.openEntries.all(thread)) {
    if (taken >= most) break;
    if (reservation !== undefined && entry_key !== reservation) continue;
    const part = Math.min(open_amount, most - taken);
    sql.updateEntry.run(open_amount - part, entry);
    taken += part;
  }
  return taken;
}

type Answer = Entry & { readonly over?: NanoUsd };

function answer(ledger: Ledger, thread: ThreadNo, { granted, amount, over = 0 }: Answer): BudgetResult {
  return { type: 'budget', granted, amount, over, remaining: ledger.remaining(thread) };
}

/** The same for a thread that is not there: nobody learns of threads beside his own. */
function foreign({ asker, threadId }: BudgetOp): Failure {
  const message = `The budget of ${threadId} is not that of thread ${asker} or of one below it`;
  return { code: 'permission_denied', message };
}

function otherOperation({ key, operation }: BudgetOp, prior: string): Failure {
  const message = `The key ${JSON.stringify(key)} belongs to a ${prior}: a ${operation} needs another one`;
  return { code: 'invalid_argument', message };
}
