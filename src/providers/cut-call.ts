import type { ToolCall } from '../core/conversation.ts';
import { MALFORMED_CALL, type MalformedInput } from './text-tools-form.ts';

/** What an answer's limit left of its last call. */
export type CutCall = {
  readonly id: string;
  /** '' = not even that came. */ readonly name: string;
  readonly json: string;
};

/** A call that the limit of its answer has cut off: it never runs, and the model hears that as an error. */
export function cutCall({ id, name, json: written }: CutCall): ToolCall {
  const which = name === '' ? 'This call' : `This call of ${name}`;
  const problem = `${which} was cut off: the answer reached its limit before the input was complete. Make it again with less in it, or in several calls`;
  return { id, name: MALFORMED_CALL, input: { problem, written } satisfies MalformedInput };
}
