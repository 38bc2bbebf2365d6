import { createActor, type SnapshotFrom } from 'xstate';
import type { Timer } from '../core/clock.ts';
import type { Ending } from '../core/ending.ts';
import type { SuspendReason } from '../core/events.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import type { Cost } from '../core/limits.ts';
import { failed, ok } from '../core/result.ts';
import { compileMachine } from '../../machines/compile.ts';
import { supervisorMachine, type SupervisorAction, type SupervisorEvent } from '../../machines/supervisor.machine.ts';
import { suspendAway, whenBack } from './workers/absence.ts';
import { admitThread, assignThreads, keepThread, queueThread, yieldSlot } from './admission/admission.ts';
import { spawnThread } from './admission/spawn-thread.ts';
import { closeLine } from './admission/close-line.ts';
import { createFifo } from '../core/fifo.ts';
import type { AdmissionOrder, HostContext, SpawnOrder } from './host-context.ts';
import type { SupervisorTap } from './inspection/supervisor-tap.ts';
import { reportEmpty } from './endings/report-empty.ts';
import { resumeThread, type ResumeOrder } from './rest/resume.ts';
import { continueThread, keepSuccessor, type Continuation } from './endings/succession.ts';
import type { ThreadEntry } from './rest/thread-table.ts';
import { cancelTree, endThread, killTree, suspendThread } from './endings/thread-ending.ts';

/** The supervisor of a runtime: the machine that decides what may happen, wired to the effects that make it so. */
export interface Supervisor {
  readonly send: (event: SupervisorEvent) => void;
  /** Resolves once the runtime has stopped, to what made it stop if that was a failure. */
  readonly stopped: Promise<Failure | undefined>;
}

/** Creates the supervisor of a host. `context` is asked for late, since host and supervisor know each other. */
export function createSupervisor(context: () => HostContext, tap?: SupervisorTap): Supervisor {
  const stopped = Promise.withResolvers<Failure | undefined>();
  const effects = createEffects(context, stopped.resolve);
  const machine = supervisorMachine.provide({ actions: effects });
  const actor = createActor(compileMachine(machine, tap?.onlookerOf)).start();
  tap?.entered(actor);
  const takes = remembered((snapshot: Snapshot, event: Order) => snapshot.can(event));
  const handle = (event: SupervisorEvent): void => {
    const snapshot = actor.getSnapshot();
    if (asksForAnswer(event) && !takes(snapshot, event)) return refuse(event, snapshot.value);
    if (snapshot.status === 'active') actor.send(event);
  };
  return { send: oneByOne(handle), stopped: stopped.promise };
}

type Snapshot = SnapshotFrom<typeof supervisorMachine>;

/** What a state takes depends on the type of the event alone, since the chart has no guards; the first answer costs most. */
function remembered(can: (snapshot: Snapshot, event: Order) => boolean): typeof can {
  const answers = new Map<Order['type'], boolean>();
  let state: Snapshot | undefined;
  return (snapshot, event) => {
    if (snapshot !== state) answers.clear();
    state = snapshot;
    const known = answers.get(event.type) ?? can(snapshot, event);
    answers.set(event.type, known);
    return known;
  };
}

/**
 * Events that an action sends are handled after its own event, in order: whether one is refused is decided in the state
 * it meets, not in the one it was sent from.
 */
function oneByOne(handle: (event: SupervisorEvent) => void): (event: SupervisorEvent) => void {
  const later = createFifo<SupervisorEvent>();
  let isBusy = false;
  return (event) => {
    if (isBusy) return later.push(event);
    isBusy = true;
    try {
      for (let next: SupervisorEvent | undefined = event; next; next = later.shift()) handle(next);
    } finally {
      isBusy = false;
    }
  };
}

type Effects = Record<SupervisorAction, (args: { readonly event: SupervisorEvent }) => void>;

/** What each event carries beyond its type is checked by the types of those who send it. */
function createEffects(context: () => HostContext, stop: (failure: Failure | undefined) => void): Effects {
  let grace: { readonly timer: Timer; readonly until: number } | undefined;
  const startGrace = ({ clock, tell }: HostContext, graceMs: number): void => {
    const timer = clock.setTimer(graceMs, () => tell({ type: 'GRACE_OVER' }));
    grace = { timer, until: clock.stopwatch() + graceMs };
  };
  const on = guard(context);
  return {
    prepareThread: on('SPAWN', (host, { order }) => spawnThread(host, order as SpawnOrder)),
    admitThread: on('PREPARED', (host, { order }) => admitThread(host, order as AdmissionOrder)),
    queueThread: on('ADMITTED', (host, { thread }) => queueThread(host, host.table.get(thread))),
    keepThread: on('ADMITTED', (host, { thread }) => keepThread(host, host.table.get(thread))),
    assignThreads: on('SLOT_FREE', (host) => assignThreads(host)),
    yieldSlot: on('WAITING', (host, { thread }) => yieldSlot(host, host.table.get(thread))),
    endThread: on('ENDED', (host, { thread, ending }) => {
      endThread(host, host.table.get(thread), ending as Ending);
      reportEmpty(host);
    }),
    continueThread: on('CONTINUED', (host, { thread, ...continuation }) =>
      continueThread(host, host.table.get(thread), continuation as Continuation),
    ),
    keepSuccessor: on('CONTINUED', (host, { thread, ...continuation }) => {
      keepSuccessor(host, host.table.get(thread), continuation as Continuation);
      reportEmpty(host);
    }),
    suspendThread: on('SUSPENDED', (host, { thread, reason, cost }) => {
      const entry = host.table.get(thread);
      if (entry) entry.lastCost = (cost as Cost | undefined) ?? entry.lastCost;
      suspendThread(host, entry, reason as SuspendReason);
      reportEmpty(host);
    }),
    resumeThread: on('RESUME', (host, { order }) => resumeThread(host, order as ResumeOrder)),
    cancelTree: on('CANCEL', (host, { thread, reason, whole }) => {
      const entry = host.table.get(thread);
      if (whole) killTree(host, entry, { reason, ...whole });
      else cancelTree(host, entry, reason);
    }),
    refuseQueued: on('DRAIN', (host, { graceMs }) => {
      closeLine(host);
      startGrace(host, graceMs);
      host.recovery?.stop();
      reportEmpty(host);
    }),
    // Whoever closes for the second time may be in a hurry; nobody gets more time than was promised first.
    shortenGrace: on('DRAIN', (host, { graceMs }) => {
      if (grace && host.clock.stopwatch() + graceMs >= grace.until) return;
      if (grace) host.clock.clearTimer(grace.timer);
      startGrace(host, graceMs);
    }),
    suspendRest: on('GRACE_OVER', suspendRest),
    stop: ({ event }) => {
      if (grace) context().clock.clearTimer(grace.timer);
      stop(event.type === 'FAILED' ? (event.problem as Failure) : undefined);
    },
  };
}

/** Makes an action of the chart of what is done with the host on an event. */
function guard(context: () => HostContext) {
  return <Type extends SupervisorEvent['type']>(
    _type: Type,
    effect: (host: HostContext, event: Extract<SupervisorEvent, { type: Type }>) => void,
  ): Effects[SupervisorAction] =>
    ({ event }) => {
      const host = context();
      try {
        // The chart runs an action on its own event alone.
        effect(host, event as Extract<SupervisorEvent, { type: Type }>);
      } catch (thrown) {
        // One event's mistake must not stop the supervisor of all the others.
        host.problem(toFailure(thrown));
      }
    };
}

function suspendRest(host: HostContext): void {
  suspendAway(host);
  for (const entry of host.table.live()) {
    if (entry.worker >= 0) whenBack(host, entry, () => stopNow(host, entry));
  }
  host.lastHooks.giveUp();
  host.crew.hurry();
  reportEmpty(host);
}

/** One that a person has asked to stop stays so: the next runtime leaves it alone. */
function stopNow({ gateway }: HostContext, entry: ThreadEntry): void {
  const { worker, lineage } = entry;
  const reason = (entry.suspendAsked ??= 'shutdown');
  gateway.send(worker, { type: 'suspend', thread: lineage.thread, reason, now: true });
}

type Order = Extract<SupervisorEvent, { type: 'SPAWN' | 'PREPARED' | 'RESUME' }>;

function asksForAnswer(event: SupervisorEvent): event is Order {
  return event.type === 'SPAWN' || event.type === 'PREPARED' || event.type === 'RESUME';
}

/** Whoever waits for an answer gets one, also from a runtime that closes. */
function refuse(event: Order, state: string): void {
  const order = event.order as SpawnOrder | AdmissionOrder | ResumeOrder;
  // What is on disk counts, in whichever runtime the thread goes on.
  if ('entry' in order && order.isReady) return order.done(ok(order.entry));
  order.done(failed({ code: 'runtime_closed', message: `The runtime is ${state}: it takes no more threads` }));
}
