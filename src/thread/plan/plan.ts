import type { Config } from '../../config/config.ts';
import type { Assembly } from '../../core/assembly.ts';
import type { Clock } from '../../core/clock.ts';
import type { Directive } from '../../core/item.ts';
import type { SharedSpec } from '../../core/packed-spec.ts';
import type { ToolCaller } from '../../core/tool.ts';
import { compileChain } from '../../items/capability.ts';
import type { Levels } from '../../items/extends-chain.ts';
import { compileInputRefs, type InputValues } from '../../items/input-refs.ts';
import type { ItemCache } from '../../items/item-cache.ts';
import { cleanPreamble } from '../../items/prose.ts';
import { composeContext, type ComposedContext } from '../../prompt/compose-context.ts';
import { compileDirectivePrompt, type RenderDirective } from '../../prompt/directive-prompt.ts';
import { rememberingJoin, type JoinTexts } from '../../prompt/join-texts.ts';
import type { ModelBinding, Providers } from '../../providers/provider-registry.ts';
import { capabilityTree } from '../../tools/capability-tree.ts';
import { buildPalette, type Palette } from '../../tools/palette.ts';
import { offersPrimary, primaryOfTool } from '../../tools/primary-offer.ts';
import { isContextTool } from '../tools/context-tools.ts';
import { createExtendsChains, type ExtendsChains } from './extends-chains.ts';
import { expectOutputs, type ExpectedOutputs } from './expected-outputs.ts';
import { compileHooks, type HookSet } from '../hooks/hooks.ts';
import { createKnowledgeTexts, type KnowledgeTexts } from './knowledge-texts.ts';
import { planWarnings, type ThreadWarning } from './start-warnings.ts';
import type { ToolShelf } from '../tools/tool-shelf.ts';

/** What threads of the same directive, model and capabilities share: made once, never changed. */
export type ThreadPlan = {
  readonly directive: Directive;
  /** The directive and those it extends, root first. */
  readonly levels: Levels;
  /** What the trust policy says about their files. */
  readonly trustRemarks: readonly TrustRemark[];
  /** What their `<context>` puts into the prompt. */
  readonly context: ComposedContext;
  readonly hooks: HookSet;
  readonly model: ModelBinding;
  readonly palette: Palette;
  /** What the log of each of its threads begins with, beside what is the thread's own. */
  readonly warnings: readonly ThreadWarning[];
  /** What it may do, as its log says it. */
  readonly capabilityTree: readonly string[];
  /** What the thread may do to which items. */
  readonly allows: ToolCaller['allows'];
  /** Whether the thread may run a directive in a child. */
  readonly mayRun: (directive: string) => boolean;
  /** How its prompts are assembled. */
  readonly assembly: Assembly;
  /** Renders the directive for a thread. */
  readonly render: RenderDirective<InputValues>;
  /** The rendered directive, `{input:…}` references unfilled. */
  readonly prompt: string;
  /** The same without the directive instruction. */
  readonly barePrompt: string;
  readonly hasInputRefs: boolean;
  /** Joins the texts of the system message, and of the first user message. */
  readonly join: { readonly system: JoinTexts; readonly message: JoinTexts };
  /** Texts of knowledge items, as prompts show them. */
  readonly knowledgeText: KnowledgeTexts;
  /** What `directive_return` must deliver. */
  readonly expected: ExpectedOutputs;
  /** Tokens of the palette, part of every request, as the model's counter counts them. */
  readonly paletteTokens: number;
};

/** What the trust policy says about a directive. */
export type TrustRemark = { readonly id: string; readonly message: string };

/** Finds or makes the plan of a thread. */
export interface PlanCache extends ExtendsChains {
  planFor(spec: SharedSpec): ThreadPlan;
}

/** What plans are made from. */
export type PlanSources = {
  readonly config: Config;
  readonly items: ItemCache;
  readonly providers: Providers;
  readonly tools: ToolShelf;
  readonly clock: Pick<Clock, 'now'>;
};

/**
 * Makes a worker's plan cache. A plan is renewed when the file of one of its directives has changed, tools were registered or
 * the model has another price; a tool's file that changes on disk is seen by plans that are made after that. A plan is kept
 * as long as its shared part: of those that no thread has, `SharedSpecs` bounds the number.
 */
export function createPlanCache(sources: PlanSources): PlanCache {
  const plans = new WeakMap<SharedSpec, { readonly plan: ThreadPlan; readonly tools: number }>();
  const hooks = sharedHooks(sources.config);
  const isCurrent = (level: Directive): boolean => sources.items.directive(level.id) === level;
  return {
    ...createExtendsChains(sources),
    planFor(spec) {
      const known = plans.get(spec);
      const isPriced = known && known.plan.model.pricedUntil > sources.clock.now();
      if (isPriced && known.tools === sources.tools.version() && known.plan.levels.every(isCurrent)) return known.plan;
      const plan = makePlan(spec, { ...sources, hooks });
      plans.set(spec, { plan, tools: sources.tools.version() });
      return plan;
    },
  };
}

type HooksOf = (directive: Directive) => HookSet;

/** Most directives have no hooks of their own: they share one set. */
function sharedHooks({ hooks }: Config): HooksOf {
  let shared: HookSet | undefined;
  return ({ id, hooks: directive }) => {
    if (directive.length > 0) return compileHooks({ directive, ...hooks }, id);
    return (shared ??= compileHooks({ directive, ...hooks }, id));
  };
}

function makePlan(spec: SharedSpec, sources: PlanSources & { readonly hooks: HooksOf }): ThreadPlan {
  const { config, providers, tools, items } = sources;
  const directive = items.directive(spec.directive);
  const levels = [...(spec.extends ?? []).map((id) => items.directive(id)), directive];
  const capabilities = compileChain(spec.capabilities);
  const context = composeContext(levels);
  const assembly = context.assembly ?? config.agent.assembly;
  const offers = (id: string): boolean => {
    if (assembly === 'flat' && isContextTool(id)) return false;
    const primary = primaryOfTool(id);
    return primary ? offersPrimary(primary, spec.capabilities) : capabilities.allows('execute', 'tool', id);
  };
  const expected = expectOutputs(directive, spec.outputSchema);
  const all = tools.all();
  const capabilityPatterns = spec.capabilities.flat();
  const palette = buildPalette({
    tools: all,
    allows: offers,
    returnTool: expected.definition,
    capabilityPatterns,
    enabled: config.resilience.toolPreload.enabled,
    maxTokens: config.resilience.toolPreload.maxTokens,
  });
  const preamble = cleanPreamble(directive.preamble);
  const { fields: outputs, hasMore: hasMoreOutputs } = expected;
  const render = compileDirectivePrompt({ ...directive, preamble, outputs, hasMoreOutputs }, compileInputRefs);
  const prompt = render();
  const model = providers.resolve(spec.model);
  const trustRemarks = levels.flatMap(({ id }) => items.remarks('directive', id).map((message) => ({ id, message })));
  const leftOut = tools.leftOut().filter(({ id }) => offers(id));
  return {
    directive,
    levels,
    trustRemarks,
    context,
    assembly,
    hooks: sources.hooks(directive),
    model,
    palette,
    capabilityTree: capabilityTree(
      capabilityPatterns,
      all.map(({ id }) => id).filter((id) => !primaryOfTool(id) && offers(id)),
    ),
    warnings: planWarnings({ trustRemarks, leftOut, palette, model }),
    allows: (...question) => capabilities.allows(...question),
    mayRun: (id) => capabilities.allows('execute', 'directive', id),
    expected,
    render,
    prompt,
    barePrompt: render({ instruction: '' }),
    hasInputRefs: prompt.includes('{input:') || prompt.includes('{env:'),
    join: { system: rememberingJoin(), message: rememberingJoin() },
    knowledgeText: createKnowledgeTexts(),
    paletteTokens: countPalette(palette, model),
  };
}

/** Tokens of a palette as a model's counter counts them. */
export function countPalette(
  { definitions }: Pick<ThreadPlan['palette'], 'definitions'>,
  { counter }: ModelBinding,
): number {
  return counter.count(JSON.stringify(definitions));
}
