import type { Message } from '../../core/conversation.ts';
import type { CacheMark, ModelRequest } from '../../core/provider.ts';

/** A request with its marks. */
export type MarkedRequest = Required<Pick<ModelRequest, 'system' | 'messages'>> & {
  readonly cacheMarks: readonly CacheMark[];
};

/**
 * What a provider may have kept of a request: its beginnings up to these messages, in order (-1: up to the system prompt), marked
 * by it or by one before it. Without its text, which a restart forgets, the next one is taken to begin in the same way.
 */
export type KeptRequest = Partial<Pick<ModelRequest, 'system' | 'messages'>> & { readonly kept: readonly number[] };

/** How many blocks, its own the first, a provider looks at for what it has kept, from a mark backwards: Anthropic's number. */
const LOOK_BACK = 20;

/**
 * Sees to it that a request is found to begin as those before it. Where what was kept of that ends out of the reach of every mark,
 * as after a turn with ten calls or where history has moved from one tier to another, a mark stands there.
 */
export function markInReach<Request extends MarkedRequest>(
  request: Request,
  before: KeptRequest | undefined,
  { most, end }: Bounds,
): Request & { readonly kept: readonly number[] } {
  const known = before ? sharedPlaces(request, before).filter((place) => place < end) : [];
  const marks = withReach(request.cacheMarks.map(placeOf), { most, kept: known.at(-1), messages: request.messages });
  return { ...request, cacheMarks: marks.map(markAt), kept: inOrder([...known, ...marks]) };
}

/** How many marks a request may have, and the index of its prompt, which is never kept: its end if it has none. */
type Bounds = { readonly most: number; readonly end: number };

/** The places up to which both requests are the same. */
function sharedPlaces({ system, messages }: MarkedRequest, before: KeptRequest): readonly number[] {
  if (before.messages === undefined) return before.kept;
  if (before.system !== system) return [];
  const first = before.messages.findIndex((message, at) => !isSame(message, messages[at]));
  return first < 0 ? before.kept : before.kept.filter((place) => place < first);
}

type Reach = { readonly most: number; readonly kept: number | undefined; readonly messages: readonly Message[] };

function withReach(marks: readonly number[], { most, kept, messages }: Reach): readonly number[] {
  if (kept === undefined || most < 2 || marks.some((mark) => isFound(kept, mark, messages))) return marks;
  return inOrder([...(marks.length < most ? marks : withoutOne(marks, kept)), kept]);
}

/** The last one is what the next request reads. Of the others, one in front of what is kept does nothing now. */
function withoutOne(marks: readonly number[], kept: number): readonly number[] {
  const [first = kept, second = first] = marks.slice(0, -1);
  const spare = first < kept ? first : second;
  return marks.filter((mark) => mark !== spare);
}

function isFound(kept: number, mark: number, messages: readonly Message[]): boolean {
  if (mark < kept) return false;
  return messages.slice(kept + 1, mark + 1).reduce((sum, message) => sum + blocksOf(message), 0) < LOOK_BACK;
}

/** What is carried has a part for each block, thoughts among them. */
function blocksOf(message: Message): number {
  if (message.role === 'tool') return 1;
  if (message.role === 'user') return message.parts?.length ?? 1;
  return Math.max(1 + message.toolCalls.length, message.carry?.parts.length ?? 0);
}

/** Calls are known by their ids: messages with other ones are not the same. */
function isSame(one: Message, other: Message | undefined): boolean {
  if (one.role !== other?.role || one.text !== other.text) return false;
  if (one.role === 'tool') return other.role === 'tool' && one.callId === other.callId;
  if (one.role === 'user') return other.role === 'user' && one.parts === other.parts;
  return other.role === 'assistant' && idsOf(one) === idsOf(other) && one.carry === other.carry;
}

function idsOf({ toolCalls }: Extract<Message, { readonly role: 'assistant' }>): string {
  return JSON.stringify(toolCalls.map(({ id }) => id));
}

function inOrder(places: readonly number[]): readonly number[] {
  return [...new Set(places)].toSorted((one, other) => one - other);
}

function placeOf(mark: CacheMark): number {
  return typeof mark === 'number' ? mark : -1;
}

function markAt(place: number): CacheMark {
  return place < 0 ? 'system' : place;
}
