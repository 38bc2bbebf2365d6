import type { ToolItem } from '../core/item.ts';
import { attemptResult, ok, type Result } from '../core/result.ts';
import type { Tool, ToolCaller } from '../core/tool.ts';
import { compileInputCheck, type InputCheck } from './input-check.ts';
import { planCall, startCall, type ChainServices, type PlannedCall } from './planned-call.ts';

/**
 * A tool of a file, run by its execution chain (S2 §1, §5): a process of its own for each call, so that a crash, an endless
 * loop or a memory blow-up ends that call alone; or a request. Input is checked against the item's schema first. Each call
 * takes the item as `lookup` gives it then, so that a thread that runs for hours does not hold on to an old file.
 *
 * Contract of a source file: node exports `execute(params, projectPath)`, python defines `execute(params, project_path)`,
 * sync or async, and what it returns, as JSON, is the result; bash gets the params as JSON on stdin and the project path
 * as `$1`, and its stdout is the result, as JSON if it is JSON, else as text. A number that none can hold, as an integer of
 * too many digits, is a text.
 *
 * @throws SkeinError `invalid_item` when the item's input schema can't be used.
 */
export function createFileTool(item: ToolItem, services: ChainServices): Tool {
  const { id, description, inputSchema, idempotent } = item;
  let last = { item, check: compileInputCheck(inputSchema) };
  const current = (): typeof last => {
    const now = services.lookup(id);
    if (now !== last.item) last = { item: now, check: compileInputCheck(now.inputSchema) };
    return last;
  };
  return {
    id,
    description,
    inputSchema,
    idempotent,
    run(input, caller, done) {
      const planned = plan(current, services, { input, caller });
      if (planned.ok) return startCall(services, planned.value, done);
      done(planned);
      return undefined;
    },
  };
}

type Call = { readonly input: Readonly<Record<string, unknown>>; readonly caller: ToolCaller };
type CheckedItem = { readonly item: ToolItem; readonly check: InputCheck };

function plan(current: () => CheckedItem, services: ChainServices, { input, caller }: Call): Result<PlannedCall> {
  return attemptResult(() => {
    const { item, check } = current();
    const params = check(input);
    return params.ok ? ok(planCall(item, services, { params: params.value, caller })) : params;
  });
}
