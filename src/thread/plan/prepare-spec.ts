import { threadLimits, type ParentLimits } from '../../config/limits.ts';
import type { SplitSpec } from '../../core/packed-spec.ts';
import type { SpawnRequest, ThreadSpec } from '../../core/protocol.ts';
import type { ItemCache } from '../../items/item-cache.ts';
import { resolveInputs } from '../../items/inputs.ts';
import type { DirectiveTemplates } from '../../prompt/prompty/directive-templates.ts';
import type { Providers } from '../../providers/provider-registry.ts';
import { refuseImpossible } from './expected-outputs.ts';
import type { ExtendsChains } from './extends-chains.ts';
import type { SpecDrafts } from './spec-drafts.ts';

/** The parent of a thread that is being prepared. */
export type PreparingParent = { readonly limits: ParentLimits; readonly capabilities: ThreadSpec['capabilities'] };

/** What preparing needs. */
export type PrepareSources = {
  readonly items: ItemCache;
  readonly providers: Providers;
  readonly templates: DirectiveTemplates;
  /** Resolves what directives extend. */
  readonly plans: ExtendsChains;
  readonly drafts: SpecDrafts;
};

/**
 * Turns a request into a {@link SplitSpec}: loads the directive, fills and checks inputs, resolves limits, model, extends
 * chain and capabilities; a body that is a template is rendered once to see that it can be. Throws a `SkeinError` for whatever is wrong with the request or its directive; starts nothing.
 */
export function prepareSpec(request: SpawnRequest, sources: PrepareSources, parent?: PreparingParent): SplitSpec {
  const directive = sources.items.directive(request.directive);
  if (request.outputSchema) refuseImpossible(directive, request.outputSchema);
  const limits = threadLimits(sources.drafts.limits(directive), { overrides: request.limits, parent: parent?.limits });
  const choice = request.model ?? directive.model;
  const { reference: model } = sources.providers.resolve(choice);
  const inputs = resolveInputs(directive, request.inputs);
  if (directive.template) sources.templates.conversationOf(directive.template, inputs);
  const chain = sources.plans.chainFor({ directive, inputs, model });
  const { outputSchema } = request;
  const shared = sources.drafts.shared({ directive, chain, choice, model, above: parent?.capabilities, outputSchema });
  return { shared, own: { inputs, limits } };
}
