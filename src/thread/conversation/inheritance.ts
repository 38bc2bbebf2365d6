import type { ContextChange } from '../../core/context-change.ts';
import type { Message } from '../../core/conversation.ts';
import { firstLines } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { StoredThread } from '../../core/store.ts';
import { rebuildHistory } from './history.ts';
import { loggedContext, wholeContext } from '../tiers/shown-context.ts';

/** The conversation that a successor goes on with, as its predecessor's log has it. */
export type Inheritance = {
  readonly from: ThreadId;
  readonly messages: readonly Message[];
  /** What it was shown beside that. */
  readonly context: readonly ContextChange[];
  /** Its size as the provider counted it; 0 = not known. */
  readonly tokens: number;
  /** It handed over; otherwise it had ended. */
  readonly isHandedOver: boolean;
};

/** What a thread leaves to its successor. Calls that it did not finish have an error result, so that nothing is half. */
export function inheritanceOf({ row, lines }: Pick<StoredThread, 'row' | 'lines'>, tokens: number): Inheritance {
  const { messages, openCalls } = rebuildHistory(lines);
  const unfinished = openCalls.map(({ id }): Message => ({ role: 'tool', callId: id, text: NOT_DONE, isError: true }));
  const isHandedOver = row.status === 'continued';
  const context = wholeContext(loggedContext(lines));
  return { from: row.threadId, messages: [...messages, ...unfinished], context, tokens, isHandedOver };
}

/** What a fork goes on with: what had been said up to an event of another thread. */
export function forkedInheritance({ row, lines }: Pick<StoredThread, 'row' | 'lines'>, sequence: number): Inheritance {
  const inherited = inheritanceOf({ row, lines: firstLines(lines, sequence) }, 0);
  return { ...inherited, isHandedOver: false };
}

const NOT_DONE = 'The call was not finished: its thread had ended';
