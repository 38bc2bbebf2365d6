import { describeFailure, type ThreadEnding } from '../index.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { printable, printableJson, printableText } from './printable.ts';
import type { FinishedRun } from './run-directive.ts';
import { usagePayload } from './usage-payload.ts';

/** Prints how a run ended: its outputs or text on stdout, what went wrong as one line on stderr. */
export function printEnding(run: FinishedRun, { json, io }: { readonly json: boolean; readonly io: CliIo }): ExitCode {
  const { ending, interrupted } = run;
  if (json) io.stdout.write(`${printableJson(toJson(run))}\n`);
  else if (ending.status === 'completed') io.stdout.write(resultText(ending));
  if (ending.status === 'completed') return EXIT.completed;
  io.stderr.write(`skein: ${printable(whatWentWrong(run))}\n`);
  // It goes on another time: that is what an interruption is for.
  return interrupted && ending.status === 'suspended' ? EXIT.completed : EXIT.failed;
}

function resultText({ outputs, text }: ThreadEnding): string {
  if (outputs === undefined) return text === '' ? '' : `${printableText(text)}\n`;
  const lines = Object.entries(outputs).map(([name, value]) => `${printable(name)}: ${valueText(value)}\n`);
  return lines.join('');
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? printableText(value) : printableJson(value);
}

function whatWentWrong({ lastId, suspended, approval, ending: { status, error } }: FinishedRun): string {
  const then = approval ? 'waits for a person' : 'can be resumed';
  if (status === 'suspended') return `Thread ${lastId} is suspended and ${then} (${suspended})`;
  return error ? describeFailure(error) : `Thread ${lastId} ended as ${status}`;
}

/** Snake case, as everything that is stored or sent. That a suspended thread has no result is no error of it. */
function toJson({ threadId, ending, treeSpend, database, ...run }: FinishedRun): Record<string, unknown> {
  const { status, outputs, text, error, cost } = ending;
  return {
    thread_id: threadId,
    status,
    outputs: outputs ?? null,
    text,
    error: status === 'suspended' ? null : (error ?? null),
    suspend_reason: run.suspendReason ?? null,
    approval: run.approval ?? null,
    interrupted: run.interrupted,
    cost: usagePayload(cost),
    tree_spend: treeSpend,
    database,
  };
}
