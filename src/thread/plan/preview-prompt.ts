import { mediaSource, type MediaPart } from '../../core/content-part.ts';
import { createThreadIds } from '../../core/ids.ts';
import type { PreviewPart, PromptPreview } from '../../core/prompt-preview.ts';
import { fromFailure } from '../../core/errors.ts';
import type { Lineage, SpawnRequest } from '../../core/protocol.ts';
import { joinTexts } from '../../prompt/join-texts.ts';
import type { PromptPart } from '../../prompt/prompt-parts.ts';
import { estimateMediaTokens } from '../../providers/media-tokens.ts';
import { estimateTextTokens } from '../../providers/pricing.ts';
import { createUncalledProviders } from '../../providers/provider-registry.ts';
import { loadContext, type LoadedContext } from './context-items.ts';
import { createPlanCache } from './plan.ts';
import { previewTiers } from '../tiers/preview-tiers.ts';
import { notesOn } from './preview-notes.ts';
import { offeredTools, toldTools } from './preview-tools.ts';
import { prepareSpec } from './prepare-spec.ts';
import { promptText } from './prompt-text.ts';
import type { Services } from '../services/services.ts';
import { startWarnings, type ThreadWarning } from './start-warnings.ts';
import { systemPart, templateBody, type TemplateBody } from './template-body.ts';
import { createThread, type Thread } from '../thread.ts';
import { withoutEffects } from './without-effects.ts';

/**
 * Builds what a thread would send with its first call, the way a thread does, and starts none: no model is called, and hooks
 * read items but run nothing (a warning says so).
 *
 * @throws SkeinError for what would keep the thread from starting
 */
export async function previewPrompt(request: SpawnRequest, services: Services): Promise<PromptPreview> {
  // No key and no script is needed to look.
  const providers = createUncalledProviders(services.config.agent, services.clock);
  const plans = createPlanCache({ ...services, providers });
  const { shared, own } = prepareSpec(request, { ...services, providers, plans });
  await services.mcp.ready(shared.capabilities);
  const plan = plans.planFor(shared);
  const thread = createThread({ lineage: nowhere(), spec: { shared, own }, plan, now: services.clock.now() });
  const warnings: ThreadWarning[] = [...startWarnings(thread, services)];
  const context = await load(
    thread,
    withoutEffects(services, (warning) => warnings.push(warning)),
  );
  const body = templateBody(thread, services);
  const directive = systemPart(thread, body).map((part) => ({ ...toPart(part), kind: 'directive' as const }));
  const system = toMessage([...context.system.map(toPart), ...directive]);
  const message = toMessage(messageParts(thread, services, { context, body }), body?.media);
  thread.system = system.text;
  const tiers = await previewTiers(thread, services, { text: message.text, media: body?.media });
  return {
    directive: plan.directive.id,
    extends: [...(shared.extends ?? [])],
    model: shared.model,
    capabilities: shared.capabilities.map((list) => [...list]),
    system: toMessage([...system.parts, ...toldTools(plan)]),
    message,
    ...(tiers && { tiers }),
    tools: offeredTools(plan),
    leftOut: [...plan.palette.leftOut],
    notes: [...notesOn(shared.capabilities, services.tools.all())],
    warnings: [...warnings, ...context.warnings],
  };
}

/** A thread that has no place in any tree. */
function nowhere(): Lineage {
  const threadId = createThreadIds(
    () => 0,
    (size) => new Uint8Array(size),
  )();
  return { thread: 0, threadId, parent: undefined, parentId: undefined, root: 0 };
}

function load(thread: Thread, services: Services): Promise<LoadedContext> {
  return new Promise((resolve, reject) => {
    thread.send = (event) => {
      if (event.type === 'FAIL') reject(fromFailure(event.failure));
    };
    loadContext({ thread, services }, resolve);
  });
}

type Texts = { readonly context: LoadedContext; readonly body: TemplateBody | undefined };

function messageParts(thread: Thread, services: Services, { context, body }: Texts): PreviewPart[] {
  const text = promptText(thread, services, { context, body });
  const directive = {
    kind: 'directive',
    source: thread.plan.directive.id,
    text,
    tokens: estimateTextTokens(text),
  } as const;
  const media = (body?.media ?? []).map((part) => mediaPart(part, directive.source));
  return [...context.before.map(toPart), directive, ...context.after.map(toPart), ...media];
}

/** What is no text, by where it is or how large it is; its tokens are estimated as in a thread. */
function mediaPart(part: MediaPart, source: string): PreviewPart {
  const { kind } = part;
  const found = mediaSource(part);
  const place = found?.at === 'data' ? { size: Buffer.byteLength(found.data, 'base64') } : found && { url: found.url };
  const mediaType = found?.mediaType;
  const type = mediaType === undefined ? {} : { mediaType };
  return { kind, source, ...place, ...type, text: '', tokens: estimateMediaTokens([part]) };
}

function toMessage(parts: PreviewPart[], media?: readonly MediaPart[]): PromptPreview['message'] {
  const text = joinTexts(parts.map((part) => part.text));
  return { text, tokens: estimateTextTokens(text) + estimateMediaTokens(media), parts };
}

function toPart({ source, item, space, declaredBy, text }: PromptPart): PreviewPart {
  return {
    kind: declaredBy === undefined ? 'hook' : 'knowledge',
    source,
    ...(item !== undefined && { item }),
    ...(space !== undefined && { space }),
    ...(declaredBy !== undefined && { declaredBy }),
    text,
    tokens: estimateTextTokens(text),
  };
}
