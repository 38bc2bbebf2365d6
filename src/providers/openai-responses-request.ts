import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type { Message, ToolDefinition } from '../core/conversation.ts';
import type { ModelRequest } from '../core/provider.ts';
import { carryOf } from './carry-of.ts';
import { responsesPart } from './openai-media.ts';
import { carriedItems, functionCall, type CarriedItem } from './openai-responses-carry.ts';
import { openaiSchema } from './openai-schema.ts';
import { fitsStrict } from './strict-schema.ts';

/**
 * A request in the Responses API's words: the system prompt as its instructions (S0), reasoning that was given under
 * `carryName` where it stood; without it none goes along, nor is any asked for. Cache marks are not needed: the longest known
 * prefix is served from the cache, which a cache key helps to find. OpenAI itself is asked for its standard tier, as in
 * `openaiRequest`; others may not know it.
 */
export function openaiResponsesRequest(
  request: ModelRequest,
  carryName: string | undefined,
  isOpenai: boolean,
): ResponseCreateParamsStreaming {
  const { reasoning } = request;
  // Models that do not think refuse to be asked for it, and to be given what others thought.
  const thinks = carryName !== undefined && !isThoughtless(request.model);
  return {
    model: request.model,
    stream: true,
    store: false,
    ...(isOpenai && { service_tier: 'default' as const }),
    ...(thinks && { include: ['reasoning.encrypted_content' as const] }),
    input: request.messages.flatMap((message) => toItems(message, thinks ? carryName : undefined)),
    max_output_tokens: request.maxOutputTokens,
    ...(request.system !== '' && { instructions: request.system }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool) }),
    ...(request.cacheKey !== undefined && { prompt_cache_key: request.cacheKey }),
    ...(reasoning && 'effort' in reasoning && { reasoning: { effort: reasoning.effort, summary: 'auto' as const } }),
  };
}

/** OpenAI's models that never reason; fine-tuned ones have their base's name within theirs. */
function isThoughtless(model: string): boolean {
  return /^(?:ft:)?(?:gpt-3|gpt-4|chatgpt-4|gpt-5-chat)/.test(model);
}

/** The API refuses empty messages of the model. */
function toItems(message: Message, carryName: string | undefined): ResponseInputItem[] {
  if (message.role === 'user') return [{ role: 'user', content: message.parts?.map(responsesPart) ?? message.text }];
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.callId, output: message.text }];
  }
  const carried = carryOf(message, carryName);
  // Under this name stands only what `OpenaiResponsesAnswer` made.
  if (carried) return carriedItems(message, carried as readonly CarriedItem[]);
  const said: ResponseInputItem[] = message.text === '' ? [] : [{ role: 'assistant', content: message.text }];
  return [...said, ...message.toolCalls.map(functionCall)];
}

function toTool({ name, description, inputSchema }: ToolDefinition): FunctionTool {
  const strict = fitsStrict(inputSchema);
  return { type: 'function', name, description, parameters: openaiSchema(inputSchema), strict };
}
