import type { Config } from '../../config/config.ts';
import { directiveLimits, type DirectiveLimits } from '../../config/limits.ts';
import type { Directive } from '../../core/item.ts';
import type { SharedSpec } from '../../core/packed-spec.ts';
import type { ThreadSpec } from '../../core/protocol.ts';
import { narrow } from '../../items/capability.ts';
import type { ModelChoice } from '../../providers/model-reference.ts';
import type { Providers } from '../../providers/provider-registry.ts';
import type { ResolvedChain } from './extends-chains.ts';
import type { SharedSpecs } from './shared-specs.ts';

/** What the shared part of a spec follows from. */
export type DraftQuestion = {
  readonly directive: Directive;
  readonly chain: ResolvedChain;
  readonly choice: ModelChoice;
  /** `provider:model` of the choice. */
  readonly model: string;
  /** The capabilities of the parent, if there is one. */
  readonly above: ThreadSpec['capabilities'] | undefined;
  readonly outputSchema: ThreadSpec['outputSchema'];
};

/**
 * What of specs is the same for thousands of threads in a row.
 *
 * Owns: of each directive, as it was read from its file, its limits and the shared part that was asked for last.
 */
export interface SpecDrafts {
  /** Its limits before a caller or a parent changes them. @throws SkeinError as `resolveLimits` does */
  limits(directive: Directive): DirectiveLimits;
  /** @throws SkeinError `invalid_config` for an unknown fallback */
  shared(question: DraftQuestion): SharedSpec;
}

/** What drafts are made from. */
export type DraftSources = {
  readonly config: Pick<Config, 'resilience'>;
  readonly providers: Pick<Providers, 'fallbacks'>;
  readonly specs: SharedSpecs;
};

type Draft = {
  readonly limits: DirectiveLimits;
  last: { readonly question: DraftQuestion; readonly shared: SharedSpec } | undefined;
};

/** Makes the drafts of one version of the config. */
export function createSpecDrafts({ config, providers, specs }: DraftSources): SpecDrafts {
  const { defaults } = config.resilience.limits;
  const drafts = new WeakMap<Directive, Draft>();
  const draftOf = (directive: Directive): Draft => {
    const known = drafts.get(directive) ?? { limits: directiveLimits(defaults, directive), last: undefined };
    drafts.set(directive, known);
    return known;
  };
  return {
    limits: (directive) => draftOf(directive).limits,
    shared(question) {
      const draft = draftOf(question.directive);
      if (draft.last && isSame(draft.last.question, question)) return draft.last.shared;
      const { directive, chain, choice, model, above, outputSchema } = question;
      const fallbacks = providers.fallbacks(choice, directive.model.fallback);
      const shared = specs.of({
        directive: directive.id,
        ...(chain.bases.length > 0 && { extends: chain.bases }),
        model,
        ...(fallbacks.length > 0 && { fallbacks }),
        warnings: [...directive.warnings, ...chain.warnings, ...draft.limits.warnings],
        capabilities: narrow(chain.capabilities, above),
        outputSchema,
      });
      draft.last = { question, shared };
      return shared;
    },
  };
}

/** Of objects, the same one is asked for: another file, chain, parent or schema is another object. */
function isSame(one: DraftQuestion, other: DraftQuestion): boolean {
  return (
    one.chain === other.chain &&
    one.choice === other.choice &&
    one.model === other.model &&
    one.above === other.above &&
    one.outputSchema === other.outputSchema
  );
}
