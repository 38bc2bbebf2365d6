import { jsonOrUndefined } from '../../core/json-or-undefined.ts';
import { isRecord } from '../../core/record.ts';

/** A tool call's input as a model sent it. The API takes any text; what is no JSON object counts as none. */
export function parseArguments(json: string): Readonly<Record<string, unknown>> {
  const value = jsonOrUndefined(json);
  return isRecord(value) ? value : {};
}
