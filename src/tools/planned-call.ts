import { SkeinError } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import type { RunningTool, ToolOutcome } from '../core/tool.ts';
import { resolveChain, type Chain, type ToolLookup } from './execution-chain.ts';
import { httpOutcome } from './http-client-outcome.ts';
import { httpOrder, type HttpOrder } from './http-client-order.ts';
import type { HttpClient } from './http-client.ts';
import { processOrder, type ProcessInput } from './process-order.ts';
import { processOutcome } from './process-outcome.ts';
import type { ProcessRuntime } from './process-runtime.ts';
import type { ProcessOrder } from './tool-process.ts';

/** What the tools of files are run with; one per worker. */
export type ChainServices = {
  /** Finds runtimes, primitives and the tools themselves, verified, as they are now. */
  readonly lookup: ToolLookup;
  /** Has a tool looked at anew the next time it is asked for: its file has changed. */
  readonly forget: (id: string) => void;
  readonly processes: ProcessRuntime;
  readonly http: HttpClient;
};

/** A call that is ready to be made: what the primitive at the end of its chain is told. */
export type PlannedCall =
  | { readonly primitive: 'subprocess'; readonly chain: Chain; readonly order: ProcessOrder }
  | { readonly primitive: 'http_client'; readonly chain: Chain; readonly order: HttpOrder };

/**
 * Follows a tool's chain and works out what would be done for a call; starts nothing.
 *
 * @throws SkeinError as `resolveChain`, `processOrder` and `httpOrder`; `not_available` for the primitive `thread`
 */
export function planCall(item: ToolItem, { lookup, processes }: ChainServices, input: ProcessInput): PlannedCall {
  const chain = resolveChain(item, lookup);
  const { primitive } = chain;
  switch (primitive) {
    case 'subprocess':
      return { primitive, chain, order: processOrder(chain, processes.options, input) };
    case 'http_client':
      return { primitive, chain, order: httpOrder(chain, processes.options, input.params) };
    case 'thread':
      throw refuseThreadTool(item);
  }
}

/** Why a file whose chain ends in the primitive `thread` is not run: those that ship are carried out before it is asked. */
export function refuseThreadTool({ id, file }: ToolItem): SkeinError {
  const message = `${id} is carried out by Skein itself; no file can add such a tool`;
  return new SkeinError('not_available', message, { where: { file } });
}

/** Makes a planned call. */
export function startCall(
  { forget, processes, http }: ChainServices,
  planned: PlannedCall,
  done: (outcome: ToolOutcome) => void,
): RunningTool {
  const [item] = planned.chain.links;
  if (planned.primitive === 'subprocess') {
    const { order } = planned;
    return processes.start(order, (end) => {
      if (end.kind === 'file_changed') forget(item.id);
      done(processOutcome(item, order, end));
    });
  }
  const { order } = planned;
  return http.start(order, (answered) => done(httpOutcome(item, order, answered)));
}
