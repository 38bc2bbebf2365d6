import { toFailure, type Failure } from '../../core/errors.ts';
import type { HostQuestion } from '../../core/protocol.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { Operations } from './dispatcher.ts';

type Question = Extract<HostQuestion, { type: 'orchestrate' }>;

/** Answers what a thread asks of the orchestrator (S2 §6.11); an unknown id is an answer, not an error. Never rejects. */
export async function orchestrate(
  operations: Operations,
  { thread, operation, input }: Question,
): Promise<Result<unknown>> {
  try {
    return ok(await operations.call(operation, input, { caller: thread }));
  } catch (thrown) {
    return failed(asToolFailure(toFailure(thrown)));
  }
}

/** What a model gets wrong is wrong input of its tool. */
function asToolFailure(failure: Failure): Failure {
  return failure.code === 'invalid_argument' ? { ...failure, code: 'tool_input_invalid' } : failure;
}
