import type { Message } from '../../core/conversation.ts';
import type { AnthropicBlock, AnthropicBody } from './anthropic-body.ts';
import { contentText } from './content-text.ts';
import { isSignedThought } from './signature.ts';

/** What one side says at a time; `at` is where it begins in the messages. */
export type Turn = { readonly role: 'user' | 'assistant'; readonly at: number; readonly blocks: AnthropicBlock[] };
type Of<Type extends AnthropicBlock['type']> = Extract<AnthropicBlock, { readonly type: Type }>;

/**
 * The messages of a request as they were before an adapter put them into turns: one for each text and each result.
 * A conversation that the API refuses gives its words for that instead.
 */
export function readAnthropicConversation(body: AnthropicBody): readonly Message[] | string {
  const turns = toTurns(body);
  return problemOf(turns, body) ?? turns.flatMap(toMessages);
}

/** As the API does it: neighbours of one role are one turn. */
export function toTurns({ messages }: AnthropicBody): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    if (role === 'system') continue;
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, at, blocks: [...blocks] });
  }
  return turns;
}

function problemOf(turns: readonly Turn[], body: AnthropicBody): string | undefined {
  if (turns[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  const ids = new Set<string>();
  for (const [at, turn] of turns.entries()) {
    const problem =
      emptyContent(turn, at === turns.length - 1) ??
      repeatedId(turn, ids) ??
      pairing(turn, turns[at + 1]) ??
      strayResult(turn, turns[at - 1]) ??
      forgedThought(turn);
    if (problem !== undefined) return problem;
  }
  return lastTurn(turns) ?? cacheMarks(body);
}

function emptyContent({ role, at, blocks }: Turn, isLast: boolean): string | undefined {
  const isEmpty = blocks.length === 0 || blocks.some((block) => block.type === 'text' && block.text === '');
  if (!isEmpty || (isLast && role === 'assistant')) return undefined;
  return `messages.${at}: all messages must have non-empty content except for the optional final assistant message`;
}

function repeatedId({ at, blocks }: Turn, ids: Set<string>): string | undefined {
  for (const { id } of ofType(blocks, 'tool_use')) {
    if (ids.has(id)) return `messages.${at}: \`tool_use\` ids must be unique`;
    ids.add(id);
  }
  return undefined;
}

/** Results stand at the head of the next turn, one for each call. */
function pairing({ role, at, blocks }: Turn, next: Turn | undefined): string | undefined {
  const wanted = ofType(blocks, 'tool_use').map(({ id }) => id);
  if (wanted.length === 0) return undefined;
  if (role !== 'assistant') return `messages.${at}: \`tool_use\` blocks can only be in \`assistant\` messages`;
  const end = next?.blocks.findIndex(({ type }) => type !== 'tool_result') ?? 0;
  const head = end === -1 ? next?.blocks : next?.blocks.slice(0, end);
  const given = new Set(ofType(head ?? [], 'tool_result').map((block) => block.tool_use_id));
  const missing = wanted.filter((id) => !given.has(id));
  if (missing.length === 0) return undefined;
  return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function strayResult({ at, blocks }: Turn, before: Turn | undefined): string | undefined {
  const results = ofType(blocks, 'tool_result');
  if (results.length === 0) return undefined;
  const called = new Set(ofType(before?.blocks ?? [], 'tool_use').map(({ id }) => id));
  for (const { tool_use_id: id } of results) {
    if (called.delete(id)) continue;
    return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  return undefined;
}

function forgedThought({ at, blocks }: Turn): string | undefined {
  const isForged = ofType(blocks, 'thinking').some(({ thinking, signature }) => !isSignedThought(thinking, signature));
  return isForged ? `messages.${at}: Invalid \`signature\` in \`thinking\` block` : undefined;
}

function lastTurn(turns: readonly Turn[]): string | undefined {
  const last = turns.at(-1);
  const end = last?.blocks.at(-1);
  if (last?.role !== 'assistant' || end?.type !== 'text' || end.text === end.text.trimEnd()) return undefined;
  return 'messages: final assistant content cannot end with trailing whitespace';
}

const MOST_MARKS = 4;

function cacheMarks({ system, tools = [], messages, cache_control: own }: AnthropicBody): string | undefined {
  let marks = own ? 1 : 0;
  const count = (marked: unknown): void => {
    if (typeof marked === 'object' && marked !== null && 'cache_control' in marked && marked.cache_control) marks += 1;
  };
  if (typeof system !== 'string') system?.forEach(count);
  tools.forEach(count);
  for (const { content } of messages) if (typeof content !== 'string') content.forEach(count);
  if (marks <= MOST_MARKS) return undefined;
  return `A maximum of ${MOST_MARKS} blocks with cache_control may be provided. Found ${marks}.`;
}

function toMessages({ role, blocks }: Turn): Message[] {
  if (role === 'assistant') {
    const toolCalls = ofType(blocks, 'tool_use').map(({ id, name, input }) => ({ id, name, input }));
    return [{ role, text: contentText(blocks), toolCalls }];
  }
  return blocks.flatMap((block): Message[] => {
    if (block.type === 'text') return [{ role: 'user', text: block.text }];
    return block.type === 'tool_result' ? [toResult(block)] : [];
  });
}

function toResult({ tool_use_id: callId, content = '', is_error: isError = false }: Of<'tool_result'>): Message {
  return { role: 'tool', callId, text: contentText(content), isError };
}

function ofType<Type extends AnthropicBlock['type']>(blocks: readonly AnthropicBlock[], type: Type): Of<Type>[] {
  return blocks.filter((block): block is Of<Type> => block.type === type);
}
