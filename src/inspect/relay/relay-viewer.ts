import type { Clock } from '../../core/clock.ts';
import { MAX_MESSAGE_BYTES, MESSAGE_FRAME, type InspectionMessage } from '../../core/inspection.ts';
import { createKnownActors, type KnownActors } from './known-actors.ts';

/** Most that waits for one viewer, bytes: here and in its connection. */
export const MAX_WAITING_BYTES = 1_048_576;

/** The connection is given more while it holds less than this: then it may hold the longest message on top of that. */
const CONNECTION_BYTES = 65_536;
const MAX_QUEUED_BYTES = MAX_WAITING_BYTES - CONNECTION_BYTES - MAX_MESSAGE_BYTES;

/** Of a connection, what a viewer needs. */
export type ViewerSocket = {
  /** Bytes that it was given and that have not left it. */
  readonly bufferedAmount: number;
  /** `done` when the text has left it, or can't. */
  send(text: string, done: (error?: Error) => void): void;
};

/** What a viewer is made from. */
export type RelayViewerOptions = {
  readonly socket: ViewerSocket;
  readonly clock: Clock;
  /** It has missed messages, and has taken everything that waited for it since. */
  readonly caughtUp: () => void;
};

/**
 * One who looks on.
 *
 * Owns: what waits for it, with its connection at most {@link MAX_WAITING_BYTES}. A message that does not fit is dropped and
 * counted; all that come then are, until everything that waited is gone. It is then told, in short, which of the actors it
 * knows have ended meanwhile, and how much it has missed, as an actor `relay`.
 */
export interface RelayViewer {
  send(message: InspectionMessage): void;
  /** The actors of this place have gone without a word. */
  lost(place: string): void;
  /** Messages that were handed to the connection, and that did not fit. */
  readonly counts: { readonly sent: number; readonly dropped: number };
  /** True: nothing waits for it. */
  isServed(): boolean;
}

type Waiting = {
  readonly text: string;
  readonly definition?: string | undefined;
  /** It has left the connection. */
  readonly left?: () => void;
};

/** Makes a viewer; it is told of the actor `relay` first. */
export function createRelayViewer({ socket, clock, caughtUp }: RelayViewerOptions): RelayViewer {
  const queue: Waiting[] = [];
  const known = createKnownActors();
  const counts = { sent: 0, dropped: 0 };
  let queuedBytes = 0;
  let untold = 0;

  const put = (waiting: Waiting): void => {
    queue.push(waiting);
    queuedBytes += sizeOf(waiting);
  };
  const next = (): Waiting | undefined => {
    const waiting = queue.shift();
    if (waiting) {
      queuedBytes -= sizeOf(waiting);
      return waiting;
    }
    const ending = known.nextEnding(clock.now());
    if (ending !== undefined) return { text: ending };
    if (untold === 0) return undefined;
    const text = droppedText(untold, counts.dropped, clock.now());
    untold = 0;
    return { text, left: caughtUp };
  };
  const pump = (): void => {
    while (socket.bufferedAmount < CONNECTION_BYTES) {
      const waiting = next();
      if (!waiting) return;
      counts.sent++;
      socket.send(toText(waiting), (error) => {
        if (error) return;
        waiting.left?.();
        pump();
      });
    }
  };

  put(relayActor(clock.now()));
  pump();
  return {
    counts,
    isServed: () => queue.length === 0 && !known.owes() && socket.bufferedAmount === 0,
    send(message) {
      const waiting = waitingFor(message, known);
      // In order: nothing passes what was dropped.
      if (untold > 0 || queuedBytes + sizeOf(waiting) > MAX_QUEUED_BYTES) {
        untold++;
        counts.dropped++;
        known.missed(message);
      } else {
        put(waiting);
        known.got(message);
      }
      pump();
    },
    lost(place) {
      known.lost(place);
      pump();
    },
  };
}

/** Who knows an actor needs neither its chart nor its name again. */
function waitingFor({ sessionId, text, announces }: InspectionMessage, known: KnownActors): Waiting {
  if (announces && known.has(sessionId)) return { text: announces.again };
  return { text, definition: announces?.definition };
}

/** Of what is kept for this message alone: definitions are shared. */
function sizeOf({ text }: Waiting): number {
  return Buffer.byteLength(text);
}

function toText({ text, definition }: Waiting): string {
  return definition === undefined ? text : `${text.slice(0, -1)},"definition":${definition}}`;
}

const RELAY = { sessionId: 'relay', rootId: 'relay', ...MESSAGE_FRAME } as const;

/** In the protocol there is no way to say that something is missing; an actor can. */
function relayActor(at: number): Waiting {
  const snapshot = { status: 'active', context: { dropped: 0 } };
  const actor = { type: '@xstate.actor', name: 'relay', ...RELAY, createdAt: String(at), snapshot };
  return { text: JSON.stringify(actor), definition: JSON.stringify(JSON.stringify({ id: 'relay' })) };
}

function droppedText(messages: number, dropped: number, at: number): string {
  const snapshot = { status: 'active', context: { dropped } };
  const event = { type: 'DROPPED', messages };
  return JSON.stringify({ type: '@xstate.snapshot', ...RELAY, createdAt: String(at), event, snapshot });
}
