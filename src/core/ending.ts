import { SkeinError, type Failure, messageOf } from './errors.ts';
import type { Cost } from './limits.ts';
import { numberJson } from './number-json.ts';

/** A thread's state as the registry, the API and the seeds name it (S2 §3 and contracts). */
export type ThreadStatus = (typeof THREAD_STATUSES)[number];

/** All of them. */
export const THREAD_STATUSES = [
  'created',
  'running',
  'suspended',
  'completed',
  'error',
  'cancelled',
  'continued',
] as const;

/** The states nothing leaves. */
export type TerminalStatus = Extract<ThreadStatus, 'completed' | 'error' | 'cancelled' | 'continued'>;

/** Whether a thread in this state takes no further operation. */
export function isEnded(status: ThreadStatus): status is TerminalStatus {
  return status !== 'created' && status !== 'running' && status !== 'suspended';
}

/** How a thread ended, as it is stored and travels between threads. `cost.spend` in nano-USD. */
export type Ending = {
  readonly status: TerminalStatus;
  /** What `directive_return` delivered, if anything. */
  readonly outputs: Readonly<Record<string, unknown>> | undefined;
  /** The model's last text. */
  readonly text: string;
  readonly error: Failure | undefined;
  readonly cost: Cost;
};

/**
 * The JSON of an ending. Most have no outputs, and of an error nothing but a code and a message: these are written field by field.
 */
export function endingJson(ending: Ending): string {
  const { status, outputs, text, error, cost } = ending;
  if (outputs !== undefined || error?.where !== undefined || error?.detail !== undefined) return JSON.stringify(ending);
  const failure = error ? `,"error":{"code":"${error.code}","message":${JSON.stringify(error.message)}}` : '';
  return `{"status":"${status}","text":${JSON.stringify(text)}${failure},"cost":${costJson(cost)}}`;
}

function costJson({ turns, inputTokens, outputTokens, spend, cacheReadTokens, cacheWriteTokens }: Cost): string {
  let json = `{"turns":${numberJson(turns)},"inputTokens":${numberJson(inputTokens)}`;
  json += `,"outputTokens":${numberJson(outputTokens)},"spend":${numberJson(spend)}`;
  if (cacheReadTokens !== undefined) json += `,"cacheReadTokens":${numberJson(cacheReadTokens)}`;
  if (cacheWriteTokens !== undefined) json += `,"cacheWriteTokens":${numberJson(cacheWriteTokens)}`;
  return `${json}}`;
}

/** Reads the JSON of an ending, from a row or a worker: it is what this package has written. @throws SkeinError `store_corrupt` */
export function readEnding(text: string): Ending;
export function readEnding(text: string | undefined): Ending | undefined;
export function readEnding(text: string | undefined): Ending | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Ending;
  } catch (cause) {
    throw new SkeinError('store_corrupt', `An ending can't be read: ${messageOf(cause)}`, { cause });
  }
}
