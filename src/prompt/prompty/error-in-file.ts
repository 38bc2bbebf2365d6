import type { PromptyAgent } from '../../core/prompty-agent.ts';
import { InvokerError } from './engine/invoker-error.ts';
import { ValueError, type ValueErrorCode } from './engine/value-error.ts';

/**
 * What rendering a prompt has thrown, with the prompt's file, and its line there instead of the template's. Left as it is: an
 * error of an agent that was built in code, or of a template of the registry.
 */
export function errorInFile(thrown: unknown, { origin }: Pick<PromptyAgent, 'origin'>): unknown {
  if (origin === undefined) return thrown;
  if (!(thrown instanceof InvokerError || thrown instanceof ValueError) || thrown.where?.file !== undefined)
    return thrown;
  const { file } = origin;
  if (thrown instanceof InvokerError) return Object.assign(thrown, { where: { file } });
  const { line: inner, column } = thrown.where ?? {};
  // The constructor takes no other.
  const code = thrown.code as ValueErrorCode;
  if (inner === undefined || column === undefined)
    return because(thrown, new ValueError(code, thrown.message, { file }));
  const where = { file, line: origin.line + inner - 1, column: inner === 1 ? column + (origin.indent ?? 0) : column };
  const told = ` (line ${inner}, column ${column})`;
  const message = thrown.message.endsWith(told) ? thrown.message.slice(0, -told.length) : thrown.message;
  return because(thrown, new ValueError(code, `${message} (line ${where.line}, column ${where.column})`, where));
}

function because(cause: unknown, error: ValueError): ValueError {
  return Object.assign(error, { cause });
}
