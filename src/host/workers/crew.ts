import type { Clock } from '../../core/clock.ts';
import { SkeinError, toFailure, type Failure } from '../../core/errors.ts';
import { THREAD } from '../../core/vitals.ts';
import { createControlClient, type ControlClient } from './control-client.ts';
import type { OpenGateway } from './gateway.ts';
import type { Heartbeat, Stillness } from './heartbeat.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import type { Briefing, WorkerLink, WorkerPool } from './worker-pool.ts';

/** Threads of which one may have killed its worker, and the worker that they have for themselves; undefined = none yet. */
export type Apart = { worker: number | undefined };

/** A worker that is gone without having been told to. */
export type WorkerLoss = {
  readonly worker: number;
  readonly failure: Failure;
  /** It had come so far that it could take threads. */
  readonly wasUp: boolean;
  /** Its threads were there because one of them was suspected already. */
  readonly wasApart: boolean;
  /** It stood still for longer than it may while a runtime closes. */
  readonly wasHurried: boolean;
  /** The thread it had turned to last, cut to 32 bits; 0 = none. */
  readonly suspect: number;
};

/**
 * The workers that a host has now.
 *
 * Owns: which workers there are, which of them take any thread, their control surfaces. Doesn't own: their threads; the table
 * knows in which worker each one is.
 *
 * Invariants:
 * 1. As many workers take any thread as the runtime began with: one that is lost is replaced at once, and what is sent to
 *    the new one waits until it is up.
 * 2. A worker whose threads are apart takes no others, and ends when the last of them has left.
 * 3. A number never comes back: what a lost worker has asked or was told is never taken for another one's.
 */
export interface Crew {
  /** The worker with the fewest threads of those that take any. */
  next(): number;
  /** Whether threads that are apart have their worker already. */
  hasWorkerFor(apart: Apart): boolean;
  /** How many workers are for threads that are apart. */
  countApart(): number;
  /** The worker for a thread that is to start, or to go on. @throws whatever keeps one of its own from starting; the runtime stops */
  placeFor(entry: ThreadEntry): number;
  /** A thread, or the last hook of one, has left a worker. */
  left(worker: number): void;
  /** The time that was given to what runs is over: a worker that stands still is ended soon. */
  hurry(): void;
}

/** A crew as whoever runs it knows it. */
export interface RunningCrew extends Crew {
  /** All workers by their numbers, as they are now. */
  readonly members: ReadonlyMap<number, { readonly control: ControlClient }>;
  /** The control surfaces of all workers; the list changes with them. */
  readonly controls: readonly ControlClient[];
  /** The port of a worker is closed. */
  gone(worker: number): void;
  /** Workers that end from now on are nobody's concern. */
  close(): void;
}

/** What a crew is made from. */
export type CrewOptions = {
  readonly pool: WorkerPool;
  readonly gateway: OpenGateway;
  readonly heartbeat: Heartbeat;
  readonly clock: Clock;
  /** Threads in each worker, by number. */
  readonly load: number[];
  /** What else keeps a worker from being empty. */
  readonly isBusy: (worker: number) => boolean;
  /** What a worker is started with in place of what the first ones were, and what it is told at once. */
  readonly briefing: () => Briefing;
  readonly greet: (worker: number) => void;
  readonly lost: (loss: WorkerLoss) => void;
  /** A worker has ended in good order: what it was asked since its last thread left it is answered by nobody. */
  readonly ended: (worker: number) => void;
  /** A worker less is for threads that are apart. */
  readonly freed: () => void;
  /** A worker has ended by itself, for a reason that another one would have, too, or one that is needed can't be started. */
  readonly failed: (failure: Failure) => void;
};

type Member = {
  readonly link: WorkerLink;
  readonly control: ControlClient;
  readonly isOpen: boolean;
  readonly gone: PromiseWithResolvers<void>;
  isUp: boolean;
  /** Why it was ended. */
  stopped: Stillness | undefined;
};

/** Makes the crew of a pool's workers. */
export function createCrew(options: CrewOptions): RunningCrew {
  const { pool, gateway, heartbeat, load } = options;
  const members = new Map<number, Member>();
  const controls: ControlClient[] = [];
  let isClosed = false;

  const join = (link: WorkerLink, isOpen: boolean): void => {
    const member = newMember(link, isOpen, options);
    members.set(link.number, member);
    controls.push(member.control);
    load[link.number] = 0;
    seeOff(member).catch((thrown: unknown) => fail(options, thrown));
  };
  const launch = (isOpen: boolean): number => {
    const link = pool.start(options.briefing());
    gateway.add(link.number, link.port);
    join(link, isOpen);
    options.greet(link.number);
    return link.number;
  };
  const remove = ({ link, control, isOpen }: Member): boolean => {
    if (isClosed || !members.delete(link.number)) return false;
    controls.splice(controls.indexOf(control), 1);
    control.close({ code: 'worker_lost', message: `Worker ${link.number} has ended` });
    gateway.drop(link.number);
    if (!isOpen) options.freed();
    return true;
  };
  /** Once nothing of it is on its way any more, neither to the host nor to the store. */
  const seeOff = async (member: Member): Promise<void> => {
    const failure = await member.link.over;
    if (failure && failure.code !== 'worker_lost' && members.has(member.link.number)) return options.failed(failure);
    await Promise.all([member.gone.promise, member.link.leftStore]);
    if (!remove(member)) return;
    if (member.isOpen) launch(true);
    // What is left of it: one that was told to end has not quite ended yet.
    await member.link.end();
    options.lost(lossOf(member, failure));
  };

  for (const link of pool.links) join(link, true);
  return {
    members,
    controls,
    next: () => leastLoaded(members, load),
    hasWorkerFor: (apart) => workerOf(apart, members) !== undefined,
    countApart: () => countApart(members),
    placeFor({ apart }) {
      if (!apart) return leastLoaded(members, load);
      return (apart.worker = workerOf(apart, members) ?? orFail(options, () => launch(false)));
    },
    left(worker) {
      const member = members.get(worker);
      if (!member || member.isOpen || load[worker] !== 0 || options.isBusy(worker)) return;
      // Its port is closed with that: it ends in good order.
      if (remove(member)) void endInGoodOrder(member.link, options);
    },
    hurry: () => heartbeat.hurry(),
    gone: (worker) => members.get(worker)?.gone.resolve(),
    close() {
      isClosed = true;
      heartbeat.close();
    },
  };
}

/** Threads would wait for good for a worker that the system has no thread for. */
function fail({ failed }: CrewOptions, thrown: unknown): void {
  failed(toFailure(thrown, 'worker_lost'));
}

function orFail<Value>(options: CrewOptions, start: () => Value): Value {
  try {
    return start();
  } catch (thrown) {
    fail(options, thrown);
    throw thrown;
  }
}

async function endInGoodOrder(link: WorkerLink, { ended }: CrewOptions): Promise<void> {
  await link.over;
  try {
    ended(link.number);
  } finally {
    await link.end();
  }
}

function newMember(link: WorkerLink, isOpen: boolean, { clock, heartbeat }: CrewOptions): Member {
  const control = createControlClient(link.control, clock);
  const gone = Promise.withResolvers<void>();
  const member: Member = { link, control, isOpen, gone, isUp: false, stopped: undefined };
  heartbeat.watch(link.vitals, (stillness) => {
    member.stopped = stillness;
    void link.end();
  });
  // Until then, also when its last thread has left it: what a tool left behind there may loop.
  void link.over.then(() => heartbeat.leave(link.vitals));
  // Why it does not come up is what it is over for.
  void link.ready.then(
    () => (member.isUp = true),
    () => undefined,
  );
  return member;
}

function workerOf({ worker }: Apart, members: ReadonlyMap<number, Member>): number | undefined {
  return worker !== undefined && members.has(worker) ? worker : undefined;
}

function countApart(members: ReadonlyMap<number, Member>): number {
  let count = 0;
  for (const { isOpen } of members.values()) if (!isOpen) count++;
  return count;
}

/** Of the workers that take any thread. */
function leastLoaded(members: ReadonlyMap<number, Member>, load: readonly number[]): number {
  let best: number | undefined;
  for (const [worker, { isOpen }] of members) {
    if (isOpen && (best === undefined || (load[worker] ?? 0) < (load[best] ?? 0))) best = worker;
  }
  if (best === undefined) throw new SkeinError('internal', 'A runtime without workers');
  return best;
}

function lossOf({ link, isUp, isOpen, stopped }: Member, failure: Failure | undefined): WorkerLoss {
  const worker = link.number;
  const reason = stopped === undefined ? failure?.message : `Worker ${worker} was ended: ${stopped.message}`;
  const suspect = link.vitals[THREAD] ?? 0;
  const message = reason ?? `Worker ${worker} has ended`;
  const wasHurried = stopped?.isHurried ?? false;
  return { worker, failure: { code: 'worker_lost', message }, wasUp: isUp, wasApart: !isOpen, wasHurried, suspect };
}
