import type { Config } from '../../config/config.ts';
import { SkeinError } from '../../core/errors.ts';
import { eventsOf } from '../../core/hook-events.ts';
import type { Directive, HookSpec } from '../../core/item.ts';
import { compileHooks, type Hook } from '../hooks/hooks.ts';

/** The start of a directive of which it is asked what it extends. */
export type RouteQuestion = {
  readonly directive: Directive;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** `provider:model`. */
  readonly model: string;
};

/** What a directive extends in this thread, and the hook that says so, if one does. */
export type Route = { readonly base: string | undefined; readonly hook: string | undefined };

/** Finds out what a directive extends. */
export type ExtendsRoutes = (question: RouteQuestion) => Route;

const EVENT = 'resolve_extends';

/**
 * Makes the routing of a worker: `resolve_extends` hooks (S3 layer 2), in the order of all hooks; the first one whose
 * condition holds decides, and without one the directive does.
 *
 * @throws SkeinError when it is asked: `invalid_config` for a hook that does something else than `set_extends`
 */
export function createExtendsRoutes(hooks: Config['hooks']): ExtendsRoutes {
  let shared: readonly Hook[] | undefined;
  const own = new WeakMap<Directive, readonly Hook[]>();
  const hooksOf = (directive: Directive): readonly Hook[] => {
    const declared = directive.hooks.filter(isRoute);
    if (declared.length === 0) return (shared ??= compileRoutes({ hooks, directive: [], id: directive.id }));
    const known = own.get(directive) ?? compileRoutes({ hooks, directive: declared, id: directive.id });
    own.set(directive, known);
    return known;
  };
  return ({ directive, inputs, model }) => {
    const routes = hooksOf(directive);
    const { id, category } = directive;
    const declared = directive.extends;
    const context = { directive: id, has_extends: declared !== undefined, category, inputs, model };
    const hook = routes.find(({ matches }) => matches(context));
    return hook ? { base: targetOf(hook), hook: hook.id } : { base: declared, hook: undefined };
  };
}

type Routes = { readonly hooks: Config['hooks']; readonly directive: readonly HookSpec[]; readonly id: string };

function compileRoutes({ hooks, directive, id }: Routes): readonly Hook[] {
  const { project, user, builtin, infra } = hooks;
  const sources = {
    directive,
    project: project.filter(isRoute),
    user: user.filter(isRoute),
    builtin: builtin.filter(isRoute),
    infra: infra.filter(isRoute),
  };
  const routes = compileHooks(sources, id).get(EVENT) ?? [];
  for (const hook of routes) targetOf(hook);
  return routes;
}

function isRoute(spec: HookSpec): boolean {
  return eventsOf(spec).includes(EVENT);
}

function targetOf({ id, actions }: Hook): string {
  const [first, ...others] = actions;
  const target = first?.attributes['set_extends'];
  if (typeof target === 'string' && others.length === 0) return target;
  throw new SkeinError('invalid_config', `Hook ${id}: the action of a ${EVENT} hook is one set_extends, nothing else`);
}
