import { createActor, fromTransition, type AnyActorRef, type AnyActorScope } from 'xstate';

/** The parent of all thread actors of a worker: plain logic, so that one that throws harms no other. */
export interface ActorParent {
  readonly actor: AnyActorRef;
  /** Stops a child, which has a parent and can't be stopped directly. */
  drop(child: AnyActorRef): void;
}

/** Makes it, running. */
export function createActorParent(): ActorParent {
  const actor = createActor(fromTransition(dropChild, undefined)).start();
  const _relay = (_source: unknown, target: Target, event: ParentEvent): void => {
    if (!Object.is(target, actor) || event.type === 'drop') target._send(event);
  };
  Object.assign(actor.system, UNLISTED, { _relay });
  return { actor, drop: (child) => actor.send({ type: 'drop', child }) };
}

type Target = object & { _send(event: unknown): void };

/**
 * XState (5.33) lists the actors of a system and reads that list nowhere; to take 100,000 out of it was 3.5 % of their cancellation.
 * What else this leaves out is for actors with a `systemId`, of which there are none.
 */
const UNLISTED = { _register: (sessionId: string) => sessionId, _unregister: () => undefined };

/**
 * Takes from an actor the sets of its own for observers and listeners: a thread's chart tells its onlookers itself. Both are 340 bytes
 * of a parked thread, and when an actor ends, `clear` makes a new table for each, for nobody.
 */
export function dropObserverSets(actor: AnyActorRef): void {
  Object.assign(actor, { observers: NO_OBSERVERS, eventListeners: NO_LISTENERS });
}

/**
 * Takes from an actor that has ended what XState makes for it then, and nobody reads: a mailbox, and the event for its parent. The
 * actor is old by then, and what an old object holds outlives the young generation, though nobody may hold the actor any more.
 */
export function dropEndedParts(actor: AnyActorRef): void {
  Object.assign(actor, { mailbox: undefined, _doneEvent: undefined });
}

const refuse = (): never => {
  throw new Error("A thread's actor has no subscribers: its chart tells onlookers");
};
const keep = (): void => undefined;
const NO_OBSERVERS = Object.assign(new Set<never>(), { add: refuse, clear: keep });
const NO_LISTENERS = Object.assign(new Map<string, never>(), { set: refuse, clear: keep });

type ParentEvent = { readonly type: 'drop'; readonly child: AnyActorRef } | { readonly type: string };

/** Stops a child when told to; of what its children end with it hears nothing. */
function dropChild(state: undefined, event: ParentEvent, scope: AnyActorScope): undefined {
  if (event.type === 'drop' && 'child' in event) scope.stopChild(event.child);
  return state;
}
