import { projectFolder } from '../../config/project-folder.ts';
import { answerOrNone } from '../../core/answer-or-none.ts';
import type { ThreadStatus } from '../../core/ending.ts';
import { nanoToUsd } from '../../core/money.ts';
import { storeOf } from '../../core/store-place.ts';
import { takeCensus, type Census } from '../../store/census.ts';
import { lockHolder } from '../../store/lock.ts';
import type { OrchestratorAnswer } from '../operations/orchestrator.ts';
import { openProjectConnection, type ProjectOptions } from '../control-socket/project-connection.ts';
import type { StartOptions } from '../config/runtime-config.ts';

type View = Extract<OrchestratorAnswer<'view_runtime'>, { readonly success: true }>;

/** How a project stands. */
export type ProjectStatus = {
  /** The runtime that holds it, if one does; one without a control socket, or without an answer, is just there. */
  readonly runtime:
    | ({ readonly pid: number | undefined } & Partial<Pick<View, 'running' | 'queued' | 'workers'>>)
    | undefined;
  /** Threads by status; without a runtime, what one has left running counts as suspended. */
  readonly threads: Readonly<Partial<Record<ThreadStatus, number>>>;
  readonly archived: number;
  /** USD, of all threads that are stored, with what hooks have reported. */
  readonly spend: number;
  /** Bytes, with the log file. */
  readonly database: { readonly path: string; readonly bytes: number; readonly archiveBytes: number };
};

/** Reads how a project stands: from its database, and from the runtime that holds it. */
export async function readProjectStatus(options: ProjectOptions & Pick<StartOptions, 'env'>): Promise<ProjectStatus> {
  using connection = await openProjectConnection(options);
  const { folder, database: path } = storeOf(projectFolder(options.project));
  const view = connection.isRun ? await answerOrNone(connection.orchestrator.viewRuntime()) : undefined;
  const pid = lockHolder(folder);
  const { threads, archived, spend, bytes, archiveBytes } = takeCensus(path);
  const runtime = view?.success
    ? { pid, running: view.running, queued: view.queued, workers: view.workers }
    : pid === undefined
      ? undefined
      : { pid };
  return {
    runtime,
    threads: runtime ? threads : atRest(threads),
    archived,
    spend: nanoToUsd(spend),
    database: { path, bytes, archiveBytes },
  };
}

/** What nobody runs is suspended; the next runtime writes that down. */
function atRest({ created = 0, running = 0, suspended = 0, ...ended }: Census['threads']): ProjectStatus['threads'] {
  const resting = created + running + suspended;
  return { ...(resting > 0 && { suspended: resting }), ...ended };
}
