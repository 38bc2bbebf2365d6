import type { RandomBytes } from '../../core/ids.ts';
import type { DirectiveTemplate } from '../../core/item.ts';
import { assemblePrompty } from './create-prompty.ts';
import type { PromptyConversation } from './to-conversation.ts';
import type { PromptyInputs } from './validate-inputs.ts';

/** Renders the bodies of directives. Its functions need no `this`. */
export interface DirectiveTemplates {
  /** The text alone: role lines and nonces in it stay. @throws ValueError */
  readonly textOf: (template: DirectiveTemplate, inputs: PromptyInputs) => string;
  /** Who says what in it; without roles all of it is one user's message. @throws ValueError */
  readonly conversationOf: (template: DirectiveTemplate, inputs: PromptyInputs) => PromptyConversation;
}

/** Makes a renderer with a cache of its own; nothing is traced. */
export function createDirectiveTemplates(randomBytes: RandomBytes): DirectiveTemplates {
  const redactor = { text: (text: string): string => text };
  const prompty = assemblePrompty({ randomBytes, redactor, onTracerProblem: () => undefined });
  return {
    textOf: ({ agent }, inputs) => prompty.render(agent, inputs),
    conversationOf: ({ agent, hasRoles }, inputs) =>
      hasRoles
        ? prompty.toConversation(prompty.prepare(agent, inputs))
        : { system: '', messages: [{ role: 'user', text: prompty.render(agent, inputs) }] },
  };
}
