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
  const values = valuesOf(inputSchema);
  const isRead = (name: string, value: unknown): boolean => typeof value === 'string' && values.has(name);
  return {
    read(params) {
      const entries = Object.entries(params);
      // Texts that are to be texts, or that nobody takes, need no further look; such tools may run in every step.
      if (!entries.some(([name, value]) => isRead(name, value))) return check(params);
      // What is missing in an event's context has become an empty text.
      const given = entries.filter(([name, value]) => value !== '' || !isRead(name, value));
      const fitted = fitParams({ inputSchema }, Object.fromEntries(given));
      return fitted.ok ? check(fitted.value) : fitted;
    },
    run,
  };
}

/** Names of the params that are no texts. */
function valuesOf({ properties }: Params): ReadonlySet<string> {
  const declared = isRecord(properties) ? Object.entries(properties) : [];
  return new Set(declared.flatMap(([name, schema]) => (isRecord(schema) && schema['type'] === 'string' ? [] : [name])));
}
