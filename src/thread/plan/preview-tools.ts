import type { PreviewPart, PromptPreview } from '../../core/prompt-preview.ts';
import { DIRECTIVE_RETURN_ID } from '../../prompt/directive-prompt.ts';
import { estimateHeadTokens, estimateTextTokens } from '../../providers/pricing.ts';
import { toolSection } from '../../providers/text-tools-request.ts';
import type { ThreadPlan } from './plan.ts';

/** What the system message of a model that calls tools in text says of them; nothing for another model. */
export function toldTools({ model, palette }: ThreadPlan): readonly PreviewPart[] {
  const text = model.callsInText ? toolSection(palette.definitions) : '';
  return text === '' ? [] : [{ kind: 'tools', source: model.reference, text, tokens: estimateTextTokens(text) }];
}

/** The tools that are offered, each with where a call of it goes. */
export function offeredTools({ model, palette }: ThreadPlan): PromptPreview['tools'] {
  return palette.definitions.map((definition) => ({
    ...definition,
    id: palette.idOf(definition.name) ?? DIRECTIVE_RETURN_ID,
    primary: palette.primaryOf(definition.name),
    inputSchema: { ...definition.inputSchema },
    tokens: model.callsInText ? 0 : estimateHeadTokens('', [definition]),
  }));
}
