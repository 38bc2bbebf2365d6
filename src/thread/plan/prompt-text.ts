import { fillInputRefs } from '../../items/input-refs.ts';
import { sourcesOf } from '../../prompt/prompt-parts.ts';
import type { LoadedContext } from './context-items.ts';
import type { Services } from '../services/services.ts';
import type { TemplateBody } from './template-body.ts';
import type { Thread } from '../thread.ts';

/** Delivers the directive instruction as context; the rendered prompt leaves it out then (contracts). */
const INSTRUCTION_HOOK = 'ctx_directive_instruction';

/** Where the text comes from: context, and the body if a template made it. */
export type PromptSources = {
  readonly context: Pick<LoadedContext, 'before' | 'after'>;
  readonly body: TemplateBody | undefined;
};

/** The directive as the thread's model reads it, inputs filled in. */
export function promptText(
  { plan, spec }: Thread,
  { inputEnv }: Pick<Services, 'inputEnv'>,
  { context: { before, after }, body }: PromptSources,
): string {
  const isDelivered = [before, after].some((parts) => sourcesOf(parts).includes(INSTRUCTION_HOOK));
  if (!plan.hasInputRefs && !body) return isDelivered ? plan.barePrompt : plan.prompt;
  const fill = (text: string): string => fillInputRefs(text, spec.inputs, inputEnv);
  return plan.render({ fill, body: body?.text, ...(isDelivered && { instruction: '' }) });
}
