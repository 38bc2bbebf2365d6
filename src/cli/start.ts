import { secretsIn } from '../config/secret-values.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import { createRedactor } from '../core/redactor.ts';
import { checkNodeVersion, describeFailure } from '../index.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-code.ts';
import { RefusedError } from './operation-answer.ts';
import { InterruptedError } from './interrupt.ts';
import { processIo, type CliIo } from './io.ts';
import { printable, printableJson } from './printable.ts';
import { wantsJson } from './wants-json.ts';

/**
 * Runs a command as the whole of a process: checks the Node version before anything else is loaded, turns whatever is
 * thrown into one line on stderr, and sets the exit code.
 */
export async function start(host: NodeJS.Process, run: (io: CliIo) => Promise<ExitCode>): Promise<void> {
  host.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read our output has left, as in `skein … | head`.
    if (error.code !== 'EPIPE') host.stderr.write(`skein: The output can't be written: ${printable(error.message)}\n`);
    // Not refused: what it tells of may have been done.
    return host.exit(EXIT.failed);
  });
  // Whoever read of the progress has left, or it can't be written: that ends no work, and there is nowhere to say so.
  host.stderr.on('error', () => undefined);
  try {
    checkNodeVersion(host.versions.node);
    host.exitCode = await run(processIo(host));
  } catch (thrown) {
    host.exitCode = tell(thrown, host.argv.slice(2), host);
  }
}

/**
 * Tells why a command line was not carried out: in a line on stderr, and where JSON is asked for as
 * `{"error": {"code", "message", "where"}}` on stdout. Gives the exit code.
 */
export function tell(thrown: unknown, args: readonly string[], io: Pick<CliIo, 'stdout' | 'stderr' | 'env'>): ExitCode {
  const { line, code: exitCode } = explain(thrown);
  // A message may quote what it complains about.
  const redactor = createRedactor(secretsIn(io.env));
  if (wantsJson(args)) {
    const { code, message, where } = toFailure(thrown);
    io.stdout.write(`${printableJson({ error: { code, message: redactor.text(message), where } })}\n`);
  }
  io.stderr.write(`${redactor.text(line)}\n`);
  return exitCode;
}

/** One readable line and the exit code for whatever was thrown. */
export function explain(thrown: unknown): { readonly line: string; readonly code: ExitCode } {
  const failure = toFailure(thrown);
  return { line: `skein: ${printable(describeFailure(failure))}`, code: codeFor(thrown, failure) };
}

function codeFor(thrown: unknown, failure: Failure): ExitCode {
  if (thrown instanceof InterruptedError) return EXIT.interrupted;
  return thrown instanceof RefusedError ? EXIT.refused : exitCodeOf(failure);
}
