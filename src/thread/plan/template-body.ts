import type { MediaPart } from '../../core/content-part.ts';
import type { Message } from '../../core/conversation.ts';
import type { PromptPart } from '../../prompt/prompt-parts.ts';
import { conversationText, escapeFrames } from '../conversation/conversation-text.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/** What a template made of a directive's body. */
export type TemplateBody = {
  /** Goes into the system message, last. */
  readonly system: string;
  /** Stands in the first user message where the body would; `[image 1]` is where the first image belongs. */
  readonly text: string;
  /** Images, files and audio, in the order in which the text names them. */
  readonly media: readonly MediaPart[];
};

/**
 * Renders the body of a directive that is a template; undefined for all others. What was said before the last question (an
 * expanded thread, answers as examples) is told as data in front of it.
 *
 * @throws ValueError for the template or its inputs
 */
export function templateBody(
  { plan, spec }: Thread,
  { templates }: Pick<Services, 'templates'>,
): TemplateBody | undefined {
  const { template } = plan.directive;
  if (template === undefined) return undefined;
  const { system, messages } = templates.conversationOf(template, spec.own.inputs);
  const media: MediaPart[] = [];
  const counts: Named['counts'] = new Map();
  const named = messages.map((message) => nameMedia(message, { media, counts }));
  const asked = named.findLastIndex(({ role }) => role === 'assistant') + 1;
  const before = asked === 0 ? [] : [conversationText(named.slice(0, asked), Number.POSITIVE_INFINITY)];
  const texts = named.slice(asked).map((message) => message.text);
  // Also where nothing was said before: an input must not be able to say that something was.
  const text = [...before, ...(template.hasRoles ? texts.map(escapeFrames) : texts)].join('\n\n');
  return { system, text, media };
}

/** The system text of a template as a part of the prompt; none if it has none. */
export function systemPart({ plan }: Thread, body: TemplateBody | undefined): readonly PromptPart[] {
  if (!body || body.system === '') return [];
  const { id } = plan.directive;
  return [{ source: id, item: undefined, space: undefined, declaredBy: id, text: body.system }];
}

/** What was named so far, and how much of each kind. */
type Named = { readonly media: MediaPart[]; readonly counts: Map<MediaPart['kind'], number> };

/** A message whose parts have become words, and their media part of the list. */
function nameMedia(message: Message, { media, counts }: Named): Message {
  if (message.role !== 'user' || message.parts === undefined) return message;
  const texts = message.parts.map((part) => {
    if (part.kind === 'text') return part.value;
    const number = (counts.get(part.kind) ?? 0) + 1;
    counts.set(part.kind, number);
    media.push(part);
    return `[${part.kind} ${number}]`;
  });
  return { role: 'user', text: texts.join('') };
}
