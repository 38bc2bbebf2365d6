import type { Clock } from '../../core/clock.ts';
import { MAX_MESSAGE_BYTES, MESSAGE_FRAME, type InspectionMessage } from '../../core/inspection.ts';

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
  /** It has missed messages, and takes some again. */
  readonly caughtUp: () => void;
};

/**
 * One who looks on.
 *
 * Owns: what waits for it, with its connection at most {@link MAX_WAITING_BYTES}. A message that does not fit is dropped and
 * counted; all that come then are, until everything that waited is gone. It is then told how many, as an actor `relay`.
 */
export interface RelayViewer {
  send(message: InspectionMessage): void;
  /** Messages that were handed to the connection, and that did not fit. */
  readonly counts: { readonly sent: number; readonly dropped: number };
  /** True: nothing waits for it. */
  isServed(): boolean;
}

/** Makes a viewer; it is told of the actor `relay` first. */
export function createRelayViewer({ socket, clock, caughtUp }: RelayViewerOptions): RelayViewer {
  const queue: InspectionMessage[] = [];
  const counts = { sent: 0, dropped: 0 };
  let queuedBytes = 0;
  let untold = 0;

  const put = (message: InspectionMessage): void => {
    queue.push(message);
    queuedBytes += sizeOf(message);
  };
  const pump = (): void => {
    while (socket.bufferedAmount < CONNECTION_BYTES) {
      const message = queue.shift();
      if (!message) break;
      queuedBytes -= sizeOf(message);
      counts.sent++;
      socket.send(toText(message), (error) => {
        if (!error) pump();
      });
    }
    if (untold === 0 || queue.length > 0) return;
    put(droppedMessage(untold, counts.dropped, clock.now()));
    untold = 0;
    pump();
    caughtUp();
  };

  put(relayActor(clock.now()));
  pump();
  return {
    counts,
    isServed: () => queue.length === 0 && socket.bufferedAmount === 0,
    send(message) {
      const size = sizeOf(message);
      // In order: nothing passes what was dropped.
      if (untold > 0 || queuedBytes + size > MAX_QUEUED_BYTES) {
        untold++;
        counts.dropped++;
      } else put(message);
      pump();
    },
  };
}

/** Of what is kept for this message alone: definitions are shared. */
function sizeOf({ text }: InspectionMessage): number {
  return Buffer.byteLength(text);
}

function toText({ text, definition }: InspectionMessage): string {
  return definition === undefined ? text : `${text.slice(0, -1)},"definition":${definition}}`;
}

const RELAY = { sessionId: 'relay', rootId: 'relay', ...MESSAGE_FRAME } as const;

/** In the protocol there is no way to say that something is missing; an actor can. */
function relayActor(at: number): InspectionMessage {
  const snapshot = { status: 'active', context: { dropped: 0 } };
  const actor = { type: '@xstate.actor', name: 'relay', ...RELAY, createdAt: String(at), snapshot };
  return { text: JSON.stringify(actor), definition: JSON.stringify(JSON.stringify({ id: 'relay' })) };
}

function droppedMessage(messages: number, dropped: number, at: number): InspectionMessage {
  const snapshot = { status: 'active', context: { dropped } };
  const event = { type: 'DROPPED', messages };
  return { text: JSON.stringify({ type: '@xstate.snapshot', ...RELAY, createdAt: String(at), event, snapshot }) };
}
