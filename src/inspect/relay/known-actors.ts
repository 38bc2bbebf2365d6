import { MESSAGE_FRAME, type ActorEnd, type InspectionMessage } from '../../core/inspection.ts';

/**
 * The actors that one viewer knows.
 *
 * Owns: which actors it was told of that have not ended for it, and the endings that it was not told of.
 *
 * Invariant: whoever was told of an actor is told of its end when that is told, if only by the least there is to say of it.
 */
export interface KnownActors {
  has(sessionId: string): boolean;
  /** The viewer gets this message. */
  got(message: InspectionMessage): void;
  /** It does not get it. */
  missed(message: InspectionMessage): void;
  /** The actors of this place have gone without a word. */
  lost(place: string): void;
  /** Whether it is to be told of an ending. */
  owes(): boolean;
  /** Text of the message about the next one, as of now. */
  nextEnding(now: number): string | undefined;
}

const LOST: ActorEnd = { event: 'WORKER_LOST', status: 'stopped' };

/** Makes them for a viewer that knows none. */
export function createKnownActors(): KnownActors {
  /** Their roots, by their own ids. */
  const roots = new Map<string, string>();
  const owed = new Map<string, ActorEnd>();
  return {
    has: (sessionId) => roots.has(sessionId),
    got({ sessionId, announces, end }) {
      if (end) roots.delete(sessionId);
      else if (announces) roots.set(sessionId, announces.rootId);
    },
    missed({ sessionId, end }) {
      if (end && roots.has(sessionId)) owed.set(sessionId, end);
    },
    lost(place) {
      for (const sessionId of roots.keys()) {
        if (sessionId.startsWith(`${place}:`) && !owed.has(sessionId)) owed.set(sessionId, LOST);
      }
    },
    owes: () => owed.size > 0,
    nextEnding(now) {
      for (const [sessionId, end] of owed) {
        const rootId = roots.get(sessionId);
        owed.delete(sessionId);
        roots.delete(sessionId);
        if (rootId !== undefined) return endingText({ sessionId, rootId, createdAt: String(now) }, end);
      }
      return undefined;
    },
  };
}

type Ids = { readonly sessionId: string; readonly rootId: string; readonly createdAt: string };

function endingText(ids: Ids, { event, ...snapshot }: ActorEnd): string {
  return JSON.stringify({ type: '@xstate.snapshot', ...ids, event: { type: event }, snapshot, ...MESSAGE_FRAME });
}
