import type { MessageCreateParamsStreaming, MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { Message, ToolDefinition } from '../core/conversation.ts';
import type { ModelRequest } from '../core/provider.ts';

/** A request in the Messages API's words: the system prompt in its own top-level field (S0). */
export function anthropicRequest(request: ModelRequest): MessageCreateParamsStreaming {
  return {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    messages: toTurns(request.messages),
    ...(request.system !== '' && { system: request.system }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool) }),
  };
}

/** Neighbours of one role become one turn: all results of a message's tool calls must stand in the next one. */
function toTurns(messages: readonly Message[]): MessageParam[] {
  const turns: { role: 'user' | 'assistant'; content: ContentBlockParam[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = toBlocks(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) turns.push({ role, content: blocks });
  }
  return turns;
}

/** The API refuses empty text blocks. */
function toBlocks(message: Message): ContentBlockParam[] {
  if (message.role === 'user') return textBlock(message.text);
  if (message.role === 'tool') {
    return [{ type: 'tool_result', tool_use_id: message.callId, content: message.text, is_error: message.isError }];
  }
  const calls = message.toolCalls.map(({ id, name, input }) => ({ type: 'tool_use' as const, id, name, input }));
  return [...textBlock(message.text), ...calls];
}

function textBlock(text: string): ContentBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function toTool({ name, description, inputSchema }: ToolDefinition): Tool {
  return { name, description, input_schema: { ...inputSchema, type: 'object' } };
}
