import type { Message } from '../../core/conversation.ts';
import { contentText } from './content-text.ts';
import type { OpenaiChatBody } from './openai-chat-body.ts';
import { openaiRefusal } from './openai-error.ts';
import { parseArguments } from './parse-arguments.ts';
import type { WireError } from './wire.ts';

type ChatMessage = OpenaiChatBody['messages'][number];
/** Instructions and the conversation, as they were before an adapter put them together. */
type Conversation = { readonly system: string; readonly messages: readonly Message[] };

/** Reads the messages, or says in the API's words why they make no conversation. */
export function readOpenaiChat({ messages: given }: OpenaiChatBody): Conversation | { readonly error: WireError } {
  const system: string[] = [];
  const messages: Message[] = [];
  const open = new Set<string>();
  for (const [at, message] of given.entries()) {
    const problem = orderProblem(message, at, open);
    if (problem) return problem;
    if (message.role === 'system' || message.role === 'developer') system.push(contentText(message.content));
    else messages.push(toMessage(message));
  }
  return unanswered(open) ?? { system: system.join('\n\n'), messages };
}

/** Keeps account of the calls that wait for a result. */
function orderProblem(message: ChatMessage, at: number, open: Set<string>): { readonly error: WireError } | undefined {
  const place = `messages.[${at}]`;
  if (message.role === 'tool') {
    if (open.delete(message.tool_call_id)) return undefined;
    return openaiRefusal(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      `${place}.role`,
    );
  }
  const missing = unanswered(open);
  if (missing) return missing;
  if (message.role !== 'assistant') return undefined;
  for (const { id } of message.tool_calls ?? []) open.add(id);
  if (open.size > 0 || typeof message.content === 'string' || message.content) return undefined;
  return openaiRefusal("Invalid value for 'content': expected a string, got null.", `${place}.content`);
}

function unanswered(open: ReadonlySet<string>): { readonly error: WireError } | undefined {
  if (open.size === 0) return undefined;
  return openaiRefusal(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    'messages',
  );
}

type Spoken = Exclude<ChatMessage, { readonly role: 'system' | 'developer' }>;

/** A result says nothing of whether it is an error: no such field is on this wire. */
function toMessage(message: Spoken): Message {
  const text = contentText(message.content ?? '');
  if (message.role === 'tool') return { role: 'tool', callId: message.tool_call_id, text, isError: false };
  if (message.role !== 'assistant') return { role: 'user', text };
  const toolCalls = (message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function'
      ? [{ id: call.id, name: call.function.name, input: parseArguments(call.function.arguments) }]
      : [],
  );
  return { role: 'assistant', text, toolCalls };
}
