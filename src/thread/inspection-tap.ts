import type { AnyActorRef, EventObject } from 'xstate';
import type { Schedule } from '../core/batched-port.ts';
import type { Clock } from '../core/clock.ts';
import type { Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import { nanoToUsd } from '../core/money.ts';
import type { WorkerCommand, WorkerReport } from '../core/protocol.ts';
import type { Redactor } from '../core/redactor.ts';
import { createActorTeller } from '../../machines/actor-news.ts';
import type { Onlooker, OnlookerOf } from '../../machines/compile.ts';
import type { Thread } from './thread.ts';

/** A thread with its actor. */
export type TappedThread = { readonly thread: Thread; readonly actor: AnyActorRef };

/**
 * Tells the host what the actors of single threads do.
 *
 * Owns: which threads the host wants to hear of, and who looks at their actors. While it wants none, nothing is said, and
 * every chart runs from its table.
 */
export interface InspectionTap {
  readonly onlookerOf: OnlookerOf;
  /** The host wants to hear of these threads as well, those that are here at once; `anew`: of no others. */
  watch(wish: Pick<InspectCommand, 'threads' | 'anew'>, find: FindThread): void;
  /** A thread has come; its actor has not started. */
  entered(tapped: TappedThread): void;
  /** It has gone. */
  left(tapped: TappedThread): void;
}

type InspectCommand = Extract<WorkerCommand, { type: 'inspect' }>;
type FindThread = (thread: ThreadNo) => TappedThread | undefined;

/** What a tap is made from. */
export type InspectionTapOptions = {
  /** Number of the worker. */
  readonly index: number;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly redactor: Redactor;
  readonly report: (report: WorkerReport) => void;
};

/** Actors are told of in pieces, so that ten thousand of them keep no step of a thread waiting. */
const PIECE = 100;

/** Makes the tap of a worker. */
export function createInspectionTap({ index, clock, schedule, redactor, report }: InspectionTapOptions): InspectionTap {
  const wanted = new Set<ThreadNo>();
  const onlookers = new Map<AnyActorRef, Onlooker>();
  let isParentTold = false;
  /** How often all were to be told of anew. */
  let round = 0;

  const teller = createActorTeller({
    now: clock.now,
    clean: (text) => redactor.text(text),
    say: (news) => report({ type: 'inspected', news: JSON.stringify(news) }),
  });
  const attach = ({ thread, actor }: TappedThread): void => {
    if (!isParentTold && actor._parent) teller.tell({ actor: actor._parent, name: `worker ${index}` });
    isParentTold = true;
    const told = { actor, name: actor.id, machine: 'thread', context: () => contextOf(thread) } as const;
    teller.tell(told);
    const full = teller.onlookerFor(told);
    onlookers.set(actor, {
      event: (event) => full.event(briefly(event)),
      snapshot: (snapshot, event) => full.snapshot(snapshot, briefly(event)),
    });
  };
  const attachAll = (threads: readonly ThreadNo[], find: FindThread): void => {
    const own = round;
    for (const thread of threads.slice(0, PIECE)) {
      const tapped = find(thread);
      if (tapped) attach(tapped);
    }
    if (threads.length <= PIECE) return;
    // Those that are to be told of anew meanwhile are all that is left of these.
    schedule(() => own === round && attachAll(threads.slice(PIECE), find));
  };
  /** Of those that stay, each step is told also until it is their turn. */
  const leaveAllBut = (threads: readonly ThreadNo[], find: FindThread): void => {
    const stays = new Set(threads);
    for (const thread of wanted) {
      const actor = stays.has(thread) ? undefined : find(thread)?.actor;
      if (actor) onlookers.delete(actor);
    }
    wanted.clear();
    isParentTold = false;
    round++;
  };

  return {
    onlookerOf: (actor) => onlookers.get(actor),
    watch({ threads, anew }, find) {
      if (anew) leaveAllBut(threads, find);
      for (const thread of threads) wanted.add(thread);
      attachAll(threads, find);
    },
    entered(tapped) {
      if (wanted.has(tapped.thread.lineage.thread)) attach(tapped);
    },
    left({ thread, actor }) {
      wanted.delete(thread.lineage.thread);
      onlookers.delete(actor);
    },
  };
}

/** What a person is asked, and the details of a failure, may quote what a model has said: they are not told. */
function briefly(event: EventObject): EventObject {
  // What the events of the machine hold.
  const { failure, end } = event as EventObject & { readonly failure?: Failure; readonly end?: EventObject };
  return {
    type: event.type,
    ...Object.fromEntries(Object.entries(event).filter(([name]) => !QUOTING.has(name))),
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
    ...(end && { end: briefly(end) }),
  };
}

/** Of a suspension: what is asked, and the same as a message. */
const QUOTING: ReadonlySet<string> = new Set(['ask', 'message']);

/** The actor's own context is all that the worker knows of the thread: what it has said is for those who may read its log. */
function contextOf({ lineage, spec: { shared }, turns, inputTokens, outputTokens, spend }: Thread): object {
  return {
    threadId: lineage.threadId,
    ...(lineage.parentId !== undefined && { parentId: lineage.parentId }),
    directive: shared.directive,
    model: shared.model,
    turns,
    inputTokens,
    outputTokens,
    spend: nanoToUsd(spend),
  };
}
