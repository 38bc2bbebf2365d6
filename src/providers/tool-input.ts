import { jsonOrUndefined } from '../core/json-or-undefined.ts';
import { isRecord } from '../core/record.ts';
import type { CallFault } from './call-failure.ts';
import { invalidFault } from './call-failure.ts';

/**
 * Parses a tool call's input as it was streamed. Only a complete JSON object counts; nothing at all is the empty
 * object, since tools without parameters are called that way.
 */
export function parseToolInput(
  tool: string,
  json: string,
): { readonly input: Readonly<Record<string, unknown>> } | { readonly fault: CallFault } {
  if (json.trim() === '') return { input: {} };
  const value = jsonOrUndefined(json);
  if (isRecord(value)) return { input: value };
  const problem = value === undefined ? 'is not complete JSON' : 'is not a JSON object';
  return { fault: invalidFault('tool_input_invalid', `the input of tool call "${tool}" ${problem}`) };
}
