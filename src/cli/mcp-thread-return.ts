import type { ThreadId, WaitResult } from '../index.ts';

/** S2 §6.8 `ASYNC_RETURN`. */
export function asyncReturn(id: ThreadId, directive: string): Readonly<Record<string, unknown>> {
  return {
    success: true,
    thread_id: id,
    status: 'running',
    directive,
    control: {
      wait: `orchestrator.wait_threads(['${id}'])`,
      cancel: `state_store.request_cancel('${id}')`,
      status: `registry.get_status('${id}')`,
    },
  };
}

/** S2 §6.8 `SYNC_RETURN`, without `directive`. */
export function syncReturn(wait: WaitResult | undefined, id: ThreadId): Readonly<Record<string, unknown>> {
  const ending = wait?.ending;
  return {
    success: wait?.status === 'completed',
    thread_id: id,
    result: ending?.outputs ?? ending?.text ?? null,
    status: wait?.status ?? 'not_found',
    ...(ending && { outputs: ending.outputs ?? null, cost: costOf(ending.cost) }),
    error: ending?.error?.message ?? null,
  };
}

type Usage = NonNullable<WaitResult['ending']>['cost'];

function costOf({ turns, inputTokens, outputTokens, spend }: Usage): Readonly<Record<string, number>> {
  return { turns, input_tokens: inputTokens, output_tokens: outputTokens, spend };
}
