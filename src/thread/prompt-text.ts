import { fillInputRefs } from '../items/inputs.ts';
import { sourcesOf } from '../prompt/prompt-parts.ts';
import type { LoadedContext } from './context-items.ts';
import type { Services } from './services.ts';
import type { Thread } from './thread.ts';

/** Delivers the directive instruction as context; the rendered prompt leaves it out then (contracts). */
const INSTRUCTION_HOOK = 'ctx_directive_instruction';

/** The directive as the thread's model reads it, inputs filled in. */
export function promptText(
  { plan, spec }: Thread,
  { inputEnv }: Pick<Services, 'inputEnv'>,
  { before, after }: LoadedContext,
): string {
  const isDelivered = [before, after].some((parts) => sourcesOf(parts).includes(INSTRUCTION_HOOK));
  const template = isDelivered ? plan.barePrompt : plan.prompt;
  return plan.hasInputRefs ? fillInputRefs(template, spec.inputs, inputEnv) : template;
}
