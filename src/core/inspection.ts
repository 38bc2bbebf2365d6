import { z } from 'zod';
import type { Clock } from './clock.ts';
import type { Failure } from './errors.ts';

/**
 * The longest news of an actor, as JSON. They hold two copies at most, of an event and of a context, which are small
 * whatever they are of: what is longer was not made by our code, and is refused.
 */
export const MAX_NEWS_BYTES = 100_000;

/** The longest message: news with the definition of a machine, and what the host puts beside them. */
export const MAX_MESSAGE_BYTES = 131_072;

/** What the machines of a runtime are called where they are looked at. */
export type MachineName = 'thread' | 'supervisor';

const short = z.string().max(300);
const snapshotSchema = z.strictObject({
  status: z.enum(['active', 'done', 'error', 'stopped']),
  value: z.unknown().optional(),
  context: z.unknown().optional(),
});
const common = {
  /** Of XState, as all ids here: two workers have the same ones. */
  sessionId: short,
  rootId: short,
  /** Milliseconds since the epoch, as a text. */
  createdAt: short,
};
const eventSchema = z.looseObject({ type: short });

/**
 * What a worker says of an actor that is looked at: as in the protocol of `@statelyai/inspect`, but without what is the same
 * for all. The host makes an {@link InspectionMessage} of it.
 */
export const actorNewsSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('@xstate.actor'),
    ...common,
    name: short,
    parentId: short.exactOptional(),
    /** Absent: no chart. */
    machine: z.enum(['thread', 'supervisor']).exactOptional(),
    snapshot: snapshotSchema,
  }),
  z.strictObject({
    type: z.literal('@xstate.event'),
    ...common,
    sourceId: short.exactOptional(),
    event: eventSchema,
  }),
  z.strictObject({ type: z.literal('@xstate.snapshot'), ...common, event: eventSchema, snapshot: snapshotSchema }),
]);

/** News of one actor, whose ids mean something in its worker alone. */
export type ActorNews = z.infer<typeof actorNewsSchema>;

/** How an actor stands. */
export type ActorSnapshot = z.infer<typeof snapshotSchema>;

/** A message of the protocol, on its way to whoever looks on. */
export type InspectionMessage = {
  /** Of the actor that it is about. */
  readonly sessionId: string;
  /** JSON of an object, without its `definition`. */
  readonly text: string;
  /** It says that the actor is there. */
  readonly announces?: Announcement;
  /** The actor does nothing more. */
  readonly end?: ActorEnd;
};

/** What a message has beside its text that says that an actor is there. */
export type Announcement = {
  readonly rootId: string;
  /** JSON of the field `definition`: the same for all actors of a machine, and kept once. */
  readonly definition: string;
  /** JSON of the message that those get who know the actor: how it stands. */
  readonly again: string;
};

/** The least there is to say of the end of an actor. */
export type ActorEnd = {
  /** Type of an event that stands for what led to it. */
  readonly event: 'MISSED' | 'WORKER_LOST';
  readonly status: Exclude<ActorSnapshot['status'], 'active'>;
  readonly value?: unknown;
};

/** Which version of `@statelyai/inspect` speaks like this. */
const PROTOCOL_VERSION = '0.7.2';

/** What every message has beside what it says of its actor. */
export const MESSAGE_FRAME = { id: null, _version: PROTOCOL_VERSION } as const;

/** How a relay is doing. */
export type RelayCounts = {
  readonly viewers: number;
  /** Messages that were handed to a viewer's connection, and those that did not fit into what waits for one. */
  readonly sent: number;
  readonly dropped: number;
};

/** Hands inspection messages on to whoever looks on. */
export interface InspectionRelay {
  /** Where a receiver of `@statelyai/inspect` connects; its token is in it. */
  readonly url: string;
  /** A page with Stately's inspector, if that was asked for; the token is in its fragment. */
  readonly page: string | undefined;
  send(message: InspectionMessage): void;
  /** A worker is gone; the ids of its actors begin with this. */
  lost(place: string): void;
  counts(): RelayCounts;
  close(): Promise<void>;
}

/** What a relay is opened with. */
export type RelayOptions = {
  /** On 127.0.0.1; 0 = any that is free. */
  readonly port: number;
  /** Whether there is a page with Stately's inspector. */
  readonly stately: boolean;
  readonly clock: Clock;
  /** Somebody looks on who has seen nothing yet, or has missed something: all is to be told. */
  readonly tellAll: () => void;
  /** Nobody looks on any more. */
  readonly left: () => void;
  readonly problem: (failure: Failure) => void;
};

/** Opens a relay. @throws SkeinError `invalid_argument`: the port can't be used */
export type OpenRelay = (options: RelayOptions) => Promise<InspectionRelay>;
