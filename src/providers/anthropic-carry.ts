import type {
  ContentBlockParam,
  RedactedThinkingBlockParam,
  ThinkingBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Message, ToolCall } from '../core/conversation.ts';
import { callName } from './call-name.ts';

/** A signed or hidden thought. */
export type Thought = ThinkingBlockParam | RedactedThinkingBlockParam;

/** What an answer was made of, in order: thoughts word for word, of the rest where it stands in the message. */
export type CarriedBlock =
  | Thought
  | { readonly type: 'text'; readonly length: number }
  | { readonly type: 'tool_use'; readonly id: string };

/** An answer's blocks in the order they came: the API takes thoughts back unchanged and in their places only. */
export function carriedBlocks(
  { text, toolCalls }: Extract<Message, { role: 'assistant' }>,
  parts: readonly CarriedBlock[],
): ContentBlockParam[] {
  let at = 0;
  const blocks: ContentBlockParam[] = [];
  for (const part of parts) {
    if (part.type === 'text') {
      const piece = text.slice(at, (at += part.length));
      if (piece.trim() !== '') blocks.push({ type: 'text', text: piece });
    } else if (part.type === 'tool_use') {
      const call = toolCalls.find(({ id }) => id === part.id);
      if (call) blocks.push(toolUse(call));
    } else if (isThinking(part)) {
      blocks.push(part);
    }
  }
  return blocks;
}

/** A call as a block. */
export function toolUse({ id, name, input }: ToolCall): ToolUseBlockParam {
  return { type: 'tool_use', id: blockId(id), name: callName(name), input };
}

/** An id as the API takes it: those of other providers may have other characters (`functions.read:0`). */
export function blockId(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_');
}

/** Whether a block is a thought. */
export function isThinking(block: { readonly type: string } | undefined): block is Thought {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}
