import type { PreviewMessage, PreviewPart, PromptPreview } from '../index.ts';

/** A preview in snake case, as everything that is stored or sent. */
export function promptJson(preview: PromptPreview): Readonly<Record<string, unknown>> {
  const { directive, model, capabilities, system, message, tools, notes, warnings } = preview;
  return {
    directive,
    extends: preview.extends,
    model,
    capabilities,
    messages: [
      ...(system.text === '' ? [] : [{ role: 'system', ...messageJson(system) }]),
      { role: 'user', ...messageJson(message) },
    ],
    ...(preview.tiers && { assembly: tiersJson(preview.tiers) }),
    tools: tools.map(({ name, id, primary, description, inputSchema, tokens }) => ({
      name,
      item_id: id,
      _primary: primary,
      description,
      input_schema: inputSchema,
      tokens,
    })),
    left_out: preview.leftOut,
    tokens: tokensOf(preview),
    notes,
    warnings,
  };
}

function tiersJson({ policy, tiers, messages }: NonNullable<PromptPreview['tiers']>): object {
  return {
    policy,
    tiers,
    messages: messages.map(({ isMarked, ...message }) => ({ ...message, cache_mark: isMarked })),
  };
}

/** Estimated tokens of the messages and the tools; where the prompt stands in tiers, of what is sent around those messages, too. */
export function tokensOf({ system, message, tools, tiers }: PromptPreview): Readonly<Record<string, number>> {
  const palette = tools.reduce((sum, { tokens }) => sum + tokens, 0);
  const head = system.tokens + message.tokens;
  const sent = tiers?.messages.reduce((sum, { tokens }) => sum + tokens, 0) ?? head;
  return {
    system: system.tokens,
    message: message.tokens,
    ...(tiers && { context: Math.max(0, sent - head) }),
    tools: palette,
    total: Math.max(sent, head) + palette,
  };
}

function messageJson({ text, tokens, parts }: PreviewMessage): Readonly<Record<string, unknown>> {
  return { text, tokens, parts: parts.map((part) => partJson(part)) };
}

function partJson({
  kind,
  source,
  item,
  space,
  declaredBy,
  mediaType,
  size,
  url,
  text,
  tokens,
}: PreviewPart): Readonly<Record<string, unknown>> {
  return {
    kind,
    source,
    ...(item !== undefined && { item_id: item }),
    ...(space !== undefined && { space }),
    ...(declaredBy !== undefined && { declared_by: declaredBy }),
    ...(mediaType !== undefined && { media_type: mediaType }),
    ...(size !== undefined && { size }),
    ...(url !== undefined && { url }),
    tokens,
    text,
  };
}
