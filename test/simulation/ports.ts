import type { MessagePort } from 'node:worker_threads';
import type { Node, World } from './world.ts';

/** One end of a connection between two nodes. */
export interface Port {
  postMessage(message: unknown): void;
  on(event: string, listener: (message: never) => void): void;
  /** Whoever is at the other end hears of it after the last message. */
  close(): void;
  /** Takes a message that has not been delivered. */
  take(): { readonly message: unknown } | undefined;
  /** Whether something it has posted has not been delivered. */
  readonly isAwaited: () => boolean;
}

/** What may be done to messages on their way; `pass` lets one arrive. Without it, all arrive. */
export type Tamper = (message: unknown, pass: (message: unknown) => void) => void;

type End = {
  readonly node: Node;
  readonly tamper?: Tamper | undefined;
  readonly heard?: (message: unknown) => void;
  /** Its end overtakes what it has posted, which arrives some time or other. */
  readonly isLate?: boolean | undefined;
};

const MOST_LATE_MS = 5_000;

/**
 * Connects two nodes: what one posts arrives at the other as a copy, some steps later and in its order. What was posted by
 * one that died arrives. `tamper` of an end sees what the end posts, `heard` what it is delivered.
 */
export function connectNodes(world: World, left: End, right: End): readonly [Port, Port] {
  const ends: [Side, Side] = [createSide(world, left, right), createSide(world, right, left)];
  return [portOf(left, ends[0], ends[1]), portOf(right, ends[1], ends[0])];
}

/** What waits for an end, and who listens there. */
type Side = {
  readonly waiting: unknown[];
  readonly listeners: ((message: never) => void)[];
  readonly closeListeners: (() => void)[];
  isClosed: boolean;
  arrive: (message: unknown) => void;
  /** The other end is closed. */
  end: () => void;
};

function createSide({ note, random }: World, { node, heard }: End, from: End): Side {
  const lane = node.lane(`from ${from.node.name}`);
  const deliver = (message: unknown): void => {
    note(() => JSON.stringify(message));
    heard?.(message);
    for (const listener of side.listeners) listener(message as never);
  };
  const end = (): void => {
    if (!side.isClosed) for (const listener of side.closeListeners) listener();
  };
  const side: Side = {
    waiting: [],
    listeners: [],
    closeListeners: [],
    isClosed: false,
    arrive(message) {
      side.waiting.push(message);
      lane(() => {
        // It may have been taken.
        if (side.waiting.length > 0 && !side.isClosed) deliver(side.waiting.shift());
      });
    },
    end() {
      const late = from.isLate ? side.waiting.splice(0) : [];
      for (const message of late) node.clock.setTimer(random() * MOST_LATE_MS, () => deliver(message));
      lane(end);
    },
  };
  return side;
}

function portOf({ node, tamper }: End, own: Side, other: Side): Port {
  return {
    postMessage(message) {
      if (own.isClosed || !node.isAlive()) return;
      const copy: unknown = structuredClone(message);
      if (tamper) tamper(copy, other.arrive);
      else other.arrive(copy);
    },
    on(event, listener) {
      if (event === 'message') own.listeners.push(listener);
      // It is told nothing.
      else if (event === 'close') own.closeListeners.push(listener as () => void);
    },
    close() {
      if (own.isClosed) return;
      own.isClosed = true;
      other.end();
    },
    isAwaited: () => other.waiting.length > 0,
    take: () => (own.waiting.length > 0 ? { message: own.waiting.shift() } : undefined),
  };
}

/** Composition roots are declared with real ports, and use of them what {@link Port} has. */
export function asMessagePort(port: Port): MessagePort {
  return port as unknown as MessagePort;
}
