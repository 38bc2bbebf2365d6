import type { Message } from '../../core/conversation.ts';
import type { ModelRequest } from '../../core/provider.ts';
import { firstUserText } from '../scripted-context.ts';

/**
 * Fills in what a script may match on and no wire carries: the turn, from the answers there have been, and the directive,
 * from the tag that opens its prompt. The tag has the directive's name, which is the last segment of its id.
 */
export function withThreadFacts(request: Omit<ModelRequest, 'thread'>): ModelRequest {
  const { messages } = request;
  return { ...request, thread: { directive: directiveOf(messages), turn: turnOf(messages) } };
}

/** A rule's pattern for a directive, as it is matched with the name alone. */
export function namePattern(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf('/') + 1);
}

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
