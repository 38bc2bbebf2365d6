import type { ToolCall } from '../core/conversation.ts';

/** How a call is written in text: this line, one JSON object, and a line that closes the fence. */
export const CALL_FENCE = '```tool_call';
export const CALL_FENCE_END = '```';

/** How open models write calls that were trained to. */
export const CALL_TAG = '<tool_call>';
export const CALL_TAG_END = '</tool_call>';

/** Name of a call that could not be read; it never runs. {@link MalformedInput} is its input. */
export const MALFORMED_CALL = 'malformed_tool_call';

/** What stands in a conversation for a call that could not be read: what the model wrote, and what is wrong with it. */
export type MalformedInput = { readonly problem: string; readonly written: string };

/** What is wrong with a call that could not be read; undefined for any other. */
export function malformation({ name, input: { problem } }: ToolCall): string | undefined {
  return name === MALFORMED_CALL && typeof problem === 'string' ? problem : undefined;
}
