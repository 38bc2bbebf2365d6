import type { OperationAnswer, OperationName, OperationRefusal } from '../core/operations.ts';
import { OPERATIONS } from '../core/operations.ts';
import { connectProject, describeFailure, type Failure } from '../index.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { printable, printableJson } from './printable.ts';
import { readThreadsOrder, type ThreadsOrder } from './threads-arguments.ts';
import { carryOutHere } from './threads-here.ts';
import { answerText } from './threads-text.ts';

/**
 * `skein threads OPERATION`: an operation on the threads of a project, through the runtime that holds it. Where there is
 * none, what is stored is read, and what changes something is done in a runtime of its own.
 */
export async function threadsCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  return operate(readThreadsOrder(args, io.cwd), io);
}

/** Carries an operation out and prints its answer. */
export async function operate(order: ThreadsOrder, io: CliIo): Promise<ExitCode> {
  const answer = await carryOut(order, io);
  return print(answer, order, io);
}

async function carryOut(order: ThreadsOrder, io: CliIo): Promise<OperationAnswer<OperationName>> {
  const { name, input, project } = order;
  using connection = await connectProject({ project, env: io.env });
  if (connection.isRun || !OPERATIONS[name].changes) return await connection.orchestrator.call(name, input);
  // The database is the runtime's from here on.
  connection.close();
  return await carryOutHere(order, io);
}

function print(answer: OperationAnswer<OperationName>, { name, json }: ThreadsOrder, io: CliIo): ExitCode {
  if (json) io.stdout.write(`${printableJson(answer)}\n`);
  if (isRefusal(answer)) {
    if (!json) io.stderr.write(`skein: ${printable(describeFailure(failureOf(answer)))}\n`);
    return exitCodeOf(failureOf(answer).code);
  }
  if (!json) io.stdout.write(answerText(name, answer));
  return answer.success && isWell(answer) ? EXIT.completed : EXIT.failed;
}

function isRefusal(answer: OperationAnswer<OperationName>): answer is OperationRefusal {
  return !answer.success && 'code' in answer;
}

function failureOf({ error, code }: OperationRefusal): Failure {
  // A newer runtime may have codes that are not known here: they are printed as they are.
  return { code: code as Failure['code'], message: error };
}

/** Of a thread that was resumed here, it counts how it ended. */
function isWell(answer: object): boolean {
  const { outcome } = answer as { readonly outcome?: { readonly success: boolean } };
  return outcome?.success ?? true;
}
