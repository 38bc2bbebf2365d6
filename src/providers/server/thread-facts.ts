import { ACKNOWLEDGEMENTS } from '../../core/assembly.ts';
import type { Message } from '../../core/conversation.ts';
import type { ModelRequest } from '../../core/provider.ts';
import { estimateInputTokens } from '../pricing.ts';
import { firstUserText } from '../scripted-context.ts';

/**
 * Fills in what a script may match on and no wire carries: the turn, from the answers there have been, and the directive,
 * from the tag that opens its prompt. The tag has the directive's name, which is the last segment of its id.
 */
export function withThreadFacts(request: Omit<ModelRequest, 'thread' | 'inputTokens'>): ModelRequest {
  const said = withoutContext(request.messages);
  return {
    ...request,
    inputTokens: estimateInputTokens(request),
    thread: { directive: directiveOf(said), turn: turnOf(said) },
  };
}

/** A rule's pattern for a directive, as it is matched with the name alone. */
export function namePattern(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf('/') + 1);
}

/**
 * In a prompt in tiers, what is shown beside the conversation stands in pairs: a text, and that it was taken note of. Such pairs
 * stand before the directive's message and behind it, and a model may say the same words: a text is known by its heading.
 */
function withoutContext(messages: readonly Message[]): readonly Message[] {
  const isTaken = (at: number): boolean => {
    const [shown, answer] = [messages[at], messages[at + 1]];
    if (shown?.role !== 'user' || !CONTEXT.test(shown.text)) return false;
    return answer?.role === 'assistant' && answer.toolCalls.length === 0 && ACKNOWLEDGEMENTS.has(answer.text);
  };
  return messages.filter((_, at) => !isTaken(at) && !isTaken(at - 1));
}

/** The headings of S1 ("Header Constants"), as far as they stand in messages. */
const CONTEXT =
  /^# (?:Repository Structure|Repository Files|URL Context|Code Review Context|Working Files|Reference Files)/;

function turnOf(messages: readonly Message[]): number {
  let turn = 1;
  for (const { role } of messages) if (role === 'assistant') turn += 1;
  return turn;
}

function directiveOf(messages: readonly Message[]): string {
  const [, name = ''] = /<directive name="([^"]*)">/.exec(firstUserText(messages)) ?? [];
  return namePattern(name.replaceAll(/&(amp|lt|gt|quot);/g, (_all, entity: string) => ENTITIES.get(entity) ?? ''));
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
]);
