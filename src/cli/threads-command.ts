import { OPERATIONS, type OperationName } from '../core/operations.ts';
import { connectProject } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import { connectToAct } from './connect-to-act.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { isRefusal, RefusedError } from './operation-answer.ts';
import type { CliIo } from './io.ts';
import { printableJson } from './printable.ts';
import { isWell } from './stored-outcome.ts';
import { optionsOf, readThreadsOrder, spelled, type ThreadsOrder } from './threads-arguments.ts';
import { carryOutHere, type DoneHere } from './threads-here.ts';
import { answerText } from './threads-text.ts';
import { fitted } from './write-out.ts';

/** What becomes of a thread that goes on where no runtime holds the project. */
export const THREADS_HERE =
  'Where no runtime holds the project, it happens in one that is started here; a thread that goes on is waited for with\n' +
  'all below it, and how it ends is the exit code.';

/** What an operation takes beside options, and what it is good for. */
type Facts = Pick<Command, 'takes' | 'summary'>;

const FACTS: Readonly<Record<OperationName, Facts>> = {
  list_threads: { takes: '', summary: 'threads, newest first' },
  list_active: { takes: '', summary: 'ids of what is queued or runs' },
  get_status: { takes: 'ID', summary: 'status, cost, parent, and what a suspended thread waits for' },
  list_children: { takes: 'ID', summary: 'children, oldest first' },
  get_chain: { takes: 'ID', summary: 'predecessors and successors' },
  read_transcript: { takes: 'ID', summary: 'the last events' },
  chain_search: { takes: 'ID TEXT', summary: 'where a text stands in the transcripts of a chain' },
  aggregate_results: { takes: 'ID...', summary: 'results and cost, and the cost of all together' },
  wait_threads: { takes: 'ID...', summary: 'wait until all have ended or are suspended' },
  read_events: { takes: 'ID', summary: 'events in order, whole, a page at a time' },
  view_runtime: { takes: '', summary: 'how busy the runtime is' },
  cancel_thread: { takes: 'ID', summary: 'end a thread, and those below it as the child policy says' },
  kill_thread: { takes: 'ID', summary: 'end a thread and all below it' },
  resume_thread: { takes: 'ID [TEXT]', summary: 'go on with a thread, with a message to its model' },
  fork_thread: { takes: 'ID --at SEQ', summary: 'another thread goes on from an event of its log' },
  suspend_thread: { takes: 'ID', summary: 'have it stop at its next step, until it is resumed' },
  inspect_thread: { takes: 'ID', summary: 'the state of its machine' },
  handoff_thread: { takes: 'ID', summary: 'have a successor take over at its next step' },
};

/**
 * `skein threads OPERATION`: an operation on the threads of a project, through the runtime that holds it. Where there is
 * none, what is stored is read, and what changes something is done in a runtime of its own.
 */
export const THREADS_COMMANDS: readonly Command[] = namesOf(FACTS).map((name) =>
  operationCommand(name, { name: `threads ${spelled(name)}` }),
);

/** An operation as a command, by its own or another name. */
export function operationCommand(
  operation: OperationName,
  facts: Pick<Command, 'name'> & Partial<Pick<Command, 'summary' | 'takes' | 'examples'>>,
): Command {
  return defineCommand({
    ...FACTS[operation],
    examples: [],
    ...facts,
    options: optionsOf(operation),
    ...(OPERATIONS[operation].changes && { notes: THREADS_HERE }),
    run: (given, io) => operate(readThreadsOrder(operation, given, { command: facts.name, cwd: io.cwd }), io),
  });
}

function namesOf(facts: typeof FACTS): readonly OperationName[] {
  // The keys of the table, which has one for each operation.
  return Object.keys(facts) as OperationName[];
}

/** Carries an operation out and prints its answer. */
export async function operate(order: ThreadsOrder, io: CliIo): Promise<ExitCode> {
  const answer = await carryOut(order, io);
  return print(answer, order, io);
}

async function carryOut(order: ThreadsOrder, io: CliIo): Promise<DoneHere> {
  const { name, input, project } = order;
  const { changes } = OPERATIONS[name];
  using connection = changes ? await connectToAct(project, io) : await connectProject({ project, env: io.env });
  if (!connection) return await carryOutHere(order, io);
  if (connection.isRun || !changes) return await connection.orchestrator.call(name, input);
  // No runtime is started for a thread that is not there.
  const found = await connection.orchestrator.call('get_status', { thread_id: threadOf(input) });
  if (isRefusal(found)) return found;
  // The database is the runtime's from here on.
  connection.close();
  return await carryOutHere(order, io);
}

/** What changes something changes one thread. */
function threadOf(input: ThreadsOrder['input']): string {
  return (input as { readonly thread_id: string }).thread_id;
}

function print(answer: DoneHere, { name, json }: ThreadsOrder, io: CliIo): ExitCode {
  if (isRefusal(answer)) throw new RefusedError(answer);
  if (json) io.stdout.write(`${printableJson(answer)}\n`);
  else io.stdout.write(answerText(name, answer, (line) => fitted(line, io.stdout)));
  return answer.success && isWell(answer) ? EXIT.completed : EXIT.failed;
}
