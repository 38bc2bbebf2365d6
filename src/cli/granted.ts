import type { OperationAnswer, OperationName, OperationRefusal, OperationResult } from '../core/operations.ts';
import { SkeinError, type SkeinErrorCode } from '../index.ts';

/** What an operation gave. @throws SkeinError with the code of its refusal */
export function granted<Name extends OperationName>(answer: OperationAnswer<Name>): OperationResult<Name> {
  if (isRefusal(answer)) throw refusalError(answer);
  return answer;
}

/** A refusal as what is thrown elsewhere. */
export function refusalError({ code, error }: OperationRefusal): SkeinError {
  // A newer runtime may have codes that are not known here: they are printed as they are.
  return new SkeinError(code as SkeinErrorCode, error);
}

/** Whether an operation was not carried out. */
export function isRefusal(answer: OperationAnswer<OperationName>): answer is OperationRefusal {
  return !answer.success && 'code' in answer;
}
