import type {
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import type { Message, ToolCall } from '../core/conversation.ts';
import { callName } from './call-name.ts';
import { wellFormed } from './well-formed-json.ts';

/** What an answer was made of, in order: encrypted reasoning word for word, of the rest where it stands in the message. */
export type CarriedItem =
  | ResponseReasoningItem
  | {
      readonly type: 'message';
      readonly id: string;
      readonly length: number;
      readonly phase?: 'commentary' | 'final_answer';
    }
  | { readonly type: 'function_call'; readonly id?: string; readonly callId: string };

/** An answer's items in the order they came: the API takes reasoning back only right before what it led to. */
export function carriedItems(
  { text, toolCalls }: Extract<Message, { role: 'assistant' }>,
  parts: readonly CarriedItem[],
): ResponseInputItem[] {
  let at = 0;
  const items: ResponseInputItem[] = [];
  for (const part of parts) {
    if (part.type === 'reasoning') {
      items.push(part);
    } else if (part.type === 'message') {
      const { id, phase } = part;
      const piece = text.slice(at, (at += part.length));
      const content = [{ type: 'output_text' as const, text: piece, annotations: [] }];
      items.push({ type: 'message', role: 'assistant', status: 'completed', id, content, ...(phase && { phase }) });
    } else if (part.type === 'function_call') {
      const call = toolCalls.find(({ id }) => id === part.callId);
      if (call) items.push({ ...functionCall(call), ...(part.id !== undefined && { id: part.id }) });
    }
  }
  return items;
}

/** A call without the provider's own id of it: with that the API would ask for the reasoning behind it. */
export function functionCall({ id, name, input }: ToolCall): ResponseFunctionToolCall {
  return { type: 'function_call', call_id: id, name: callName(name), arguments: wellFormed(JSON.stringify(input)) };
}
