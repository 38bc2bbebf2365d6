import type { Assembly } from '../core/assembly.ts';
import type { Directive } from '../core/item.ts';

/** A knowledge item that stands in a prompt, and the directive that wants it there. */
export type ContextItem = { readonly id: string; readonly declaredBy: string };

/** What the directives of an extends chain put into a prompt. */
export type ComposedContext = {
  readonly system: readonly ContextItem[];
  readonly before: readonly ContextItem[];
  readonly after: readonly ContextItem[];
  /** Ids of hooks and items that are left out, also where a hook brings them. */
  readonly suppress: ReadonlySet<string>;
  /** As the last of the chain says that says it. */
  readonly assembly: Assembly | undefined;
};

const PLACES = ['system', 'before', 'after'] as const;

/**
 * Composes the `<context>` of an extends chain, root first (S0, S3 layer 3). An item is there once, where it is declared
 * first: levels in order, in each of them system, before, after. What any level suppresses is not there, whoever declares
 * it.
 */
export function composeContext(levels: readonly Pick<Directive, 'id' | 'context'>[]): ComposedContext {
  const suppress = new Set(levels.flatMap(({ context }) => context.suppress));
  const seen = new Set(suppress);
  const composed = {
    system: new Array<ContextItem>(),
    before: new Array<ContextItem>(),
    after: new Array<ContextItem>(),
  };
  for (const { id: declaredBy, context } of levels) {
    for (const place of PLACES) {
      for (const id of context[place]) {
        if (seen.has(id)) continue;
        seen.add(id);
        composed[place].push({ id, declaredBy });
      }
    }
  }
  const assembly = levels.findLast(({ context }) => context.assembly !== undefined)?.context.assembly;
  return { ...composed, suppress, assembly };
}
