import { exactJson } from '../core/exact-json.ts';
import { nestsDeeper } from '../core/nests-deeper.ts';
import { isRecord } from '../core/record.ts';
import { invalidFault, type CallFault } from './call-failure.ts';
import { MAX_JSON_DEPTH } from './json-scanner.ts';

/**
 * Parses a tool call's input as it was streamed. Only a complete JSON object counts; nothing at all is the empty
 * object, since tools without parameters are called that way. A whole number that would become another one is a text of its
 * digits, as everywhere in what a model asks for: a tool that takes none of these there refuses it instead of running with it.
 */
export function parseToolInput(
  tool: string,
  json: string,
): { readonly input: Readonly<Record<string, unknown>> } | { readonly fault: CallFault } {
  if (json.trim() === '') return { input: {} };
  const value = exactJson(json);
  if (isRecord(value)) return { input: value };
  const problem = value === undefined ? 'is not complete JSON' : 'is not a JSON object';
  return { fault: invalidFault('tool_input_invalid', `the input of tool call "${tool}" ${problem}`) };
}

/** The JSON text of an input that comes as a value; one that is too deep for recursion is a fault. */
export function toolInputText(tool: string, input: unknown): string | CallFault {
  if (!nestsDeeper(input, MAX_JSON_DEPTH)) return JSON.stringify(input);
  return invalidFault('tool_input_invalid', `the input of tool call "${tool}" is nested too deeply`);
}
