import type { WorkerCommand } from '../../core/protocol.ts';
import { failed } from '../../core/result.ts';
import type { HostContext } from '../host-context.ts';

/** A command that can't travel to its worker: whoever waits for its answer hears why. */
export function refuseUnsent(
  { questions, problem }: Pick<HostContext, 'questions' | 'problem'>,
  command: WorkerCommand,
): void {
  if (command.type !== 'prepare') {
    return problem({ code: 'internal', message: `A ${command.type} command could not be sent to its worker` });
  }
  const message = 'A thread was asked for with something that cannot be sent to a worker: pass plain data';
  questions.answer(command.ref, failed({ code: 'invalid_argument', message }));
}
