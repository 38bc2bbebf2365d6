import { SkeinError } from '../core/errors.ts';
import { contextBlocks } from './context-hooks.ts';
import type { InWorker } from './conversation.ts';
import { createItemRemarks, type ItemRemarks } from './item-remarks.ts';
import type { Services } from './services.ts';
import type { ThreadWarning } from './start-warnings.ts';
import { wrapItem } from './wrap-item.ts';

/** Texts in order, and where each came from. */
export type ContextPart = { readonly texts: readonly string[]; readonly sources: readonly string[] };

/** What stands in the system message, and around the prompt in the first user message. */
export type LoadedContext = {
  readonly system: ContextPart;
  readonly before: ContextPart;
  readonly after: ContextPart;
  /** What the trust policy says about the items in it, once for each item. */
  readonly warnings: readonly ThreadWarning[];
};

/**
 * Loads what hooks and the directive's `<context>` add (S0): hooks, then the directive's items before the prompt; the
 * directive's items, then hooks after it. `done` is called in the same tick if no hook has to leave the worker.
 *
 * @throws SkeinError `item_not_found` for a missing item of `<context>`; a hook's missing item is a warning event
 */
export function loadContext(worker: InWorker, done: (context: LoadedContext) => void): void {
  const { directive, trustRemarks } = worker.thread.plan;
  const { items } = worker.services;
  const { context } = directive;
  const remarks = createItemRemarks(items, trustRemarks);
  const load = (ids: readonly string[], wrap: boolean): ContextPart => {
    const kept = ids.filter((id) => !context.suppress.includes(id));
    return { texts: kept.map((id) => loadItem({ id, wrap, directive: directive.id }, items, remarks)), sources: kept };
  };
  const system = load(context.system, false);
  const before = load(context.before, true);
  const after = load(context.after, true);
  contextBlocks(worker, remarks, (hooks) => {
    const around = { before: join(hooks.before, before), after: join(after, hooks.after) };
    done({ system, ...around, warnings: remarks.warnings() });
  });
}

function join(first: ContextPart, second: ContextPart): ContextPart {
  return { texts: [...first.texts, ...second.texts], sources: [...first.sources, ...second.sources] };
}

type Wanted = { readonly id: string; readonly wrap: boolean; readonly directive: string };

function loadItem(wanted: Wanted, items: Services['items'], remarks: ItemRemarks): string {
  try {
    const { name, id, content } = items.knowledge(wanted.id);
    remarks.add({ kind: 'knowledge', id });
    return wanted.wrap ? wrapItem({ name, id, type: 'knowledge' }, content.trim()) : content.trim();
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    throw new SkeinError(thrown.code, `<context> of ${wanted.directive}: ${thrown.message}`, { cause: thrown });
  }
}
