import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Ending, ThreadStatus } from '../../core/ending.ts';
import type { Failure } from '../../core/errors.ts';
import type { SuspendReason, ThreadEvent } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { Cost, LimitOverrides } from '../../core/limits.ts';
import { nanoToUsd } from '../../core/money.ts';
import { checkOutputs, type CheckedOutputs } from './check-outputs.ts';

/** What a thread has used. `spend` in USD. */
export type Usage = {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly spend: number;
  /** Of the input, what came from the provider's cache and what went into it; absent: nothing did. */
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
};

/** How a thread ended. `suspended` only when its runtime closed first: the thread can go on in another one. */
export type ThreadEnding<Outputs = Readonly<Record<string, unknown>>> = {
  readonly status: Ending['status'] | 'suspended';
  /** What `directive_return` delivered; checked by the `output` schema if one was given. */
  readonly outputs: Outputs | undefined;
  /** The model's last text. */
  readonly text: string;
  readonly error: Failure | undefined;
  readonly cost: Usage;
};

/** Where a thread stands. */
export type ThreadState = {
  readonly id: ThreadId;
  readonly status: ThreadStatus;
  /**
   * The machine's state while it is in a worker, e.g. `running.calling`; `queued` while it waits for a slot. Of a worker that
   * does not answer within five seconds: `running`, or `waiting`.
   */
  readonly state: string;
  readonly suspendReason: SuspendReason | undefined;
  readonly usage: Usage;
};

/**
 * A thread as its embedder holds it. When it hands over, the handle is that of its successor, too: result, status, events and
 * all that is asked of it are those of the last one. Iterating yields the thread's events from the first one until it ends or the
 * runtime stops; leaving the loop neither cancels nor slows the thread. Methods are called on their handle; taken off it, they know no thread.
 */
export interface ThreadHandle<Outputs = Readonly<Record<string, unknown>>> extends AsyncIterable<ThreadEvent> {
  readonly id: ThreadId;
  /**
   * How it ended: a failed thread resolves to an ending with `error`. Stays open while the thread is suspended. Rejects only if what
   * is stored of its end can't be read.
   */
  readonly result: Promise<ThreadEnding<Outputs>>;
  /** Where it stands now; without an answer of its worker, as it was stored last. @throws SkeinError `runtime_closed` */
  status(): Promise<ThreadState>;
  /**
   * Ends the thread, and its subtree as the child policy says. Resolves when its ending is on disk.
   *
   * @throws SkeinError `store_failed`: its ending can't be written, and the thread stands as before; `runtime_closed`: the
   * runtime has stopped before that; `invalid_argument`: the reason is no text
   */
  cancel(reason?: string): Promise<void>;
  /**
   * Suspends it at its next step, or at once where it makes none: one that waits for its turn, for its provider or a call's next
   * attempt, or for nothing but its children, and one that the end of a runtime has interrupted, which then stays where it is.
   * Resolves when that is on disk, or when it has ended first.
   *
   * @throws SkeinError `store_failed`: its suspension can't be written, and the thread stands as before; `runtime_closed`: the
   * runtime has stopped before that
   */
  suspend(): Promise<void>;
  /**
   * Goes on with a suspended thread, with a message to the model and raised limits if given. One that has ended goes on as
   * another thread with the same conversation, and with its limits anew. Resolves to the handle of the thread that goes on.
   *
   * If it then can't be read back, a `problem` says why, it is suspended with reason `error`, and the next resumption has
   * the message and the limits.
   *
   * @throws SkeinError `invalid_argument`: it is neither, or what it is given is none; `budget_refused`; `thread_ended`: its parent has ended;
   * `runtime_closed`
   */
  resume(message?: string, options?: { readonly limits?: LimitOverrides | undefined }): Promise<ThreadHandle<Outputs>>;
  /**
   * Says something to the model before its next turn; one that was about to end takes another turn for it. Resolves once
   * that is on disk. The message is lost only with a thread that ends before that turn: by its limits, a failure or a
   * cancellation.
   *
   * @throws SkeinError `thread_ended`: the thread takes no more turns, because it has ended, is being cancelled, or only
   * waits for its children to end; `invalid_argument`: it is not running, or the message is no text; `runtime_closed`
   */
  send(message: string): Promise<void>;
  /**
   * What it has used so far, and its whole subtree with it: `spend` in USD. Without an answer of its worker, what was stored
   * last.
   *
   * @throws SkeinError `runtime_closed`
   */
  usage(): Promise<{ readonly own: Usage; readonly tree: { readonly spend: number } }>;
}

/** A cost with `spend` in USD. */
export function toUsage(cost: Cost): Usage {
  return { ...cost, spend: nanoToUsd(cost.spend) };
}

/** The public form of an ending; outputs that do not meet the caller's schema make it an error. */
export function toThreadEnding<Outputs>(
  ending: Ending,
  schema: StandardSchemaV1<unknown, Outputs> | undefined,
): ThreadEnding<Outputs> | Promise<ThreadEnding<Outputs>> {
  const { status, outputs, text, error } = ending;
  const cost = toUsage(ending.cost);
  if (schema && status === 'completed') return checkedEnding(ending, schema);
  // Without a schema, `Outputs` is the type of outputs as they are.
  return { status, outputs: outputs as Outputs | undefined, text, error, cost };
}

async function checkedEnding<Outputs>(
  { status, outputs, text, error, cost }: Ending,
  schema: StandardSchemaV1<unknown, Outputs>,
): Promise<ThreadEnding<Outputs>> {
  const checked = await checkAnyOutputs(schema, outputs);
  const base = { text, cost: toUsage(cost) };
  if (checked.ok) return { ...base, status, outputs: checked.value, error };
  return { ...base, status: 'error', outputs: undefined, error: checked.failure };
}

/** A model that is asked for nothing in particular may end without outputs: it has given an object without any. */
async function checkAnyOutputs<Outputs>(
  schema: StandardSchemaV1<unknown, Outputs>,
  outputs: Ending['outputs'],
): Promise<CheckedOutputs<Outputs>> {
  const checked = await checkOutputs(schema, outputs);
  if (checked.ok || outputs !== undefined) return checked;
  const empty = await checkOutputs(schema, {});
  return empty.ok ? empty : checked;
}
