import { fillInputRefs } from '../items/inputs.ts';
import { renderDirectivePrompt } from '../prompt/directive-prompt.ts';
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
  if (!plan.hasInputRefs) return isDelivered ? plan.barePrompt : plan.prompt;
  const fill = (text: string): string => fillInputRefs(text, spec.inputs, inputEnv);
  return renderDirectivePrompt(plan.rendered, { fill, ...(isDelivered && { instruction: '' }) });
}
