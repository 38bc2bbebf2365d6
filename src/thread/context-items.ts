import { SkeinError } from '../core/errors.ts';
import { contextBlocks } from './context-hooks.ts';
import type { InWorker } from './conversation.ts';
import type { Services } from './services.ts';
import { wrapItem } from './wrap-item.ts';

/** Texts in order, and where each came from. */
export type ContextPart = { readonly texts: readonly string[]; readonly sources: readonly string[] };

/** What stands in the system message, and around the prompt in the first user message. */
export type LoadedContext = { readonly system: ContextPart; readonly before: ContextPart; readonly after: ContextPart };

/**
 * Loads what hooks and the directive's `<context>` add (S0): hooks, then the directive's items before the prompt; the
 * directive's items, then hooks after it. `done` is called in the same tick if no hook has to leave the worker.
 *
 * @throws SkeinError `item_not_found` for a missing item of `<context>`; a hook's missing item is a warning event
 */
export function loadContext(worker: InWorker, done: (context: LoadedContext) => void): void {
  const { context, id } = worker.thread.plan.directive;
  const load = (items: readonly string[], wrap: boolean): ContextPart => {
    const kept = items.filter((item) => !context.suppress.includes(item));
    return { texts: kept.map((item) => loadItem({ item, wrap }, id, worker.services)), sources: kept };
  };
  const system = load(context.system, false);
  const before = load(context.before, true);
  const after = load(context.after, true);
  contextBlocks(worker, (hooks) => {
    done({ system, before: join(hooks.before, before), after: join(after, hooks.after) });
  });
}

function join(first: ContextPart, second: ContextPart): ContextPart {
  return { texts: [...first.texts, ...second.texts], sources: [...first.sources, ...second.sources] };
}

type Wanted = { readonly item: string; readonly wrap: boolean };

function loadItem({ item, wrap }: Wanted, directive: string, services: Services): string {
  try {
    const { name, id, content } = services.items.knowledge(item);
    return wrap ? wrapItem({ name, id, type: 'knowledge' }, content.trim()) : content.trim();
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    throw new SkeinError(thrown.code, `<context> of ${directive}: ${thrown.message}`, { cause: thrown });
  }
}
