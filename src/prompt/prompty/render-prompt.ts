import type { PromptyAgent, PromptyComponent } from '../../core/prompty-agent.ts';
import type { Rendered } from './engine/template.ts';
import { errorInFile } from './error-in-file.ts';
import { markRoles } from './marked-roles.ts';
import type { NonceSource } from './nonces.ts';
import { prepareInputs, type NonceMap } from './prepare-inputs.ts';
import type { Registry } from './registry.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';
import type { AnyRenderer } from './renderer.ts';
import type { PromptyInputs } from './validate-inputs.ts';
import { wrongResult } from './wrong-result.ts';

/** What rendering needs. */
export type RenderParts = { readonly renderers: Registry<AnyRenderer>; readonly newNonce: NonceSource };

/**
 * As S4's `render`. Errors name the file of the prompt, if there is one.
 *
 * @throws ValueError for the template or its inputs, InvokerError for an unknown format, SkeinError `invalid_argument` for a
 * renderer that gives no text
 */
export function renderPrompt(parts: RenderParts, agent: PromptyAgent, given: PromptyInputs): RenderedPrompt {
  try {
    return renderSteps(parts, agent, given);
  } catch (thrown) {
    throw errorInFile(thrown, agent);
  }
}

/** As {@link renderPrompt}, for renderers that wait for something. */
export async function renderPromptAsync(
  parts: RenderParts,
  agent: PromptyAgent,
  given: PromptyInputs,
): Promise<RenderedPrompt> {
  try {
    return await renderStepsAsync(parts, agent, given);
  } catch (thrown) {
    throw errorInFile(thrown, agent);
  }
}

/**
 * S4's `render`, step by step: validate, replace rich values by nonces, look up the renderer, render. What S4 stores for the
 * parser is returned with the text.
 */
function renderSteps(parts: RenderParts, agent: PromptyAgent, given: PromptyInputs): RenderedPrompt {
  const { instructions } = agent;
  const { format } = agent.template;
  const { inputs, nonces } = prepareInputs(agent, given, parts.newNonce);
  const renderer = rendererOf(parts, format.kind, nonces);
  if ('tellsInputs' in renderer) return withNonces(renderer.render(instructions, inputs, format), nonces);
  const { template, unmark } = markRoles(instructions, parts.newNonce());
  return withNonces(unmark(textOf(renderer.render(template, inputs, format), format)), nonces);
}

async function renderStepsAsync(
  parts: RenderParts,
  agent: PromptyAgent,
  given: PromptyInputs,
): Promise<RenderedPrompt> {
  const { instructions } = agent;
  const { format } = agent.template;
  const { inputs, nonces } = prepareInputs(agent, given, parts.newNonce);
  const renderer = rendererOf(parts, format.kind, nonces);
  if ('tellsInputs' in renderer) return withNonces(await renderer.renderAsync(instructions, inputs, format), nonces);
  const { template, unmark } = markRoles(instructions, parts.newNonce());
  return withNonces(unmark(textOf(await renderer.renderAsync(template, inputs, format), format)), nonces);
}

function rendererOf({ renderers }: RenderParts, kind: string, nonces: NonceMap): AnyRenderer {
  const renderer = renderers.get(kind);
  const isKnowing = 'tellsInputs' in renderer && nonces.size > 0;
  return (isKnowing ? renderer.forNonces?.(nonces) : undefined) ?? renderer;
}

/** What a renderer of somebody's own gave. */
function textOf(given: unknown, { kind }: PromptyComponent): string {
  if (typeof given === 'string') return given;
  throw wrongResult({ component: 'renderer', key: kind }, 'text', given);
}

function withNonces({ text, inputSpans }: Rendered, nonces: RenderedPrompt['nonces']): RenderedPrompt {
  return { text, inputSpans, nonces };
}
