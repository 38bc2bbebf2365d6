import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import type { Message, ToolDefinition } from '../core/conversation.ts';
import type { ModelRequest, ReasoningSetting } from '../core/provider.ts';
import { markPrefix, type Turn } from './anthropic-cache.ts';
import { blockId, carriedBlocks, isThinking, toolUse, type CarriedBlock } from './anthropic-carry.ts';
import { anthropicPart } from './anthropic-media.ts';
import { carryOf } from './carry-of.ts';
import { currentSchema } from './current-schema.ts';

/**
 * A request in the Messages API's words: the system prompt in its own top-level field (S0), thoughts that were given under
 * `carryName` where they stood, and none without it.
 */
export function anthropicRequest(request: ModelRequest, carryName: string | undefined): MessageCreateParamsStreaming {
  const turns = toTurns(request, carryName);
  const body: MessageCreateParamsStreaming = {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    messages: turns.map(({ role, content }): MessageParam => ({ role, content })),
    ...(request.system !== '' && { system: request.system }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool) }),
    ...(request.reasoning && thinking(request.reasoning, turns)),
  };
  return request.cacheMarks ? markPrefix(body, turns, request.cacheMarks) : body;
}

/** Neighbours of one role become one turn: all results of a message's tool calls must stand in the next one. */
function toTurns({ messages, reasoning }: ModelRequest, carryName: string | undefined): Turn[] {
  const isBudgeted = reasoning !== undefined && 'budgetTokens' in reasoning;
  const turns: Turn[] = [];
  messages.forEach((message, at) => {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = toBlocks(message, carryName);
    if (blocks.length === 0) return;
    if (isBudgeted && hidesThought(turns.at(-1), blocks)) {
      turns.push({ role: 'user', content: [...GO_ON], origins: [at] });
    }
    const last = turns.at(-1);
    const turn: Turn = last?.role === role ? last : { role, content: [], origins: [] };
    if (turn !== last) turns.push(turn);
    turn.content.push(...blocks);
    turn.origins.push(...blocks.map(() => at));
  });
  return turns;
}

const GO_ON = [{ type: 'text', text: 'Go on.' }] as const;

/**
 * Whether an answer's first thought would stand behind what was said without one, such as the answer to a file that is shown.
 * With a budget the API wants the thought first in its turn.
 */
function hidesThought(last: Turn | undefined, [first]: readonly ContentBlockParam[]): boolean {
  return last?.role === 'assistant' && !isThinking(last.content[0]) && isThinking(first);
}

/** The API refuses empty text blocks. */
function toBlocks(message: Message, carryName: string | undefined): ContentBlockParam[] {
  if (message.role === 'user') return message.parts?.flatMap(anthropicPart) ?? textBlock(message.text);
  if (message.role === 'tool') {
    return [
      { type: 'tool_result', tool_use_id: blockId(message.callId), content: message.text, is_error: message.isError },
    ];
  }
  const carried = carryOf(message, carryName);
  // Under this name stands only what `AnthropicAnswer` made.
  if (carried) return carriedBlocks(message, carried as readonly CarriedBlock[]);
  const calls = message.toolCalls.map(toolUse);
  return [...textBlock(message.text), ...calls];
}

function textBlock(text: string): ContentBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function toTool({ name, description, inputSchema }: ToolDefinition): Tool {
  return { name, description, input_schema: currentSchema(inputSchema) };
}

/**
 * An effort leaves it to the model when to think. A budget is the older way: there the API refuses results of calls if the
 * work on a question was begun without a thought, e.g. by another model. Then nothing is thought until the next question.
 */
function thinking(
  setting: ReasoningSetting,
  turns: readonly Turn[],
): Pick<MessageCreateParamsStreaming, 'thinking' | 'output_config'> {
  const display = 'summarized';
  if ('effort' in setting) {
    return { thinking: { type: 'adaptive', display }, output_config: { effort: setting.effort } };
  }
  const asked = turns.findLastIndex(
    ({ role, content }) => role === 'user' && content.every(({ type }) => type !== 'tool_result'),
  );
  const answer = turns[asked + 1];
  const isThoughtless = answer !== undefined && !isThinking(answer.content[0]);
  return isThoughtless ? {} : { thinking: { type: 'enabled', budget_tokens: setting.budgetTokens, display } };
}
