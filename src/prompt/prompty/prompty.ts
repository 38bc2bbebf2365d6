import type { PromptyAgent } from '../../core/prompty-agent.ts';
import type { PromptyMessage } from '../../core/prompty-message.ts';
import type { Parser } from './parse-messages.ts';
import type { NonceMap } from './prepare-inputs.ts';
import type { Registry } from './registry.ts';
import type { RenderContext } from './render-context.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';
import type { AnyRenderer } from './renderer.ts';
import type { PromptyConversation } from './to-conversation.ts';
import type { Tracers } from './tracers.ts';
import type { PromptyInputs } from './validate-inputs.ts';

/** Messages of a prompt, and what stands for what in their texts. */
export type PreparedPrompt = { readonly messages: readonly PromptyMessage[]; readonly nonces: NonceMap };

/**
 * Renders prompts (S4), with registries and a cache of compiled templates of its own. Nothing of a call is kept after it: what
 * belongs to it is returned, or put into its context. The functions need no `this`.
 *
 * All that render throw ValueError for the template or its inputs, and InvokerError for a format nobody has registered.
 */
export interface Prompty {
  /** The rendered text. `context` takes what `parse` needs of this call. @throws SkeinError `invalid_argument` for one that is used */
  readonly render: (agent: PromptyAgent, inputs?: PromptyInputs, context?: RenderContext) => string;
  readonly renderAsync: (agent: PromptyAgent, inputs?: PromptyInputs, context?: RenderContext) => Promise<string>;
  /** Text, nonces, and which characters came out of inputs, in one. */
  readonly renderPrompt: (agent: PromptyAgent, inputs?: PromptyInputs) => RenderedPrompt;
  readonly renderPromptAsync: (agent: PromptyAgent, inputs?: PromptyInputs) => Promise<RenderedPrompt>;
  /** Messages of what was rendered, threads expanded. @throws InvokerError for a parser nobody has registered */
  readonly parse: (agent: PromptyAgent, rendered: RenderedPrompt) => readonly PromptyMessage[];
  /** `renderPrompt`, then `parse`. */
  readonly prepare: (agent: PromptyAgent, inputs?: PromptyInputs) => PreparedPrompt;
  readonly prepareAsync: (agent: PromptyAgent, inputs?: PromptyInputs) => Promise<PreparedPrompt>;
  /** What a model is sent, images, files and audio in it as parts. @throws ValueError `invalid_input` where no model takes them */
  readonly toConversation: (prepared: PreparedPrompt) => PromptyConversation;
  readonly renderers: Registry<AnyRenderer>;
  readonly parsers: Registry<Parser>;
  readonly tracers: Tracers;
}
