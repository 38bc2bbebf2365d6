import { join } from 'node:path';
import { fromFailure, toFailure } from '../core/errors.ts';
import type { ItemKind } from '../core/item.ts';
import type { RunningTool, ToolCaller } from '../core/tool.ts';
import { planImports } from './copied-imports.ts';
import { copyItems, planCopy, type CopyPlaces, type PlannedCopy } from './copy-item.ts';
import { executeDirective, executeTool, type ExecuteServices } from './primary-execute.ts';
import type { OpenedItem } from './primary-items.ts';
import { loadedData, registeredData } from './primary-load.ts';
import type { ExecuteRequest, LoadRequest, PrimaryRequest, SignRequest } from './primary-request.ts';
import { failure, success, type PrimaryResult } from './primary-result.ts';
import { searchItems, type ItemSearch } from './primary-search.ts';
import { findDenial } from './primary-rights.ts';
import { signForResult, type ItemSigning } from './primary-sign.ts';

/** What the primary actions work with. */
export type PrimaryServices = ExecuteServices & {
  readonly index: ItemSearch;
  readonly places: CopyPlaces;
  readonly signing: ItemSigning;
  /** Told after an item's file was written: what was read of it before may be another now. */
  readonly changed: (kind: ItemKind, id: string) => void;
};

/** The primary actions on items of every kind (S2 §1, §7.6). */
export interface PrimaryActions {
  /**
   * Does what a request asks for; whether the caller may is the dispatcher's to know, except for the results of a search.
   * `done` is called exactly once, in the same tick or later, and not after `abort`; whatever goes wrong is an error result.
   */
  perform(request: PrimaryRequest, caller: ToolCaller, done: (result: PrimaryResult) => void): RunningTool | undefined;
}

/** Makes the primary actions of a worker or a command. */
export function createPrimaryActions(services: PrimaryServices): PrimaryActions {
  return {
    perform(request, caller, done) {
      if (request.primary === 'search') return searchItems({ request, caller }, services.index, done);
      if (request.primary === 'execute' && request.kind === 'tool') {
        return executeTool({ request, caller }, services, done);
      }
      done(performNow({ request, caller }, services));
      return undefined;
    },
  };
}

type Data = Readonly<Record<string, unknown>>;
type Immediate = ExecuteRequest | LoadRequest | SignRequest;

type Asked<Request> = { readonly request: Request; readonly caller: ToolCaller };

function performNow({ request, caller }: Asked<Immediate>, services: PrimaryServices): PrimaryResult {
  try {
    if (request.primary === 'sign') return sign(request, services);
    if (request.primary === 'load') return load({ request, caller }, services);
    if (request.kind === 'knowledge') return loadKnowledge({ request, caller }, services);
    return executeDirective(request, services);
  } catch (thrown) {
    return failure({ type: request.kind, item_id: request.id }, toFailure(thrown));
  }
}

function sign(request: SignRequest, { signing, changed }: PrimaryServices): PrimaryResult {
  const result = signForResult(request, signing);
  if (!request.dryRun) changed(request.kind, request.id);
  return result;
}

function loadKnowledge({ request, caller }: Asked<ExecuteRequest>, services: PrimaryServices): PrimaryResult {
  return load({ request: { ...request, primary: 'load', destination: undefined }, caller }, services);
}

function load({ request, caller }: Asked<LoadRequest>, services: PrimaryServices): PrimaryResult {
  const { kind, id, source, destination, dryRun } = request;
  const own = kind === 'tool' && source === undefined && !destination ? services.registered(id) : undefined;
  if (own) return success({ type: kind, item_id: id }, registeredData(own));
  const item = services.items.open(kind, id, source);
  const copies = destination
    ? planCopies(planCopy(item, destination, services.places), { request, caller }, services)
    : [];
  if (!dryRun) {
    copyItems(copies);
    for (const { item: copied } of copies) services.changed(kind, copied.parsed.id);
  }
  const data = { ...loadedData(item), ...copyData(copies), ...(dryRun && { dry_run: true }) };
  const warnings = copies.slice(0, -1).flatMap(({ item: { parsed } }) => parsed.warnings);
  return success({ type: kind, item_id: id }, data, [...item.parsed.warnings, ...warnings]);
}

/** The copy that is asked for, and before it those that it can't do without, which need the same rights. */
function planCopies(
  plan: PlannedCopy,
  { request, caller }: Asked<LoadRequest>,
  services: PrimaryServices,
): readonly PlannedCopy[] {
  const mayCopy = ({ parsed: { id } }: OpenedItem): void => {
    const denial = findDenial({ ...request, id }, caller);
    if (denial) throw fromFailure(denial);
  };
  return [...planImports(plan, { ...services, mayCopy }), plan];
}

function copyData(copies: readonly PlannedCopy[]): Data {
  const plan = copies.at(-1);
  if (plan === undefined) return {};
  const imports = copies.slice(0, -1).map(pathOf);
  const place = { source: plan.item.parsed.space, destination: plan.to.space, path: pathOf(plan) };
  return { copy: { ...place, ...(imports.length > 0 && { imports }) } };
}

function pathOf({ root, file }: PlannedCopy): string {
  return join(root, file);
}
