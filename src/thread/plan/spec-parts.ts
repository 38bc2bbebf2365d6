import type { Config } from '../../config/config.ts';
import { ownLimits, type OwnLimits } from '../../config/limits.ts';
import type { Directive } from '../../core/item.ts';
import type { ThreadSpec } from '../../core/protocol.ts';
import { narrow } from '../../items/capability.ts';
import type { ModelBinding, Providers } from '../../providers/provider-registry.ts';
import type { ModelChoice } from '../../providers/model-reference.ts';
import type { ResolvedChain } from './extends-chains.ts';

/** What specs of a directive are made of that depends neither on inputs nor on what a parent has left. */
export type SharedParts = Pick<ThreadSpec, 'capabilities' | 'warnings'> & { readonly fallbacks: readonly string[] };

/** What the shared parts of a spec follow from. */
export type SharedQuestion = {
  readonly directive: Directive;
  readonly chain: ResolvedChain;
  readonly choice: ModelChoice;
  readonly model: ModelBinding;
  readonly limits: OwnLimits;
  /** The capabilities of the parent, if there is one. */
  readonly above: ThreadSpec['capabilities'] | undefined;
};

/**
 * Parts of specs, which are the same for thousands of threads in a row.
 *
 * Owns: of each directive, as it was read from its files, its limits and the parts that were asked for last. Another file is
 * another directive, another model another binding, and another config has other parts.
 */
export interface SpecParts {
  /** Its limits before a parent caps them. @throws SkeinError as `resolveLimits` does */
  limits(directive: Directive, overrides: Readonly<Record<string, unknown>> | undefined): OwnLimits;
  /** The same question is answered with the same object. @throws SkeinError `invalid_config` for an unknown fallback */
  shared(question: SharedQuestion): SharedParts;
}

/** What parts are made from. */
export type SpecPartsSources = {
  readonly config: Pick<Config, 'resilience'>;
  readonly providers: Pick<Providers, 'fallbacks'>;
};

/** Makes the parts of one version of the config. */
export function createSpecParts({ config, providers }: SpecPartsSources): SpecParts {
  const { defaults } = config.resilience.limits;
  const limits = new WeakMap<Directive, OwnLimits>();
  const last = new WeakMap<Directive, { readonly question: SharedQuestion; readonly parts: SharedParts }>();
  return {
    limits(directive, overrides) {
      if (overrides) return ownLimits({ defaults, directive, overrides });
      const known = limits.get(directive) ?? ownLimits({ defaults, directive });
      limits.set(directive, known);
      return known;
    },
    shared(question) {
      const known = last.get(question.directive);
      if (known && isSame(known.question, question)) return known.parts;
      const parts = makeParts(question, providers);
      last.set(question.directive, { question, parts });
      return parts;
    },
  };
}

function isSame(one: SharedQuestion, other: SharedQuestion): boolean {
  return (
    one.chain === other.chain &&
    one.choice === other.choice &&
    one.model === other.model &&
    one.limits === other.limits &&
    one.above === other.above
  );
}

function makeParts(
  { directive, chain, choice, limits, above }: SharedQuestion,
  providers: SpecPartsSources['providers'],
): SharedParts {
  return {
    fallbacks: providers.fallbacks(choice, directive.model.fallback),
    warnings: [...directive.warnings, ...chain.warnings, ...limits.warnings],
    capabilities: narrow(chain.capabilities, above),
  };
}
