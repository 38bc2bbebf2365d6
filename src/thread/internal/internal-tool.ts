import { isRecord } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import type { ToolOutcome } from '../../core/tool.ts';
import type { ItemCache } from '../../items/item-cache.ts';
import { compileInputCheck } from '../../tools/input-check.ts';
import { fitParams } from '../../tools/tool-params.ts';
import type { InWorker } from '../conversation/conversation.ts';

type Params = Readonly<Record<string, unknown>>;

/** A call of an internal tool by a hook of the thread; its input fits the schema of its file. */
export type InternalCall = InWorker & { readonly input: Params };

/** What an internal tool does: calls `done` once, in the same tick or later. */
export type InternalCode = (call: InternalCall, done: (outcome: ToolOutcome) => void) => void;

/** A tool below `rye/agent/threads/internal`: hooks may call it, models never (contracts, "Internal tools"). */
export type InternalTool = {
  readonly inputSchema: Params;
  /** Params as the tool takes them, or what is wrong with them. */
  readonly read: (params: Params) => Result<Params>;
  readonly run: InternalCode;
};

/**
 * Makes an internal tool of its code and of the file in the system space that says what it takes.
 *
 * @throws SkeinError if the file can't be used
 */
export function createInternalTool(id: string, run: InternalCode, items: Pick<ItemCache, 'tool'>): InternalTool {
  const { inputSchema } = items.tool(id, 'system');
  const check = compileInputCheck(inputSchema);
  const texts = textsOf(inputSchema);
  return {
    inputSchema,
    read(params) {
      // What is a text and is to be one needs no further look; such tools may run in every step.
      if (!Object.keys(params).some((name) => typeof params[name] === 'string' && !texts.has(name)))
        return check(params);
      const fitted = fitParams({ inputSchema }, params);
      return fitted.ok ? check(fitted.value) : fitted;
    },
    run,
  };
}

/** Names of the params that are texts. */
function textsOf({ properties }: Params): ReadonlySet<string> {
  const declared = isRecord(properties) ? Object.entries(properties) : [];
  return new Set(declared.flatMap(([name, schema]) => (isRecord(schema) && schema['type'] === 'string' ? [name] : [])));
}
