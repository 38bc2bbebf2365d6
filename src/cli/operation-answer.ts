import type { OperationAnswer, OperationName, OperationRefusal, OperationResult } from '../core/operations.ts';
import { SkeinError, type SkeinErrorCode } from '../index.ts';

/** What an operation gave. @throws SkeinError with the code of its refusal */
export function resultOf<Name extends OperationName>(answer: OperationAnswer<Name>): OperationResult<Name> {
  if (isRefusal(answer)) throw new RefusedError(answer);
  return answer;
}

/** An operation that was refused: the command line was understood, whatever the code. */
export class RefusedError extends SkeinError {
  constructor({ code, error }: OperationRefusal) {
    // A newer runtime may have codes that are not known here: they are printed as they are.
    super(code as SkeinErrorCode, error);
  }
}

/** Whether an operation was not carried out. */
export function isRefusal(answer: OperationAnswer<OperationName>): answer is OperationRefusal {
  return !answer.success && 'code' in answer;
}
