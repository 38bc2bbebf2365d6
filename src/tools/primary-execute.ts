import type { SpaceName } from '../core/item.ts';
import { attemptResult, ok, type Result } from '../core/result.ts';
import type { RunningTool, Tool, ToolCaller } from '../core/tool.ts';
import type { EnvironmentRefs } from '../items/input-refs.ts';
import { fillDirective, resolveInputs, type RenderBody } from '../items/inputs.ts';
import type { ActionItems } from './primary-items.ts';
import { outcomeResult } from './primary-outcome.ts';
import type { ExecuteRequest } from './primary-request.ts';
import { failure, success, type PrimaryResult } from './primary-result.ts';
import { checkParams, fitParams } from './tool-params.ts';

type Params = Readonly<Record<string, unknown>>;

/** What executing needs. */
export type ExecuteServices = {
  readonly items: ActionItems;
  /**
   * Tools that are no file's: registered ones and thread tools. They win over a file of the same id.
   *
   * @throws SkeinError `item_id_refused` for another id with the rights of one
   */
  readonly registered: (id: string) => Tool | undefined;
  /** The tools of files; both throw a SkeinError for one that can't be used. */
  readonly files: {
    find(id: string, source: SpaceName | undefined): Tool;
    /** What a call would start. */
    describe(id: string, call: DescribedCall): Params;
  };
  /** What `{env:…}` references of a directive may see. */
  readonly environment?: EnvironmentRefs;
  /** Renders the body of a directive that is a template. */
  readonly renderTemplate?: RenderBody;
};

/** A call that is only described; `params` fit the tool's schema. */
export type DescribedCall = {
  readonly params: Params;
  readonly caller: ToolCaller;
  readonly source: SpaceName | undefined;
};

type ToolOrder = { readonly request: ExecuteRequest; readonly caller: ToolCaller };

/** Runs a tool, or with `dry_run` says what would run. */
export function executeTool(
  { request, caller }: ToolOrder,
  services: Pick<ExecuteServices, 'registered' | 'files'>,
  done: (result: PrimaryResult) => void,
): RunningTool | undefined {
  const subject = { type: request.kind, item_id: request.id };
  const prepared = prepareCall(request, services);
  if (prepared.ok && !request.dryRun) {
    const { tool, params } = prepared.value;
    return tool.run(params, caller, (outcome) => done(outcomeResult(subject, outcome)));
  }
  const plan = prepared.ok ? describeCall(prepared.value, caller) : prepared;
  done(plan.ok ? success(subject, plan.value) : failure(subject, plan.failure));
  return undefined;
}

/** `describe` says what a call would start; a tool that is no file's starts nothing. */
type ReadyCall = {
  readonly tool: Tool;
  readonly params: Params;
  readonly describe: (params: Params, caller: ToolCaller) => Params;
};

function prepareCall(
  { id, source, params, form }: ExecuteRequest,
  { registered, files }: Pick<ExecuteServices, 'registered' | 'files'>,
): Result<ReadyCall> {
  return attemptResult(() => {
    // Whatever the source: it refuses what would have the rights of another tool.
    const taken = registered(id);
    const own = source === undefined ? taken : undefined;
    const tool = own ?? files.find(id, source);
    const fitted = fitParams(tool, params, form);
    if (!fitted.ok) return fitted;
    const describe: ReadyCall['describe'] = (checked, caller) =>
      own ? { chain: [] } : files.describe(id, { params: checked, caller, source });
    return ok({ tool, params: fitted.value, describe });
  });
}

function describeCall({ tool, params, describe }: ReadyCall, caller: ToolCaller): Result<Params> {
  return attemptResult(() => {
    const checked = checkParams(tool, params);
    if (!checked.ok) return checked;
    return ok({ dry_run: true, parameters: checked.value, ...describe(checked.value, caller) });
  });
}

/**
 * Reads a directive and fills in its inputs (S2 §7.4); starts no thread. A body with roles is told as `messages`, so that
 * nobody takes what an input says for a role, and `body` is empty.
 *
 * @throws SkeinError `missing_input` with `declared_inputs`, `invalid_input`, and what loading throws
 */
export function executeDirective(
  { kind, id, source, params, dryRun }: ExecuteRequest,
  { items, environment, renderTemplate }: ExecuteServices,
): PrimaryResult {
  const directive = items.directive(id, source);
  const inputs = resolveInputs(directive, params);
  const filled = fillDirective(directive, inputs, { environment, renderTemplate });
  const { name, description, preamble, body, messages, content, actions, outputs } = filled;
  const said = messages && { messages };
  const data = { name, description, preamble, body, ...said, content, actions, inputs, outputs };
  const warnings = [...items.remarks(id, source), ...directive.warnings];
  return success({ type: kind, item_id: id }, { ...data, ...(dryRun && { dry_run: true }) }, warnings);
}
