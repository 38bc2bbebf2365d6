import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { OperationInput, OperationName } from '../core/operations.ts';
import { lockHolder } from '../store/lock.ts';
import { openReader } from '../store/reader.ts';
import { createApprovalDesk } from './approval-desk.ts';
import { createApprovals, type Approvals } from './approvals.ts';
import { connectControlSocket, type ControlSocketClient } from './control-socket-client.ts';
import { createOperations } from './operations/dispatcher.ts';
import { createOrchestrator, type Orchestrator } from './operations/orchestrator.ts';
import { restingThreads } from './operations/resting-threads.ts';
import { loadRuntimeConfig, type StartOptions } from './runtime-config.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** Settings of `connectProject`; they mean what they mean for a runtime. */
export type ProjectOptions = Pick<RuntimeOptions, 'project' | 'userSpace' | 'env'>;

/** A project's threads, reached from outside of its runtime. */
export interface ProjectConnection extends Disposable {
  /** Whether a runtime answers; if not, the stored database is read, and changes are refused with `runtime_closed`. */
  readonly isRun: boolean;
  readonly orchestrator: Orchestrator;
  /** What threads ask of people, and the way to answer. */
  readonly approvals: Approvals;
  close(): void;
}

/** Connects to the runtime that holds a project, or opens what is stored of it. */
export async function openProjectConnection(
  options: ProjectOptions & Pick<StartOptions, 'env'>,
): Promise<ProjectConnection> {
  const { projectPath, config } = loadRuntimeConfig(options);
  const folder = join(projectPath, '.ai', 'threads');
  const client = await connectControlSocket({ folder });
  return client ? throughSocket(client, config) : readOnly(folder, config);
}

function throughSocket(client: ControlSocketClient, config: Config): ProjectConnection {
  const orchestrator = createOrchestrator((name, input) =>
    client.call(name, input, { deadlineMs: deadlineOf(name, input, config) }),
  );
  const approvals = createApprovals({ call: (name, input) => client.ask(name, input, { deadlineMs: ENDING_MS }) });
  return { isRun: true, orchestrator, approvals, close: () => client.close(), [Symbol.dispose]: () => client.close() };
}

/** How long an answer that needs no waiting may take. */
const DEADLINE_MS = 30_000;

/** How long threads may take to end: their child policy may have them wait for others. */
const ENDING_MS = 600_000;

/** Longest time that an operation may take by what it was asked, and a bit. */
function deadlineOf(name: OperationName, input: unknown, { resilience }: Config): number {
  if (name === 'cancel_thread' || name === 'kill_thread') return ENDING_MS;
  if (name !== 'wait_threads') return DEADLINE_MS;
  // The orchestrator sends what belongs to the name.
  const { timeout } = input as OperationInput<'wait_threads'>;
  return (timeout ?? resilience.coordination.waitTimeoutSeconds) * 1000 + DEADLINE_MS;
}

function readOnly(folder: string, config: Config): ProjectConnection {
  const reader = openReader(join(folder, 'threads.db'));
  const operations = createOperations(restingThreads({ reader, config, isRun: lockHolder(folder) !== undefined }));
  const orchestrator = createOrchestrator((name, input) => operations.call(name, input));
  const approvals = createApprovals(createApprovalDesk({ reader }));
  return { isRun: false, orchestrator, approvals, close: () => reader.close(), [Symbol.dispose]: () => reader.close() };
}
