import type { Failure } from '../../core/errors.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { Slices } from '../../core/slices.ts';
import type { Surroundings } from '../../core/surroundings.ts';
import { createBackOffs } from './back-offs.ts';
import { createCrew, type RunningCrew } from './crew.ts';
import { createGateway, type OpenGateway } from './gateway.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { HostContext } from '../host-context.ts';
import type { QuestionHandler } from './questions.ts';
import { createRegistrations, type Registrations } from './registrations.ts';
import { createReportHandler } from './reports.ts';
import { refuseUnsent } from './unsent.ts';
import { createWorkerLosses } from './worker-loss.ts';
import type { WorkerPool } from './worker-pool.ts';

/** What connects a host with its workers. */
export type HostWorkers = {
  readonly gateway: OpenGateway;
  readonly crew: RunningCrew;
  readonly registrations: Registrations;
};

/** What they are connected with. */
export type WorkerParts = {
  readonly surroundings: Pick<Surroundings, 'schedule'>;
  /** What their reports are handled in. */
  readonly slices: Slices;
  readonly pool: WorkerPool;
  readonly questions: QuestionHandler;
  /** What the host takes secrets out with. */
  readonly secrets: { readonly redactor: Pick<Redactor, 'add'> };
  /** Modules of tools that workers load as they start. */
  readonly toolModules: readonly string[];
};

/** To whoever has asked a worker that had ended by then with the last of its threads, about which it was asked. */
function failQuestions({ questions, messages }: HostContext, worker: number): void {
  const failure: Failure = { code: 'thread_ended', message: 'The thread is not running any more' };
  questions.lost(worker, failure);
  messages.lost(worker, failure);
}

/** Connects a host with the workers of its pool, and with those that take the place of lost ones. */
export function connectWorkers(host: HostContext, parts: WorkerParts): HostWorkers {
  const { surroundings, slices, pool, questions, secrets, toolModules } = parts;
  const backOffs = createBackOffs((command) => gateway.broadcast(command));
  const found = new Set<string>();
  const secretFound = (value: string): void => {
    // Each worker finds those that all of them use.
    if (found.has(value)) return;
    found.add(value);
    secrets.redactor.add([value]);
    gateway.broadcast({ type: 'secret', value });
  };
  const gateway = createGateway({
    ports: pool.links.map(({ port }) => port),
    receive: createReportHandler({ host, questions, backOffs, gone: (worker) => crew.gone(worker), secretFound }),
    slices,
    schedule: surroundings.schedule,
    unsent: (command) => refuseUnsent(host, command),
  });
  const registrations = createRegistrations(() => crew.controls);
  const seconds = (): number => host.config.resilience.coordination.workerHeartbeatSeconds;
  const crew = createCrew({
    pool,
    gateway,
    heartbeat: createHeartbeat({ clock: host.clock, seconds }),
    clock: host.clock,
    load: host.load,
    isBusy: (worker) => host.lastHooks.runIn(worker),
    briefing: () => ({
      config: host.config,
      memoryMb: host.config.resilience.coordination.workerMemoryMb,
      toolModules,
      registered: registrations.all,
    }),
    greet(worker) {
      for (const command of backOffs.known()) gateway.send(worker, command);
      for (const value of found) gateway.send(worker, { type: 'secret', value });
      host.feed.joined(worker);
    },
    freed: () => host.suspects.look(),
    lost: createWorkerLosses(host, questions),
    ended: (worker) => failQuestions(host, worker),
    failed: (problem) => host.tell({ type: 'FAILED', problem }),
  });
  return { gateway, crew, registrations };
}
