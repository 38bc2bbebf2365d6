import type { Context } from '@opentelemetry/api';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Ending } from '../core/ending.ts';
import type { Failure } from '../core/errors.ts';
import type { ThreadId, ThreadNo } from '../core/ids.ts';
import type { NumberedMap } from '../core/paged-map.ts';
import type { Result } from '../core/result.ts';
import type { StoreReader } from '../core/store.ts';
import type { StoreClient } from '../core/store-client.ts';
import type { PackedSpec, SpawnRequest, ThreadSpec, WorkerCommand } from '../core/protocol.ts';
import type { SupervisorEvent } from '../../machines/supervisor.machine.ts';
import type { Absences } from './workers/absences.ts';
import type { ApprovalNews } from './approvals/approval-news.ts';
import type { Crew } from './workers/crew.ts';
import type { EventFeed } from './handle/event-feed.ts';
import type { Gateway } from './workers/gateway.ts';
import type { Inspection } from './inspection/inspection.ts';
import type { LastHooks } from './endings/last-hooks.ts';
import type { RecentEndings } from './endings/recent-endings.ts';
import type { Slots } from './admission/slots.ts';
import type { SpawnLine } from './admission/spawn-line.ts';
import type { SuspectLine } from './workers/suspect-line.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { Recovery } from './rest/recovery.ts';
import type { ThreadEntry, ThreadTable } from './rest/thread-table.ts';

/** What the host's parts share; one per runtime. */
export type HostContext = {
  /** The one in force: another one after a reload. */
  readonly config: Config;
  readonly clock: Clock;
  readonly newThreadId: () => ThreadId;
  /** Next unused thread number. */
  readonly nextThread: () => ThreadNo;
  readonly table: ThreadTable;
  readonly slots: Slots;
  readonly spawnLine: SpawnLine;
  readonly gateway: Gateway;
  readonly store: StoreClient;
  readonly reader: StoreReader;
  readonly feed: EventFeed;
  /** Who looks into machines; undefined if nobody may. */
  readonly inspection?: Pick<Inspection, 'placed' | 'heard' | 'lost'> | undefined;
  /** Who hears of requests for approval. */
  readonly approvals: ApprovalNews;
  /** Threads in each worker, by its number; 0 for one that is gone. */
  readonly load: number[];
  readonly crew: Crew;
  /** Those that wait for a worker of their own. */
  readonly suspects: SuspectLine;
  /** Ended threads that are still in the table. */
  readonly endings: RecentEndings;
  readonly questions: WorkerQuestions<PackedSpec>;
  readonly messages: WorkerQuestions<undefined>;
  /**
   * Threads whose rows are being written without a worker, one write at a time; one that may have children with the endings
   * of those that came since its row was read.
   */
  readonly parking: Map<ThreadEntry, Map<ThreadId, Ending> | undefined>;
  /** Cancellations of which slices are left. */
  readonly cancelling: Set<object>;
  /** Threads that wait for others, in a worker or in none. */
  readonly absences: Absences;
  /** What ended threads have left in their workers. */
  readonly lastHooks: LastHooks;
  /** Callers whose answer waits for the store, by their threads; the runtime's end answers them if the store does not. */
  readonly awaitingStore: NumberedMap<(answer: Result<ThreadEntry>) => void>;
  /** Goes on with what earlier runtimes have left; comes when all else is there. */
  recovery?: Pick<Recovery, 'isAhead' | 'missed' | 'stop'>;
  /** Tells OpenTelemetry of what happens, if that is asked for; begins when all else is there. */
  telemetry?: Telemetry | undefined;
  /** Tells the supervisor's machine. */
  readonly tell: (event: SupervisorEvent) => void;
  readonly problem: (failure: Failure) => void;
};

/** What the host asks of workers: to prepare a thread, to hand over a message. Each is answered once. */
export type WorkerQuestions<Answer> = {
  /** `command` makes the question with the number it got. */
  readonly ask: (
    worker: number,
    command: (ref: number) => WorkerCommand,
    done: (answer: Result<Answer>) => void,
  ) => void;
  readonly answer: (ref: number, answer: Result<Answer>) => void;
  /** Fails what is open with a worker that is gone. */
  readonly lost: (worker: number, failure: Failure) => void;
  /** Fails what is open, and what is asked from now on. */
  readonly close: (failure: Failure) => void;
};

/** A thread that is prepared and to be admitted, whoever asked for it, and who hears of it. */
export type AdmissionOrder = {
  readonly spec: PackedSpec;
  /** It begins with what is stored of another thread. */
  readonly isFork?: boolean;
  readonly parent: ThreadEntry | undefined;
  readonly done: (answer: Result<ThreadEntry>) => void;
  /** Where it was asked for, if somebody traces that. */
  readonly caller?: Context | undefined;
  /** The ended thread that it goes on with; what it is told is in its spec. */
  readonly resumes?: Pick<ThreadEntry, 'lineage'>;
};

/** A thread the embedder asks for, not prepared yet: a root, or a child of a running thread. */
export type SpawnOrder = {
  readonly request: SpawnRequest;
  readonly parent: ThreadEntry | undefined;
  readonly done: (answer: Result<ThreadEntry>) => void;
  readonly caller?: AdmissionOrder['caller'];
  /** What a fork has beside what was prepared. Must not throw. */
  readonly finish?: (prepared: ThreadSpec) => ThreadSpec;
};
