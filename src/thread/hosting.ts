import type { ActorRefFrom } from 'xstate';
import type { ThreadNo } from '../core/ids.ts';
import type { NumberedMap } from '../core/paged-map.ts';
import type { WorkerCommand } from '../core/protocol.ts';
import type { threadMachine } from '../../machines/thread.machine.ts';
import type { ServiceVersions, Version } from './services/service-versions.ts';
import type { Thread } from './thread.ts';
import type { CancelThreads } from './tools/cancel-threads.ts';

/** The actor of a thread. */
export type ThreadActor = ActorRefFrom<typeof threadMachine>;

/** A thread that is in its worker. */
export type Entry = { readonly thread: Thread; readonly actor: ThreadActor; readonly version: Version };

/** What a thread comes in as, and the state of its machine then; undefined = the first one. */
export const entryState = {
  created: undefined,
  suspended: 'suspended',
  waiting: { running: 'waitingForChildren' },
} as const;

/** A thread on its way in, with the version it will have and the commands that came for it meanwhile. */
export type Arrival = { readonly version: Version; readonly missed: WorkerCommand[] };

/** What the commands of a host are carried out on. */
export type Hosting = {
  readonly entries: Pick<NumberedMap<Entry>, 'get'>;
  /** Threads that are being read back, or wait for their tools. */
  readonly arriving: Map<ThreadNo, Arrival>;
  readonly add: (thread: Thread, state: keyof typeof entryState, version: Version) => ThreadActor;
  readonly versions: ServiceVersions;
  readonly cancelThreads: CancelThreads;
};
