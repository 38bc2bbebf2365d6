import type { RandomBytes } from '../../core/ids.ts';
import type { DirectiveTemplate } from '../../core/item.ts';
import type { RenderBody } from '../../items/inputs.ts';
import { assemblePrompty } from './create-prompty.ts';
import { resolveMedia, type PromptyConversation } from './to-conversation.ts';
import type { PromptyInputs } from './validate-inputs.ts';

/** Renders the bodies of directives. Its functions need no `this`. */
export interface DirectiveTemplates {
  /** What it says to whoever reads it: one text, with roles messages whose images, files and audio are parts. @throws ValueError */
  readonly bodyOf: RenderBody;
  /** Who says what in it; without roles all of it is one user's message. @throws ValueError */
  readonly conversationOf: (template: DirectiveTemplate, inputs: PromptyInputs) => PromptyConversation;
}

/** Makes a renderer with a cache of its own. Nothing is traced: it works where no tracer of the embedder's can be. */
export function createDirectiveTemplates(randomBytes: RandomBytes): DirectiveTemplates {
  const redactor = { text: (text: string): string => text };
  const prompty = assemblePrompty({ randomBytes, redactor, onTracerProblem: () => undefined });
  return {
    bodyOf({ agent, hasRoles }, inputs) {
      if (!hasRoles) return { body: prompty.render(agent, inputs) };
      const { messages, nonces } = prompty.prepare(agent, inputs);
      return { body: '', messages: resolveMedia(messages, nonces) };
    },
    conversationOf: ({ agent, hasRoles }, inputs) =>
      hasRoles
        ? prompty.toConversation(prompty.prepare(agent, inputs))
        : { system: '', messages: [{ role: 'user', text: prompty.render(agent, inputs) }] },
  };
}
