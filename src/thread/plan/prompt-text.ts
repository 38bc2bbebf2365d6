import type { ComposedContext } from '../../prompt/compose-context.ts';
import type { PlacedParts, PromptPart } from '../../prompt/prompt-parts.ts';
import type { Services } from '../services/services.ts';
import type { TemplateBody } from './template-body.ts';
import type { Thread } from '../thread.ts';

/** The hook that delivers the directive instruction as context, and the item that it delivers. */
const INSTRUCTION: readonly string[] = ['ctx_directive_instruction', 'rye/agent/core/DirectiveInstruction'];

/** Where the text comes from: context, and the body if a template made it. */
export type TextSources = {
  readonly context: PlacedParts;
  readonly body: TemplateBody | undefined;
};

/**
 * The directive as the thread's model reads it, inputs filled in. The directive instruction is no part of it where the context
 * delivers it ("never twice", contracts), or a directive of the chain suppresses it.
 */
export function promptText(
  { plan, spec }: Thread,
  { inputEnv }: Pick<Services, 'inputEnv'>,
  { context, body }: TextSources,
): string {
  const { system, before, after } = context;
  const isBare = [system, before, after].some((parts) => parts.some(deliversInstruction)) || isSuppressed(plan.context);
  if (!plan.hasInputRefs && !body) return isBare ? plan.barePrompt : plan.prompt;
  const values = { inputs: spec.own.inputs, env: inputEnv };
  return plan.render({ values, body: body?.text, ...(isBare && { instruction: '' }) });
}

function deliversInstruction({ source, item = source }: PromptPart): boolean {
  return INSTRUCTION.includes(source) || INSTRUCTION.includes(item);
}

function isSuppressed({ suppress }: ComposedContext): boolean {
  return INSTRUCTION.some((name) => suppress.has(name));
}
