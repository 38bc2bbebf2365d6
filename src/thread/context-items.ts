import { SkeinError } from '../core/errors.ts';
import { contextBlocks } from './context-hooks.ts';
import type { Services } from './services.ts';
import type { Thread } from './thread.ts';
import { wrapKnowledge } from './wrap-knowledge.ts';

/** Texts in order, and where each came from. */
export type ContextPart = { readonly texts: readonly string[]; readonly sources: readonly string[] };

/** What stands in the system message, and around the prompt in the first user message. */
export type LoadedContext = { readonly system: ContextPart; readonly before: ContextPart; readonly after: ContextPart };

/**
 * Loads what hooks and the directive's `<context>` add (S0): hooks, then the directive's items before the prompt; the
 * directive's items, then hooks after it.
 *
 * @throws SkeinError `item_not_found` for a missing item of `<context>`; a hook's missing item is a warning event
 */
export function loadContext(thread: Thread, services: Services): LoadedContext {
  const { context, id } = thread.plan.directive;
  const hooks = contextBlocks(thread, services);
  const load = (items: readonly string[], wrap: boolean): ContextPart => {
    const kept = items.filter((item) => !context.suppress.includes(item));
    return { texts: kept.map((item) => loadItem({ item, wrap }, id, services)), sources: kept };
  };
  const before = load(context.before, true);
  const after = load(context.after, true);
  return {
    system: load(context.system, false),
    before: join({ texts: hooks.before, sources: hooks.sources.before }, before),
    after: join(after, { texts: hooks.after, sources: hooks.sources.after }),
  };
}

function join(first: ContextPart, second: ContextPart): ContextPart {
  return { texts: [...first.texts, ...second.texts], sources: [...first.sources, ...second.sources] };
}

type Wanted = { readonly item: string; readonly wrap: boolean };

function loadItem({ item, wrap }: Wanted, directive: string, services: Services): string {
  try {
    const knowledge = services.items.knowledge(item);
    return wrap ? wrapKnowledge(knowledge) : knowledge.content.trim();
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    throw new SkeinError(thrown.code, `<context> of ${directive}: ${thrown.message}`, { cause: thrown });
  }
}
