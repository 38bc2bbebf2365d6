import type { Ending } from '../core/ending.ts';
import type { Failure } from '../core/errors.ts';
import { encodeEvent, type CostPayload } from '../core/events.ts';
import { nanoToUsd } from '../core/money.ts';
import type { Cost } from '../core/limits.ts';
import type { StepOp, StoredThread, StoreResult } from '../core/store.ts';
import type { HostContext } from './host-context.ts';
import type { ThreadEntry } from './thread-table.ts';

/** How a thread ends that is in no worker: queued, suspended, or one that could not be set up. */
export type ParkedEnd = { readonly status: 'cancelled' | 'error'; readonly failure: Failure };

/** The end of a thread that is cancelled. */
export function cancelled(reason: string): ParkedEnd {
  return { status: 'cancelled', failure: { code: 'cancelled', message: reason } };
}

/** Writes the ending of a thread that no worker holds, after the last event of its log. */
export function endParked(host: HostContext, entry: ThreadEntry | undefined, end: ParkedEnd): void {
  if (!entry) return;
  const { thread } = entry.lineage;
  entry.order = undefined;
  host.store.submit({ type: 'load', thread }, (result) => {
    if (result === true || result.type !== 'loaded') return host.problem(notEnded(result));
    const { op, ending } = endingOf(result.thread, end, host.clock.now());
    host.store.submit(op, (written) => {
      if (written === true) host.tell({ type: 'ENDED', thread, ending });
      else host.problem(notEnded(written));
    });
  });
}

function notEnded(result: StoreResult): Failure {
  const reason = result !== true && result.type === 'failed' ? result.failure.message : JSON.stringify(result);
  return { code: 'store_failed', message: `The ending of a parked thread could not be written: ${reason}` };
}

function endingOf({ row, lastSequence }: StoredThread, end: ParkedEnd, at: number): { op: StepOp; ending: Ending } {
  const { cost } = row;
  const ending: Ending = { status: end.status, outputs: undefined, text: '', error: end.failure, cost };
  const sequence = lastSequence + 1;
  const { code, message } = end.failure;
  const payload =
    end.status === 'cancelled'
      ? { reason: message, cost: inUsd(cost) }
      : { error: { code, message }, cost: inUsd(cost) };
  const op: StepOp = {
    type: 'step',
    thread: row.thread,
    at,
    lines: encodeEvent({ sequence, event_type: `thread_${end.status}`, time: at, payload }),
    firstSequence: sequence,
    lastSequence: sequence,
    cost,
    status: { to: end.status, ending: JSON.stringify(ending) },
  };
  return { op, ending };
}

function inUsd({ turns, inputTokens, outputTokens, spend }: Cost): CostPayload {
  return { turns, input_tokens: inputTokens, output_tokens: outputTokens, spend: nanoToUsd(spend) };
}
