import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Message, ToolDefinition } from '../core/conversation.ts';
import type { ModelRequest } from '../core/provider.ts';
import { callName } from './call-name.ts';
import { carriedReasoning } from './openai-carry.ts';
import { chatPart } from './openai-media.ts';
import type { ChatServer } from './openai-provider.ts';
import { openaiSchema } from './openai-schema.ts';
import { wellFormed } from './well-formed-json.ts';

/**
 * A request in Chat Completions' words: the system prompt as first message (S0). OpenAI's newer models, at Azure too, only
 * take `max_completion_tokens`, compatible servers mostly know `max_tokens` alone, and no cache keys. Cache marks are not
 * needed: the longest known prefix is served from the cache. With a `carryName` every answer has its reasoning. OpenAI is asked for
 * its standard tier, which is what calls are priced by: an organization may have a dearer one set for all that do not.
 */
export function openaiRequest(
  request: ModelRequest,
  server: ChatServer,
  carryName?: string,
): ChatCompletionCreateParamsStreaming {
  const limit =
    server === 'compatible'
      ? { max_tokens: request.maxOutputTokens }
      : { max_completion_tokens: request.maxOutputTokens };
  const system: ChatCompletionMessageParam[] = request.system ? [{ role: 'system', content: request.system }] : [];
  return {
    model: request.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [...system, ...request.messages.map((message) => toMessage(message, carryName))],
    ...limit,
    ...(request.reasoning && 'effort' in request.reasoning && { reasoning_effort: request.reasoning.effort }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool) }),
    ...(server === 'openai' && { service_tier: 'default' as const }),
    ...(request.cacheKey !== undefined && server === 'openai' && { prompt_cache_key: request.cacheKey }),
  };
}

function toMessage(message: Message, carryName: string | undefined): ChatCompletionMessageParam {
  if (message.role === 'user') return { role: 'user', content: message.parts?.map(chatPart) ?? message.text };
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text };
  const thought = carriedReasoning(message, carryName);
  if (message.toolCalls.length === 0) return { role: 'assistant', content: message.text, ...thought };
  return {
    role: 'assistant',
    content: message.text || null,
    tool_calls: message.toolCalls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name: callName(name), arguments: wellFormed(JSON.stringify(input)) },
    })),
    ...thought,
  };
}

function toTool({ name, description, inputSchema }: ToolDefinition): ChatCompletionFunctionTool {
  return { type: 'function', function: { name, description, parameters: openaiSchema(inputSchema) } };
}
