import type { PromptPart } from '../../prompt/prompt-parts.ts';
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
  const isDelivered = before.some(deliversInstruction) || after.some(deliversInstruction);
  if (!plan.hasInputRefs && !body) return isDelivered ? plan.barePrompt : plan.prompt;
  const values = { inputs: spec.own.inputs, env: inputEnv };
  return plan.render({ values, body: body?.text, ...(isDelivered && { instruction: '' }) });
}

function deliversInstruction({ source }: PromptPart): boolean {
  return source === INSTRUCTION_HOOK;
}
