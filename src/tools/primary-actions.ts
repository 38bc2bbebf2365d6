import { join } from 'node:path';
import { toFailure } from '../core/errors.ts';
import type { ItemKind } from '../core/item.ts';
import type { RunningTool, ToolCaller } from '../core/tool.ts';
import { copyItem, planCopy, type CopyPlaces, type PlannedCopy } from './copy-item.ts';
import { executeDirective, executeTool, type ExecuteServices } from './primary-execute.ts';
import { loadedData, registeredData } from './primary-load.ts';
import type { ExecuteRequest, LoadRequest, PrimaryRequest, SignRequest } from './primary-request.ts';
import { failure, success, type PrimaryResult } from './primary-result.ts';
import { searchItems, type ItemSearch } from './primary-search.ts';
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
      done(performNow(request, services));
      return undefined;
    },
  };
}

type Immediate = ExecuteRequest | LoadRequest | SignRequest;

function performNow(request: Immediate, services: PrimaryServices): PrimaryResult {
  try {
    if (request.primary === 'sign') return sign(request, services);
    if (request.primary === 'load') return load(request, services);
    if (request.kind === 'knowledge') return load({ ...request, primary: 'load', destination: undefined }, services);
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

function load({ kind, id, source, destination, dryRun }: LoadRequest, services: PrimaryServices): PrimaryResult {
  const own = kind === 'tool' && source === undefined && !destination ? services.registered(id) : undefined;
  if (own) return success({ type: kind, item_id: id }, registeredData(own));
  const item = services.items.open(kind, id, source);
  const plan = destination && planCopy(item, destination, services.places);
  if (plan && !dryRun) {
    copyItem(plan);
    services.changed(kind, id);
  }
  const data = { ...loadedData(item), ...(plan && { copy: copyData(plan) }), ...(dryRun && { dry_run: true }) };
  return success({ type: kind, item_id: id }, data, item.parsed.warnings);
}

function copyData({ item, to, root, file }: PlannedCopy): Readonly<Record<string, unknown>> {
  return { source: item.parsed.space, destination: to.space, path: join(root, file) };
}
