import type { AnyActorRef, EventObject } from 'xstate';
import type { Clock } from '../../core/clock.ts';
import type { Ending } from '../../core/ending.ts';
import type { ActorNews } from '../../core/inspection.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { createActorTeller, type ToldActor } from '../../../machines/actor-news.ts';
import type { Onlooker, OnlookerOf } from '../../../machines/compile.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** Lets viewers look at the supervisor. */
export interface SupervisorTap {
  readonly onlookerOf: OnlookerOf;
  /** This is the supervisor's actor. */
  entered(actor: AnyActorRef): void;
  /** Tells of the actor as it is now. */
  tell(): void;
}

/** What it is made from. */
export type SupervisorTapOptions = {
  readonly clock: Clock;
  readonly clean: (text: string) => string;
  readonly say: (news: ActorNews) => void;
  /** Whether somebody looks at what happens with a thread; without a number, at what is not about one thread that has one. */
  readonly isSeen: (thread: ThreadNo | undefined) => boolean;
  readonly isWatching: () => boolean;
};

/**
 * Makes it. Most events of a supervisor are about one thread: those of threads that nobody looks at are handled from the
 * table, and not told.
 */
export function createSupervisorTap({ clock, clean, say, isSeen, isWatching }: SupervisorTapOptions): SupervisorTap {
  const teller = createActorTeller({ now: clock.now, clean, say });
  let told: ToldActor | undefined;
  let onlooker: Onlooker | undefined;
  return {
    onlookerOf: (_actor, event) => (isWatching() && isSeenEvent(event, isSeen) ? onlooker : undefined),
    entered(actor) {
      told = { actor, name: 'supervisor', machine: 'supervisor' };
      const full = teller.onlookerFor(told);
      onlooker = {
        event: (event) => full.event(briefly(event)),
        snapshot: (snapshot, event) => full.snapshot(snapshot, briefly(event)),
      };
    },
    tell() {
      if (told) teller.tell(told);
    },
  };
}

/** What the events of the supervisor hold, whose order and ending its machine does not look into. */
type Held = EventObject & {
  readonly thread?: ThreadNo;
  readonly ending?: Pick<Ending, 'status'>;
  readonly order?: {
    readonly request?: WithDirective;
    readonly spec?: WithDirective;
    readonly entry?: ThreadEntry;
    readonly parent?: ThreadEntry | undefined;
    readonly resumes?: Pick<ThreadEntry, 'lineage'>;
  };
};
type WithDirective = { readonly directive: string };

/** Orders and endings hold what threads are given and what they give: of them, only directive and status are told. */
function briefly(event: EventObject): EventObject {
  const { order, ending } = event as Held;
  const directive = order?.request?.directive ?? order?.spec?.directive ?? order?.entry?.directive;
  const plain = Object.entries(event).filter(([, value]) => typeof value !== 'object' && typeof value !== 'function');
  return {
    type: event.type,
    ...Object.fromEntries(plain),
    ...(directive !== undefined && { directive }),
    ...(ending && { status: ending.status }),
  };
}

/** Those that concern the runtime as a whole are seen whenever somebody looks. */
const OF_ALL = new Set(['READY', 'FAILED', 'DRAIN', 'GRACE_OVER', 'EMPTY']);

function isSeenEvent(event: EventObject, isSeen: SupervisorTapOptions['isSeen']): boolean {
  return OF_ALL.has(event.type) || isSeen(threadOf(event));
}

/** An order for a thread that has no number yet is about the one that asks for it. */
function threadOf(event: EventObject): ThreadNo | undefined {
  const { thread, order } = event as Held;
  return thread ?? (order?.entry ?? order?.resumes ?? order?.parent)?.lineage.thread;
}
