import { invalidArgument, type Failure } from '../core/errors.ts';
import type { AdmitOp, ContinueOp, StepOp } from '../core/store.ts';
import { isStepKey } from './refusals.ts';

/** Why an admission can't be applied as it stands, whatever the state of the tree. */
export function admitProblem(op: AdmitOp): Failure | undefined {
  if (!isCount(op.thread) || op.thread === 0)
    return invalidArgument(`thread number ${op.thread} is not a positive integer`);
  if (!isCount(op.ceiling))
    return invalidArgument(`the ceiling ${op.ceiling} of thread ${op.thread} is not whole nano-USD`);
  if (op.parent === op.thread) return invalidArgument(`thread ${op.thread} can't be its own parent`);
  if (op.parent === undefined && op.predecessor === undefined && op.root !== op.thread) {
    return invalidArgument(`thread ${op.thread} has no parent, so its root must be itself and not ${op.root}`);
  }
  return undefined;
}

/** Why a continuation can't be applied. */
export function continueProblem({ end, successor }: ContinueOp): Failure | undefined {
  if (end.status?.to !== 'continued') return invalidArgument(`thread ${end.thread} is not ended as continued`);
  if (end.reserve !== undefined) return invalidArgument(`thread ${end.thread} ends: it can't reserve`);
  if (!isCount(successor.thread) || successor.thread === 0 || successor.thread === end.thread) {
    return invalidArgument(`thread number ${successor.thread} can't be that of a successor of ${end.thread}`);
  }
  return undefined;
}

/** Why an operation on the budget can't be applied. */
export function amountProblem(thread: number | string, amount: number): Failure | undefined {
  return isCount(amount) ? undefined : invalidArgument(`${amount} is not whole nano-USD for thread ${thread}`);
}

/** Why a hook can't have this key: a model may have said it, and a step that is refused must find its own free. */
export function keyProblem(key: string | undefined): Failure | undefined {
  if (key === undefined || !isStepKey(key)) return undefined;
  return invalidArgument(`The key ${JSON.stringify(key)} begins as only those of the ledger itself do`);
}

/** Why a step can't be applied: amounts that are not money, or events that do not continue the log. */
export function stepProblem(op: StepOp, lastSequence: number): Failure | undefined {
  const { reserve = 0, ceiling = 0, settle } = op;
  const amounts = [reserve, ceiling === 'kept' ? 0 : ceiling, settle?.reserved ?? 0, settle?.actual ?? 0];
  if (!amounts.every(isCount)) {
    return invalidArgument(`thread ${op.thread}: ${amounts.join(', ')} are not all whole nano-USD`);
  }
  if (op.lines === '') return undefined;
  if (op.firstSequence === lastSequence + 1 && op.lastSequence >= op.firstSequence) return undefined;
  return invalidArgument(
    `thread ${op.thread}: events ${op.firstSequence} to ${op.lastSequence} do not follow ${lastSequence}, the last one stored`,
  );
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
