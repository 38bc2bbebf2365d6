import type { SpaceName, ToolItem } from '../core/item.ts';
import { resolveChain, type Chain, type Primitive } from './execution-chain.ts';
import { planCall, refuseThreadTool, type ChainServices, type PlannedCall } from './planned-call.ts';
import type { ProcessInput } from './process-order.ts';

/** A tool's chain, spelled as on the wire. */
export type WireChain = {
  /** The tool first, the primitive last. */
  readonly chain: readonly { readonly item_id: string; readonly tool_type: string; readonly space: SpaceName }[];
  readonly primitive: Primitive;
};

/** What a call would do, for `dry_run`: plain data without secrets, spelled as on the wire. */
export type ChainDescription = WireChain & {
  readonly would_run:
    | {
        /** The program and its arguments. */
        readonly command: readonly string[];
        /** Names alone. */
        readonly env: readonly string[];
        readonly timeout_seconds: number;
        readonly memory_limit_mb: number;
      }
    | {
        readonly method: string;
        readonly url: string;
        /** Names alone. */
        readonly headers: readonly string[];
        readonly timeout_seconds: number;
      }
    /** Carried out by Skein itself, in the thread that calls. */
    | { readonly in: 'thread' };
};

/**
 * Says what a call of a tool would start, and starts nothing. `params` fit the tool's schema.
 *
 * @throws SkeinError whatever would keep the call from being started: a broken chain, a missing interpreter, a variable
 * that is not allowed, a file that is no thread tool of the package and names their primitive
 */
export function describeChain(item: ToolItem, services: ChainServices, input: ProcessInput): ChainDescription {
  const chain = wireChain(resolveChain(item, services.lookup));
  return {
    ...chain,
    would_run: chain.primitive === 'thread' ? { in: 'thread' } : wouldRun(planCall(item, services, input)),
  };
}

/**
 * A chain as it is shown.
 *
 * @throws SkeinError `not_available`: its tool is a file that is no thread tool of the package and names their primitive
 */
export function wireChain({ links, primitive }: Chain): WireChain {
  const [tool] = links;
  if (primitive === 'thread' && tool.space !== 'system') throw refuseThreadTool(tool);
  return { chain: links.map(({ id, toolType, space }) => ({ item_id: id, tool_type: toolType, space })), primitive };
}

function wouldRun({ primitive, order }: PlannedCall): ChainDescription['would_run'] {
  if (primitive === 'subprocess') {
    const { command, args, env, timeoutMs, memoryLimitMb } = order;
    return {
      command: [command, ...args],
      env: Object.keys(env).toSorted(),
      timeout_seconds: timeoutMs / 1000,
      memory_limit_mb: memoryLimitMb,
    };
  }
  const { method, url, headers, timeoutMs } = order;
  return { method, url: url.href, headers: Object.keys(headers).toSorted(), timeout_seconds: timeoutMs / 1000 };
}
