import { errorWord } from './error-word.ts';
import { firstProblem } from './problem.ts';
import type { WireError } from './wire.ts';

const TYPES = { 400: 'invalid_request_error', 429: 'requests', 500: 'server_error' };
const CODES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };

/** An error as every OpenAI API has it. */
export function openaiError(error: WireError): { readonly error: Readonly<Record<string, string | null>> } {
  const { message, status, code = CODES[status] ?? null, param = null } = error;
  return { error: { message, type: errorWord(error, TYPES), param, code } };
}

/** What is wrong with a request, in OpenAI's words. */
export function openaiProblem(fault: Parameters<typeof firstProblem>[0]): { readonly error: WireError } {
  const { path, kind, message } = firstProblem(fault);
  const param = path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
  const [code, said] = {
    unknown_field: ['unknown_parameter', `Unknown parameter: '${param}'.`],
    missing: ['missing_required_parameter', `Missing required parameter: '${param}'.`],
    wrong: ['invalid_value', `Invalid value for '${param}': ${message}`],
  }[kind];
  return { error: { status: 400, message: said ?? message, code, param } };
}

/** A request that is well formed and makes no sense. */
export function openaiRefusal(message: string, param?: string): { readonly error: WireError } {
  return { error: { status: 400, message, param } };
}
