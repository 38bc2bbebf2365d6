import { projectFolder } from '../../config/project-folder.ts';
import type { Message } from '../../core/conversation.ts';
import type { ThreadStatus } from '../../core/ending.ts';
import { SkeinError } from '../../core/errors.ts';
import type { SuspendReason } from '../../core/events.ts';
import type { Finding } from '../../core/finding.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { LimitOverrides } from '../../core/limits.ts';
import { storeOf } from '../../core/store-place.ts';
import { replayLog } from '../../store/checks/replay-log.ts';
import { legalEdges } from './legal-edges.ts';
import { toUsage, type Usage } from '../handle/thread-handle.ts';

/** Settings of `replay`. */
export type ReplayOptions = {
  /** The last event that counts; default: all of them. 0 = before the first one. */
  readonly to?: number | undefined;
};

/** A thread as its log tells it, up to an event. */
export type ReplayedThread = {
  readonly id: ThreadId;
  readonly directive: string;
  readonly model: string;
  /** The event it is folded up to, and the last one there is. */
  readonly sequence: number;
  readonly lastSequence: number;
  readonly status: ThreadStatus;
  readonly suspendReason: SuspendReason | undefined;
  readonly usage: Usage;
  /** `spend` in USD; undefined before it has started. */
  readonly limits: LimitOverrides | undefined;
  /** What the next call of its model would have been sent, without the system message. */
  readonly messages: readonly Message[];
  /** Tool calls without a result. */
  readonly openCalls: readonly { readonly callId: string; readonly tool: string }[];
  /** `status` is `running` until the end is told. */
  readonly children: readonly { readonly id: ThreadId; readonly status: string }[];
  readonly outputs: Readonly<Record<string, unknown>> | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** What it was compared with: the checkpoint of an event up to here, and the registry if this is the last event. */
  readonly comparedWith: { readonly checkpoint: number | undefined; readonly registry: boolean };
  /** In what it differs from that, or is broken; empty as a rule. */
  readonly differences: readonly Finding[];
};

/** Which thread is replayed. */
export type ReplayOrder = { readonly project: string; readonly id: string; readonly options: ReplayOptions };

/** Folds a stored thread; `conversationOf` folds the conversation as workers do that go on with it. */
export function replayThread(
  { project, id, options: { to } }: ReplayOrder,
  conversationOf: (lines: string) => readonly Message[],
): ReplayedThread {
  if (to !== undefined && !(Number.isSafeInteger(to) && to >= 0)) {
    throw new SkeinError('invalid_argument', `to is ${to}: the number of an event is expected, or 0`);
  }
  const path = storeOf(projectFolder(project)).database;
  const { row, state, lines, lastSequence, differences, checkpoint } = replayLog(path, { id, to, edges: legalEdges() });
  const { sequence, status, suspendReason, limits, outputs, error } = state;
  return {
    id: row.threadId,
    directive: row.directive,
    model: row.model,
    sequence,
    lastSequence,
    status,
    suspendReason,
    usage: toUsage(state.cost),
    limits,
    messages: conversationOf(lines),
    openCalls: [...state.openCalls].map(([callId, tool]) => ({ callId, tool })),
    children: [...state.children].map(([child, childStatus]) => ({ id: child, status: childStatus })),
    outputs,
    error,
    comparedWith: {
      checkpoint: checkpoint !== undefined && checkpoint <= sequence ? checkpoint : undefined,
      registry: sequence === lastSequence,
    },
    differences,
  };
}
