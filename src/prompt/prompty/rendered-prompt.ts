import type { Rendered } from './engine/template.ts';
import type { NonceMap } from './prepare-inputs.ts';

/** A rendered prompt, with all that is needed to make messages of it. */
export type RenderedPrompt = Rendered & {
  /** What stands for what in the text. */
  readonly nonces: NonceMap;
};
