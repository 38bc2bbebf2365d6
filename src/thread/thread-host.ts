import { createActor, fromTransition, type ActorRefFrom, type AnyActorScope } from 'xstate';
import { SkeinError, toFailure, type Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import type { ThreadSpec, WorkerCommand } from '../core/protocol.ts';
import { failed, ok, type Result } from '../core/result.ts';
import { compileMachine } from '../../machines/compile.ts';
import { threadMachine } from '../../machines/thread.machine.ts';
import { cancelThreads } from './cancel-threads.ts';
import { createThreadActions } from './effects.ts';
import { prepareChild } from './prepare-child.ts';
import { prepareSpec } from './prepare-spec.ts';
import { restoreThread } from './restore-thread.ts';
import type { Services } from './services.ts';
import { sendToThread, tellThread, type ThreadInState } from './tell-thread.ts';
import { createThread, type Thread } from './thread.ts';
import { createToolWaits, type ToolWaits } from './tool-waits.ts';

/**
 * The threads of one worker.
 *
 * Owns: the map from thread number to its actor. Doesn't own: slots, budgets, queues; the host and the store do.
 *
 * Invariants:
 * 1. Actors live in this map, never in another snapshot: creating and ending one costs the same at any number.
 * 2. Their parent is plain logic, so that one that throws harms no other.
 * 3. A thread leaves the map only after its ending or suspension is on disk.
 */
export interface ThreadHost {
  receive(command: WorkerCommand): void;
  get(thread: ThreadNo): Thread | undefined;
  /** The state the machine is in, as `running.calling`. */
  stateOf(thread: ThreadNo): string | undefined;
  /** Number of threads by state. */
  states(): Record<string, number>;
  size(): number;
}

type ThreadActor = ActorRefFrom<typeof threadMachine>;
type Entry = { readonly thread: Thread; readonly actor: ThreadActor };

/** Services whose `forget` the thread host itself provides. */
export type ThreadHostServices = Omit<Services, 'forget'>;

/** Creates the thread host of a worker. */
export function createThreadHost(given: ThreadHostServices): ThreadHost {
  const entries = new Map<ThreadNo, Entry>();
  const parent = createActor(fromTransition(dropChild, undefined)).start();
  const services: Services = {
    ...given,
    forget(thread) {
      const entry = entries.get(thread.lineage.thread);
      if (entry?.thread !== thread) return;
      entries.delete(thread.lineage.thread);
      services.journal.forget(thread.lineage.thread);
      if (entry.actor.getSnapshot().status === 'active') parent.send({ type: 'drop', child: entry.actor });
    },
  };
  const machine = compileMachine(threadMachine.provide({ actions: createThreadActions(services) }));

  const add = (thread: Thread, state: 'created' | 'suspended'): ThreadActor => {
    const { threadId } = thread.lineage;
    const context = { threadId, work: thread };
    const snapshot = state === 'suspended' ? machine.resolveState({ value: 'suspended', context }) : undefined;
    const actor = createActor(machine, { id: threadId, input: context, parent, ...(snapshot && { snapshot }) });
    thread.send = (event) => actor.send(event);
    entries.set(thread.lineage.thread, { thread, actor });
    return actor.start();
  };

  const hosting: Hosting = { entries, ...createArrivals(services), services, add };
  return {
    receive: (command) => receive(command, hosting),
    get: (no) => entries.get(no)?.thread,
    stateOf: (no) => stateName(entries.get(no)?.actor.getSnapshot().value),
    states() {
      const counts: Record<string, number> = {};
      for (const { actor } of entries.values()) {
        const state = stateName(actor.getSnapshot().value) ?? 'unknown';
        counts[state] = (counts[state] ?? 0) + 1;
      }
      return counts;
    },
    size: () => entries.size,
  };
}

type Hosting = {
  readonly entries: ReadonlyMap<ThreadNo, Entry>;
  /** Threads that are being read back, or wait for their tools, with the commands that came for them meanwhile. */
  readonly arriving: Map<ThreadNo, WorkerCommand[]>;
  readonly toolWaits: ToolWaits;
  readonly services: Services;
  readonly add: (thread: Thread, state: 'created' | 'suspended') => ThreadActor;
};

function receive(command: WorkerCommand, hosting: Hosting): void {
  const { entries, services } = hosting;
  switch (command.type) {
    case 'prepare':
      return prepareForHost(command, hosting);
    case 'start':
      return start(command, hosting);
    case 'resume':
      return resume(command, hosting);
    case 'cancel':
      for (const thread of command.threads) hosting.arriving.get(thread)?.push({ ...command, threads: [thread] });
      cancelThreads(command.threads, { threads: entries, reason: command.reason });
      for (const thread of command.threads) hosting.toolWaits.hurry(thread);
      return;
    case 'answer':
      return services.host.answer(command.ref, 'failure' in command ? failed(command.failure) : ok(command.value));
    case 'watch':
      return services.journal.watch(command.threads, command.on);
    case 'backOff':
      return services.gates.learn(command);
    case 'send':
      return hear(command, hosting);
    case 'suspend':
    case 'childStarted':
    case 'childEnded':
    case 'joined': {
      hosting.arriving.get(command.thread)?.push(command);
      const told = inState(command.thread, hosting);
      if (told) tellThread(told, command);
      else if (command.type === 'suspend') hosting.toolWaits.hurry(command.thread);
      return;
    }
  }
}

/** A message is answered once: with whether the thread has it. */
function hear(command: Extract<WorkerCommand, { type: 'send' }>, hosting: Hosting): void {
  const { thread, ref, text } = command;
  const missed = hosting.arriving.get(thread);
  if (missed) return void missed.push(command);
  const told = inState(thread, hosting);
  const failure = told ? sendToThread(told, text) : notHere(thread);
  hosting.services.report({ type: 'heard', ref, failure });
}

/** Suspended, ended, or not to be read back: the host knows which. */
function notHere(thread: ThreadNo): Failure {
  return { code: 'invalid_argument', message: `Thread ${thread} is in this worker no more` };
}

function inState(no: ThreadNo, { entries, services }: Hosting): ThreadInState | undefined {
  const entry = entries.get(no);
  return entry && { thread: entry.thread, services, state: stateName(entry.actor.getSnapshot().value) };
}

/**
 * Reads a thread back and goes on with it; what is said to it meanwhile is said again when it is there. One that is told
 * to suspend meanwhile takes no step: it only writes down what it was resumed with.
 */
function resume(command: Extract<WorkerCommand, { type: 'resume' }>, hosting: Hosting): void {
  const { arriving, add } = hosting;
  const { thread: no } = command.lineage;
  const missed: WorkerCommand[] = [];
  arriving.set(no, missed);
  restoreThread(command, hosting, (thread) => {
    arriving.delete(no);
    const stop = missed.find((command) => command.type === 'suspend');
    if (thread && stop) thread.suspendRequest = { reason: stop.reason, message: undefined };
    if (thread && thread.messages.length > 0) {
      add(thread, 'suspended').send({ type: 'RESUME', message: command.message });
    } else if (thread) {
      // It was stopped before its first message: it starts from the beginning.
      if (command.message !== undefined) thread.inbox.push(command.message);
      add(thread, 'created').send({ type: 'START' });
    }
    for (const later of missed) receive(later, hosting);
  });
}

function createArrivals({ mcp }: Pick<Services, 'mcp'>): Pick<Hosting, 'arriving' | 'toolWaits'> {
  const arriving: Hosting['arriving'] = new Map();
  const isStopping = (no: ThreadNo): boolean => arriving.get(no)?.some(isStop) ?? false;
  return { arriving, toolWaits: createToolWaits({ mcp, isStopping }) };
}

function isStop({ type }: WorkerCommand): boolean {
  return type === 'cancel' || type === 'suspend';
}

type Start = Extract<WorkerCommand, { type: 'start' }>;

/** Starts a thread once it is known which tools it has; what is said to it meanwhile is said again then. */
function start(command: Start, hosting: Hosting): void {
  const { arriving, toolWaits } = hosting;
  const { lineage, spec } = command;
  const missed: WorkerCommand[] = [];
  arriving.set(lineage.thread, missed);
  toolWaits.before(lineage.thread, spec.capabilities, () => {
    arriving.delete(lineage.thread);
    startThread(command, hosting);
    for (const later of missed) receive(later, hosting);
  });
}

/** A directive that was readable when the thread was admitted may be gone by now: the thread then ends with that error. */
function startThread({ lineage, spec }: Start, { services, add }: Hosting): void {
  try {
    const plan = services.plans.planFor(spec);
    add(createThread({ lineage, spec, plan, now: services.clock.now() }), 'created').send({ type: 'START' });
  } catch (thrown) {
    services.report({ type: 'startFailed', thread: lineage.thread, failure: toFailure(thrown) });
  }
}

function prepareForHost(command: Extract<WorkerCommand, { type: 'prepare' }>, hosting: Hosting): void {
  const { entries, services } = hosting;
  const { ref, request } = command;
  const missed = request.parent === undefined ? undefined : hosting.arriving.get(request.parent);
  if (missed) return void missed.push(command);
  const answer = (prepared: Result<ThreadSpec>): void => {
    if (prepared.ok) services.report({ type: 'prepared', ref, spec: prepared.value });
    else services.report({ type: 'refused', ref, failure: prepared.failure });
  };
  try {
    if (request.parent === undefined) return answer(ok(prepareSpec(request, services)));
    const thread = entries.get(request.parent)?.thread;
    if (!thread) throw new SkeinError('thread_ended', 'The parent is not running any more');
    prepareChild({ thread, services }, request, answer);
  } catch (thrown) {
    answer(failed(toFailure(thrown)));
  }
}

type ParentEvent = { readonly type: 'drop'; readonly child: ThreadActor } | { readonly type: string };

/** The parent of all thread actors: forgets what it hears, and stops a suspended child when told to. */
function dropChild(state: undefined, event: ParentEvent, scope: AnyActorScope): undefined {
  if (event.type === 'drop' && 'child' in event) scope.stopChild(event.child);
  return state;
}

function stateName(value: unknown): string | undefined {
  if (typeof value === 'string' || value === undefined) return value;
  return Object.entries(value as Record<string, unknown>)
    .map(([outer, inner]) => `${outer}.${stateName(inner) ?? ''}`)
    .join(',');
}
