import type { ToolCall } from '../core/conversation.ts';
import { messageOf } from '../core/errors.ts';
import { parseExactJson } from '../core/exact-json.ts';
import { isRecord } from '../core/record.ts';
import { createJsonScan } from './json-scanner.ts';
import { MALFORMED_CALL, type MalformedInput } from './text-tools-form.ts';
import type { CallBlock } from './text-tools-scanner.ts';

/** What a block is read with. */
export type BlockReading = {
  /** Id of the call. */
  readonly id: string;
  /** Why a block without an end is no call; undefined: its end is all that may be missing. */
  readonly cut: string | undefined;
};

/** Keys under which the input may stand: ours, and those that open models were trained to write. */
const INPUT_KEYS: ReadonlySet<string> = new Set(['input', 'arguments', 'parameters']);

/** The call of a block. One that can't be read becomes a {@link MALFORMED_CALL}, which the model hears of as an error. */
export function readTextCall(
  { body, written, isClosed }: CallBlock,
  { id, cut }: BlockReading,
): { readonly call: ToolCall; readonly isSound: boolean } {
  const read = isClosed || cut === undefined ? readObject(body.trim()) : cut;
  if (typeof read !== 'string') return { call: { id, ...read }, isSound: true };
  const input: MalformedInput = { problem: `This tool call could not be read: ${read}`, written };
  return { call: { id, name: MALFORMED_CALL, input }, isSound: false };
}

/** Name and input of a call, or what is wrong with it. */
function readObject(json: string): Omit<ToolCall, 'id'> | string {
  const parsed = parseObject(json);
  if (typeof parsed === 'string') return parsed;
  const { name, ...rest } = parsed;
  if (typeof name !== 'string' || name === '') return 'it has no "name"';
  const [key, ...more] = Object.keys(rest);
  const stranger = [key, ...more].find((found) => found !== undefined && !INPUT_KEYS.has(found));
  if (stranger !== undefined) return `"${stranger.slice(0, 64).toWellFormed()}" stands beside "name", not in "input"`;
  if (more.length > 0) return 'it has more than one input';
  const input = key === undefined ? {} : rest[key];
  return isRecord(input) ? { name, input } : '"input" is not an object';
}

function parseObject(json: string): Record<string, unknown> | string {
  const scan = createJsonScan();
  const problem = scan.push(json);
  if (problem) return `it ${problem}`;
  if (!scan.isComplete()) return 'it is not complete JSON';
  try {
    const value = parseExactJson(json);
    return isRecord(value) ? value : 'it is not a JSON object';
  } catch (thrown) {
    return `it is not JSON: ${messageOf(thrown)}`;
  }
}
