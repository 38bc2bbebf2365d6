import type { ModelRequest } from '../core/provider.ts';

/**
 * Names a tool call of a model that names none, uniquely within the conversation. Its length alone would not do: a summary
 * makes it shorter.
 */
export function madeUpCallId({ thread, messages }: ModelRequest, position: number): string {
  return `call_${thread.turn}_${messages.length}_${position}`;
}
