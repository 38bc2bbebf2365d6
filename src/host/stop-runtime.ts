import { toFailure, type Failure } from '../core/errors.ts';
import { failed } from '../core/result.ts';
import type { ControlClient } from './workers/control-client.ts';
import type { ControlSocket } from './control-socket/control-socket.ts';
import { stoppedBefore } from './handle/refuse-stopped.ts';
import type { HostContext } from './host-context.ts';
import type { Inspection } from './inspection/inspection.ts';
import type { ThreadEntry } from './rest/thread-table.ts';
import type { StoreLink } from './store-link.ts';
import type { QuestionHandler } from './workers/questions.ts';
import type { SymbolQuestions } from './workers/symbol-questions.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** What is stopped. */
export type StoppableParts = {
  readonly host: Pick<
    HostContext,
    | 'gateway'
    | 'store'
    | 'feed'
    | 'reader'
    | 'table'
    | 'endings'
    | 'absences'
    | 'suspects'
    | 'questions'
    | 'messages'
    | 'awaitingStore'
    | 'telemetry'
    | 'problem'
  >;
  readonly controls: readonly Pick<ControlClient, 'close'>[];
  readonly store: Pick<StoreLink, 'close'>;
  readonly pool: Pick<WorkerPool, 'close'>;
  readonly symbols: Pick<SymbolQuestions, 'close'>;
  readonly threadQuestions: Pick<QuestionHandler, 'close'>;
  readonly socket: Pick<ControlSocket, 'close'> | undefined;
  readonly inspection?: Pick<Inspection, 'close'> | undefined;
};

/**
 * Stops the parts once, in order: workers say their last, the store commits it, and whoever waits is answered while the
 * database can still be read. The function it returns never rejects: a part that does not stop is a problem, and keeps
 * no other from stopping.
 */
export function stopOnce(
  parts: StoppableParts,
  markStopped: () => void,
): (failure: Failure | undefined) => Promise<void> {
  let stopping: Promise<void> | undefined;
  return (failure) => (stopping ??= stopParts(parts, markStopped, failure));
}

async function stopParts(
  { host, controls, store, pool, symbols, threadQuestions, socket, inspection }: StoppableParts,
  markStopped: () => void,
  failure: Failure | undefined,
): Promise<void> {
  const attempt = async (step: () => unknown): Promise<void> => {
    try {
      await step();
    } catch (thrown) {
      host.problem(toFailure(thrown));
    }
  };
  if (failure) host.problem(failure);
  await attempt(() => host.gateway.close());
  for (const control of controls) await attempt(() => control.close(CLOSED));
  await attempt(() => pool.close());
  await attempt(() => threadQuestions.close());
  await attempt(() => symbols.close());
  await attempt(() => host.store.close());
  await attempt(() => host.telemetry?.close());
  await attempt(() => inspection?.close());
  // Before the events end: whoever listens to others' then would never hear that those are over.
  markStopped();
  await attempt(() => host.feed.close());
  host.endings.close();
  host.absences.close();
  host.suspects.close();
  const answers = [...openAnswers(host), ...openWaits(host)];
  for (const answer of answers) await attempt(answer);
  // Whoever waits at the other end has been answered.
  await attempt(() => socket?.close());
  // The last connection to close takes the log file along: it must be the writer.
  await attempt(() => host.reader.close());
  await attempt(() => store.close());
}

const CLOSED = stoppedBefore('it could answer');

/** Calls that wait for a worker or the store get no other answer any more. */
function openAnswers({ questions, messages, awaitingStore }: StoppableParts['host']): (() => void)[] {
  const waiting = [...awaitingStore.values()];
  awaitingStore.clear();
  return [
    () => questions.close(CLOSED),
    () => messages.close(CLOSED),
    ...waiting.map((done) => () => done(failed(CLOSED))),
  ];
}

/**
 * Threads that a failure has left where they were hear no answer any more, and their waits have deadlines. Whoever else waits looks
 * at how things stand when he is woken, and some wait again.
 */
function openWaits({ table }: StoppableParts['host']): (() => void)[] {
  const given: (() => void)[] = [];
  const woken: (() => void)[] = [];
  for (const entry of table.live()) {
    for (const wait of entry.openWaits ?? []) given.push(() => wait.giveUp());
    given.push(...takeKept(entry));
    woken.push(...(entry.waiters ?? []));
    entry.waiters = undefined;
  }
  return [...given, ...woken];
}

/** What was to be said to a thread once it is clear where it is: no worker says so any more. */
function takeKept(entry: ThreadEntry): readonly (() => void)[] {
  if (entry.absence?.kind !== 'leaving') return [];
  const { kept } = entry.absence;
  entry.absence = undefined;
  return kept;
}
