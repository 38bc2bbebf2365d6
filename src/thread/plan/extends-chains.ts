import type { Config } from '../../config/config.ts';
import { SkeinError } from '../../core/errors.ts';
import type { Directive } from '../../core/item.ts';
import { haveSameItems } from '../../core/same-items.ts';
import { composePermissions, type ChainPermissions } from '../../items/chain-permissions.ts';
import { type Levels, readLevels } from '../../items/extends-chain.ts';
import type { ItemCache } from '../../items/item-cache.ts';
import { createExtendsRoutes, type Route, type RouteQuestion } from './extends-routes.ts';

/** What a directive extends in a thread, and what follows from it. */
export type ResolvedChain = ChainPermissions & {
  /** Ids of the directives it extends, root first. */
  readonly bases: readonly string[];
};

/** Resolves what directives extend. */
export interface ExtendsChains {
  /**
   * Asks the `resolve_extends` hooks and follows the chain to its root. The same files give the same object.
   *
   * @throws SkeinError as `readLevels` does, and `invalid_config` for a hook that can't be used
   */
  chainFor(question: RouteQuestion): ResolvedChain;
}

/** Where bases and hooks come from. */
export type ChainSources = { readonly items: Pick<ItemCache, 'directive'>; readonly config: Pick<Config, 'hooks'> };

/** Makes the chains of a worker. The last chain of each directive is kept for as long as its files are the same. */
export function createExtendsChains({ items, config }: ChainSources): ExtendsChains {
  const routes = createExtendsRoutes(config.hooks);
  const load = (id: string): Directive => items.directive(id);
  const known = new WeakMap<Directive, { readonly levels: Levels; readonly chain: ResolvedChain }>();
  return {
    chainFor(question) {
      const leaf = question.directive;
      const route = routes(question);
      const levels = routed(route, () => readLevels({ leaf, base: route.base, load }));
      const last = known.get(leaf);
      if (last && haveSameItems(levels, last.levels)) return last.chain;
      const chain = resolve(levels);
      known.set(leaf, { levels, chain });
      return chain;
    },
  };
}

function resolve(levels: Levels): ResolvedChain {
  const bases = levels.slice(0, -1);
  const { capabilities, warnings } = composePermissions(levels);
  const ofBases = bases.flatMap(({ id, warnings: own }) => own.map((text) => `In ${id}, which it extends: ${text}`));
  return { bases: bases.map(({ id }) => id), capabilities, warnings: [...ofBases, ...warnings] };
}

/** A chain that a hook has chosen names the hook in its errors: the directive does not say what it extends. */
function routed<Value>({ hook }: Route, work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    if (hook === undefined || !(thrown instanceof SkeinError)) throw thrown;
    const { code, message, where } = thrown;
    throw new SkeinError(code, `${message} (hook ${hook} says what is extended)`, { cause: thrown, where });
  }
}
