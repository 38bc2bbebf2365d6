import type { PrimaryAction } from '../core/item.ts';
import type { RunningTool, ToolCaller } from '../core/tool.ts';
import type { ToolDispatcher } from './dispatcher.ts';
import { compileInputCheck, type InputCheck } from './input-check.ts';
import { notOffered, withHint, type McpRights } from './mcp-rights.ts';
import { primaryOfTool } from './primary-offer.ts';
import { failure, type PrimaryResult } from './primary-result.ts';
import { createPrimaryTools } from './primary-tools.ts';

/** A primary action as an MCP client sees it. */
export type OfferedAction = {
  /** `execute`, `search`, `load`, `sign` or `fetch`. */
  readonly name: PrimaryAction;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
};

/** A call by an MCP client. */
export type ActionCall = {
  readonly name: PrimaryAction;
  readonly input: Readonly<Record<string, unknown>>;
};

/** The primary actions as an MCP server serves them. */
export interface McpActions {
  /** Those for which there is any right. */
  readonly offered: readonly OfferedAction[];
  /** Carries a call out; `done` is called once, in the same tick or later, and not after `abort`. */
  call(call: ActionCall, done: (result: PrimaryResult) => void): RunningTool | undefined;
}

/** What the actions are made from. */
export type McpActionsOptions = {
  readonly dispatcher: Pick<ToolDispatcher, 'dispatch'>;
  readonly rights: McpRights;
  readonly projectPath: string;
};

/** Makes the primary actions for MCP clients, all with the same rights. */
export function createMcpActions({ dispatcher, rights, projectPath }: McpActionsOptions): McpActions {
  const offered = createPrimaryTools(dispatcher).flatMap(({ id, description, inputSchema }): OfferedAction[] => {
    const name = primaryOfTool(id);
    if (name === undefined || !rights.offers(name)) return [];
    return [{ name, description, inputSchema, readOnly: READ_ONLY.has(name) }];
  });
  const checks = new Map<string, InputCheck>(
    offered.map(({ name, inputSchema }) => [name, compileInputCheck(inputSchema)]),
  );
  let calls = 0;
  const callerOf = (call: ActionCall): ToolCaller => {
    // A dry run of whatever it may be starts nothing and changes nothing.
    const allows = isDryRun(call) ? () => true : rights.allows;
    return { threadId: undefined, callId: `mcp-${++calls}`, projectPath, allows };
  };
  return {
    offered,
    call(call, done) {
      const check = checks.get(call.name);
      const checked = check?.(call.input);
      if (checked?.ok) {
        const action = { ...checked.value, primary: call.name };
        return dispatcher.dispatch(action, callerOf(call), (result) => done(withHint(result)));
      }
      done(checked ? failure(subjectOf(call), checked.failure) : notOffered(call.name));
      return undefined;
    },
  };
}

/** Actions that change nothing whatever their arguments are. */
const READ_ONLY: ReadonlySet<PrimaryAction> = new Set(['search', 'fetch'] as const);

/** Only the actions whose schema has a `dry_run` get as far as here with one. */
function isDryRun({ input }: ActionCall): boolean {
  return input['dry_run'] === true;
}

/** What a call that does not fit its schema seems to be about. */
function subjectOf({ input }: ActionCall): { readonly type: null; readonly item_id: string | null } {
  const id = input['item_id'];
  return { type: null, item_id: typeof id === 'string' ? id : null };
}
