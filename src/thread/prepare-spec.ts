import { resolveLimits, type ParentLimits } from '../config/limits.ts';
import type { Config } from '../config/config.ts';
import { SkeinError } from '../core/errors.ts';
import type { SpawnRequest, ThreadSpec } from '../core/protocol.ts';
import type { ItemCache } from '../items/item-cache.ts';
import { intersect } from '../items/capability.ts';
import { resolveInputs } from '../items/inputs.ts';
import type { Providers } from '../providers/provider-registry.ts';

/** The parent of a thread that is being prepared. */
export type PreparingParent = { readonly limits: ParentLimits; readonly capabilities: ThreadSpec['capabilities'] };

/** What preparing needs. */
export type PrepareSources = { readonly config: Config; readonly items: ItemCache; readonly providers: Providers };

/**
 * Turns a request into a {@link ThreadSpec}: loads the directive, fills and checks inputs, resolves limits, model and
 * capabilities. Throws a `SkeinError` for whatever is wrong with the request or its directive; starts nothing.
 */
export function prepareSpec(request: SpawnRequest, sources: PrepareSources, parent?: PreparingParent): ThreadSpec {
  const directive = sources.items.directive(request.directive);
  if (directive.extends !== undefined) {
    throw new SkeinError(
      'not_available',
      `Directive ${directive.id} extends ${directive.extends}; extends chains are not available in this version`,
    );
  }
  if (directive.model.fallback !== undefined) {
    throw new SkeinError(
      'not_available',
      `Directive ${directive.id} names a fallback model; fallbacks are not available in this version`,
    );
  }
  const { limits, warnings } = resolveLimits({
    defaults: sources.config.resilience.limits.defaults,
    directive,
    overrides: request.limits ?? {},
    ...(parent && { parent: parent.limits }),
  });
  const { reference } = sources.providers.resolve(request.model ?? directive.model);
  return {
    directive: directive.id,
    inputs: resolveInputs(directive, request.inputs),
    limits,
    model: reference,
    warnings: [...directive.warnings, ...warnings],
    capabilities: intersect(directive.permissions, parent?.capabilities),
    outputSchema: request.outputSchema,
  };
}
