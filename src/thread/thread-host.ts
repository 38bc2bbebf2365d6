import { createActor } from 'xstate';
import type { Config } from '../config/config.ts';
import { deepFreeze } from '../config/freeze.ts';
import type { Schedule } from '../core/batched-port.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import { ownPart } from '../core/packed-spec.ts';
import { createNumberedMap } from '../core/paged-map.ts';
import type { PromptPreview } from '../core/prompt-preview.ts';
import type { SpawnRequest, WorkerCommand } from '../core/protocol.ts';
import { failed, ok } from '../core/result.ts';
import { createVitals, THREAD, type Vitals } from '../core/vitals.ts';
import { createActorParent, dropEndedParts, dropObserverSets } from './actor-parent.ts';
import { createCancelThreads } from './tools/cancel-threads.ts';
import { goOnWaiting } from './steps/go-on-waiting.ts';
import { afterChildren } from './steps/held-ending.ts';
import { isStepDue } from './steps/step-end.ts';
import { leaveWorker } from './leave-worker.ts';
import { entryState, type Entry, type Hosting, type ThreadActor } from './hosting.ts';
import { prepareForHost } from './plan/prepare-for-host.ts';
import { previewPrompt } from './plan/preview-prompt.ts';
import { restoreThread } from './conversation/restore-thread.ts';
import { createServiceVersions, type ThreadHostServices, type Version } from './services/service-versions.ts';
import { stateName } from './state-name.ts';
import { sendToThread, tellThread, type ThreadInState } from './tell-thread.ts';
import { createThread, type Thread, type ThreadStart } from './thread.ts';

/**
 * The threads of one worker.
 *
 * Owns: the map from thread number to its actor. Doesn't own: slots, budgets, queues; the host and the store do.
 *
 * Invariants:
 * 1. Actors live in this map, never in another snapshot: creating and ending one costs the same at any number.
 * 2. Their parent is plain logic, so that one that throws harms no other.
 * 3. A thread leaves the map only after its ending or suspension is on disk.
 * 4. A thread keeps the services, and with them the config, that it started with or was read back with; those of an older
 *    config are let go of when nothing of its threads runs any more.
 */
export interface ThreadHost {
  receive(command: WorkerCommand): void;
  /** What a thread would send with its first call. @throws SkeinError for what would keep it from starting */
  preview(request: SpawnRequest): Promise<PromptPreview>;
  get(thread: ThreadNo): Thread | undefined;
  /** The state the machine is in, as `running.calling`. */
  stateOf(thread: ThreadNo): string | undefined;
  /** Number of threads by state. */
  states(): Record<string, number>;
  size(): number;
}

/** What a thread host is run with; its vitals say which thread it has turned to last. */
export type ThreadHostOptions = { readonly schedule: Schedule; readonly vitals?: Vitals };

/** Creates the thread host of a worker. */
export function createThreadHost(
  given: ThreadHostServices,
  { schedule, vitals = createVitals() }: ThreadHostOptions,
): ThreadHost {
  const entries = createNumberedMap<Entry>();
  const arriving: Hosting['arriving'] = new Map();
  const parent = createActorParent();
  const forget = (thread: Thread): void => {
    const { thread: no } = thread.lineage;
    const entry = entries.get(no);
    if (entry?.thread !== thread) return;
    entries.delete(no);
    entry.version.services.journal.forget(no);
    if (entry.actor.getSnapshot().status === 'active') parent.drop(entry.actor);
    given.inspection.left(entry);
  };
  const isStopping = (no: ThreadNo): boolean => arriving.get(no)?.missed.some(isStop) ?? false;

  const versions = createServiceVersions({ given, forget, isStopping });

  const add = (thread: Thread, state: keyof typeof entryState, version: Version): ThreadActor => {
    const { threadId } = thread.lineage;
    const { machine, services } = version;
    const context = { threadId, work: thread };
    const value = entryState[state];
    const snapshot = value && machine.resolveState({ value, context });
    const actor = createActor(machine, {
      id: threadId,
      input: context,
      parent: parent.actor,
      ...(snapshot && { snapshot }),
    });
    dropObserverSets(actor);
    thread.send = (event) => {
      vitals[THREAD] = thread.lineage.thread;
      if (thread.ended) return;
      actor.send(afterChildren(thread, services, event));
      if (thread.ended) dropEndedParts(actor);
    };
    entries.set(thread.lineage.thread, { thread, actor, version });
    given.inspection.entered({ thread, actor });
    return actor.start();
  };

  const cancelThreads = createCancelThreads({ threads: entries, now: given.clock.stopwatch, schedule });
  const hosting: Hosting = { entries, arriving, versions, add, cancelThreads };
  return {
    receive: (command) => receive(command, hosting),
    preview: (request) => previewPrompt(request, versions.latest().services),
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
    size: () => entries.size(),
  };
}

function receive(command: WorkerCommand, hosting: Hosting): void {
  const { entries } = hosting;
  const { services } = hosting.versions.latest();
  switch (command.type) {
    case 'prepare':
      return prepareForHost(command, hosting);
    case 'start':
      return start(command, hosting);
    case 'resume':
      return resume(command, hosting);
    case 'cancel':
      for (const thread of command.threads)
        hosting.arriving.get(thread)?.missed.push({ ...command, threads: [thread] });
      hosting.cancelThreads(command.threads, command.reason);
      for (const thread of command.threads) hurry(thread, hosting);
      return;
    case 'answer':
      if (!services.host.answer(command.ref, 'failure' in command ? failed(command.failure) : ok(command.value)))
        if (command.child) receive(command.child, hosting);
      return;
    case 'watch':
      return services.journal.watch(command.threads, command.on);
    case 'inspect':
      return services.inspection.watch(command, (thread) => entries.get(thread));
    case 'backOff':
      return services.gates.learn(command);
    case 'secret':
      return services.redactor.add([command.value]);
    case 'send':
      return hear(command, hosting);
    case 'leave':
      return leaveWorker(command.thread, { find: (thread) => inState(thread, hosting), report: services.report });
    case 'suspend':
    case 'handOver':
    case 'childStarted':
    case 'childEnded':
    case 'joined': {
      hosting.arriving.get(command.thread)?.missed.push(command);
      const told = inState(command.thread, hosting);
      if (told) tellThread(told, command);
      else if (command.type === 'suspend') hurry(command.thread, hosting);
      return;
    }
    case 'config':
      return adopt(command.config, hosting);
  }
}

/** Threads that start from now on have this config. One that can't be used leaves everything as it is. */
function adopt(config: unknown, hosting: Hosting): void {
  try {
    // Parsed and checked before the host sent it; frozen again, since freezing does not travel.
    hosting.versions.renew(deepFreeze(config as Config));
  } catch (thrown) {
    hosting.versions.latest().services.report({ type: 'problem', failure: toFailure(thrown, 'invalid_config') });
  }
}

function hurry(thread: ThreadNo, { arriving }: Hosting): void {
  arriving.get(thread)?.version.toolWaits.hurry(thread);
}

/** A message is answered once: with whether the thread has it. */
function hear(command: Extract<WorkerCommand, { type: 'send' }>, hosting: Hosting): void {
  const { thread, ref, text } = command;
  const arrival = hosting.arriving.get(thread);
  if (arrival) return void arrival.missed.push(command);
  const told = inState(thread, hosting);
  const failure = told ? sendToThread(told, text) : notHere(thread);
  const answer = (): void => hosting.versions.latest().services.report({ type: 'heard', ref, failure });
  if (!told || failure) return answer();
  // Whoever is told that the thread has it need not say it again, whatever happens to this process.
  told.thread.checkpointDue = true;
  told.services.journal.commit(told.thread, {}, answer);
}

/** Suspended, ended, or not to be read back: the host knows which. */
function notHere(thread: ThreadNo): Failure {
  return { code: 'invalid_argument', message: `Thread ${thread} is in this worker no more` };
}

function inState(no: ThreadNo, { entries }: Hosting): ThreadInState | undefined {
  const entry = entries.get(no);
  if (!entry) return undefined;
  const { thread, version, actor } = entry;
  return { thread, services: version.services, state: stateName(actor.getSnapshot().value) };
}

/** A thread on its way in, and what was said to it meanwhile. */
type OnItsWay = {
  readonly version: Version;
  readonly missed: readonly WorkerCommand[];
  readonly arrived: () => void;
};

/** Notes that a thread is on its way in; the function it returns says that it is there, or that it is not coming. */
function arrive(no: ThreadNo, hosting: Hosting): OnItsWay {
  const version = hosting.versions.hold(no);
  const missed: WorkerCommand[] = [];
  hosting.arriving.set(no, { version, missed });
  return {
    version,
    missed,
    arrived() {
      hosting.arriving.delete(no);
      for (const later of missed) receive(later, hosting);
    },
  };
}

/**
 * Reads a thread back and goes on with it; what is said to it meanwhile is said again when it is there. One that is told
 * to suspend or to hand over meanwhile takes no step.
 */
function resume(command: Extract<WorkerCommand, { type: 'resume' }>, hosting: Hosting): void {
  const { version, missed, arrived } = arrive(command.lineage.thread, hosting);
  const add = (thread: Thread, state: keyof typeof entryState): ThreadActor => {
    hosting.arriving.delete(command.lineage.thread);
    return hosting.add(thread, state, version);
  };
  restoreThread(command, version, (thread) => {
    const { waiting } = command;
    if (thread && waiting) {
      add(thread, 'waiting');
      goOnWaiting({ thread, services: version.services }, waiting);
      return arrived();
    }
    if (thread) heedStop(thread, missed);
    if (thread && (thread.messages.length > 0 || thread.heldEnd)) {
      const calls = thread.toolRun !== undefined;
      add(thread, 'suspended').send({ type: 'RESUME', calls, step: isStepDue(thread) });
    } else if (thread) {
      // It was stopped before its first message, and is to have one: it starts from the beginning.
      add(thread, 'created').send({ type: 'START' });
    } else hosting.versions.letGo(command.lineage.thread, version);
    arrived();
  });
}

/** Takes over that a thread on its way in is to be suspended, or to hand over, so that it takes no step before that. */
function heedStop(thread: Thread, missed: OnItsWay['missed']): void {
  const stop = missed.find((later) => later.type === 'suspend');
  if (stop) thread.suspendRequest = { reason: stop.reason, message: undefined };
  if (missed.some(({ type }) => type === 'handOver')) thread.handOverAsked = true;
}

function isStop({ type }: WorkerCommand): boolean {
  return type === 'cancel' || type === 'suspend';
}

type Start = Extract<WorkerCommand, { type: 'start' }>;

/** As `resume`, for one that begins: once it is known which tools it has. */
function start(command: Start, hosting: Hosting): void {
  const { thread } = command.lineage;
  const onItsWay = arrive(thread, hosting);
  const { version, arrived } = onItsWay;
  const spec = { shared: version.services.specs.read(command.spec.shared), own: ownPart(command.spec) };
  version.toolWaits.before(thread, spec.shared.capabilities, () => {
    hosting.arriving.delete(thread);
    startThread({ lineage: command.lineage, spec }, hosting, onItsWay);
    arrived();
  });
}

/** A directive that was readable when the thread was admitted may be gone by now: the thread then ends with that error. */
function startThread(
  { lineage, spec }: Pick<ThreadStart, 'lineage' | 'spec'>,
  { add, versions }: Hosting,
  { version, missed }: OnItsWay,
): void {
  const { services } = version;
  try {
    const plan = services.plans.planFor(spec.shared);
    const thread = createThread({ lineage, spec, plan, now: services.clock.now() });
    heedStop(thread, missed);
    add(thread, 'created', version).send({ type: 'START' });
  } catch (thrown) {
    services.report({ type: 'startFailed', thread: lineage.thread, failure: toFailure(thrown) });
    versions.letGo(lineage.thread, version);
  }
}
