import { resolveLimits } from '../../config/limits.ts';
import { SkeinError } from '../../core/errors.ts';
import type { LimitOverrides, Limits } from '../../core/limits.ts';
import type { ForkOrigin, ThreadSpec } from '../../core/protocol.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { parseSpec } from '../../core/stored-spec.ts';
import type { HostContext, SpawnOrder } from '../host-context.ts';
import { lastSequenceOf } from '../operations/stored-threads.ts';
import type { ForkOptions } from './fork-options.ts';

/** A stored thread, and how it is forked. */
export type Fork = ForkOptions & { readonly row: ThreadRow };

/**
 * The order of a thread that goes on from an event of another one (ADR 42): a root with an account of its own, whose directive
 * is loaded and verified anew, and which may do no more than the other one might.
 *
 * @throws SkeinError `invalid_argument`: the log has no such event, or a limit is none; `store_corrupt`
 */
export function forkOrder({ reader }: Pick<HostContext, 'reader'>, fork: Fork, done: SpawnOrder['done']): SpawnOrder {
  const { row, at, inputs, limits } = fork;
  requireEvent(reader, row, at);
  const before = parseSpec(reader.spec(row.thread), row.thread);
  const { directive, model, outputSchema } = before;
  const forkedFrom = { thread: row.thread, threadId: row.threadId, sequence: at };
  const own = limitsOf(before, limits);
  return {
    request: {
      directive,
      inputs: { ...before.inputs, ...inputs },
      limits: undefined,
      model,
      parent: undefined,
      outputSchema,
    },
    parent: undefined,
    done,
    finish: (prepared) => forkedSpec(prepared, { before, limits: own, forkedFrom }),
  };
}

function requireEvent(reader: StoreReader, { thread, threadId }: ThreadRow, at: number): void {
  const last = lastSequenceOf(reader, thread);
  if (Number.isSafeInteger(at) && at >= 0 && at <= last) return;
  throw new SkeinError('invalid_argument', `at is ${String(at)}; the log of ${threadId} has the events 1 to ${last}`);
}

function limitsOf({ directive, limits }: ThreadSpec, overrides: LimitOverrides = {}): Limits {
  return resolveLimits({ defaults: limits, directive: { id: directive, limits: {} }, overrides }).limits;
}

/** As a rule the directive is what it was: a list that is there twice allows nothing less. */
function uniqueLists(lists: ThreadSpec['capabilities']): ThreadSpec['capabilities'] {
  return [...new Map(lists.map((list) => [JSON.stringify(list), list])).values()];
}

type Forked = { readonly before: ThreadSpec; readonly limits: Limits; readonly forkedFrom: ForkOrigin };

/** A call must be allowed by every list: by those of the directive as it is now, and by those of the other thread. */
function forkedSpec(prepared: ThreadSpec, { before, limits, forkedFrom }: Forked): ThreadSpec {
  const { hookDepth } = before;
  return {
    ...prepared,
    limits,
    capabilities: uniqueLists([...before.capabilities, ...prepared.capabilities]),
    forkedFrom,
    ...(hookDepth !== undefined && { hookDepth }),
  };
}
