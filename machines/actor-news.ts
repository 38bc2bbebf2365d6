import type { AnyActorRef, AnyMachineSnapshot, EventObject } from 'xstate';
import type { ActorNews, ActorSnapshot, MachineName } from '../src/core/inspection.ts';
import { smallCopy } from '../src/core/small-copy.ts';
import type { Onlooker } from './compile.ts';

/** What is told of an actor. */
export type ToldActor = {
  readonly actor: AnyActorRef;
  readonly name: string;
  /** Absent: it has no chart. */
  readonly machine?: MachineName;
  /** What stands for its context, which may be large and hold anything; of that, a small copy is told. */
  readonly context?: () => object;
};

/** Says what actors do. */
export interface ActorTeller {
  /** That it is there, and how it stands. */
  tell(told: ToldActor): void;
  /** Tells of each of its transitions. */
  onlookerFor(told: ToldActor): Onlooker;
}

/** What a teller is made from; `clean` takes secrets out of what it says. */
export type ActorTellerOptions = {
  readonly now: () => number;
  readonly clean: (text: string) => string;
  readonly say: (news: ActorNews) => void;
};

/** Makes a teller. News are small and plain data: events and actors hold functions. Of an event its type must come first. */
export function createActorTeller({ now, clean, say }: ActorTellerOptions): ActorTeller {
  const idsOf = (actor: AnyActorRef): Pick<ActorNews, 'sessionId' | 'rootId' | 'createdAt'> => ({
    sessionId: actor.sessionId,
    rootId: (actor._parent ?? actor).sessionId,
    createdAt: String(now()),
  });
  // An object whose type comes first stays one with that type.
  const shown = (event: EventObject): EventObject => smallCopy(event, clean) as EventObject;
  const snapshotOf = ({ status, value }: AnyMachineSnapshot, { machine, context }: ToldActor): ActorSnapshot => ({
    status,
    ...(machine && { value }),
    ...(context && { context: smallCopy(context(), clean) }),
  });
  return {
    tell(told) {
      const { actor, name, machine } = told;
      const parent = actor._parent;
      say({
        type: '@xstate.actor',
        ...idsOf(actor),
        name,
        ...(parent && { parentId: parent.sessionId }),
        ...(machine && { machine }),
        snapshot: snapshotOf(actor.getSnapshot() as AnyMachineSnapshot, told),
      });
    },
    onlookerFor: (told) => ({
      event: (event) => say({ type: '@xstate.event', ...idsOf(told.actor), event: shown(event) }),
      snapshot(snapshot, event) {
        const ids = idsOf(told.actor);
        say({ type: '@xstate.snapshot', ...ids, event: shown(event), snapshot: snapshotOf(snapshot, told) });
      },
    }),
  };
}
