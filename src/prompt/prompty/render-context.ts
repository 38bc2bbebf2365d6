import { SkeinError } from '../../core/errors.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';

/**
 * Where one call of `render` leaves what the parser needs (S4 step 5). Each call has its own, so that calls that run at the same
 * time can't mix theirs.
 */
export interface RenderContext {
  /** What was rendered; undefined before. */
  rendered: RenderedPrompt | undefined;
}

/** Makes a context for one call. */
export function createRenderContext(): RenderContext {
  return { rendered: undefined };
}

/** Leaves what was rendered in the call's context, if it has one, and returns its text. */
export function leaveIn(context: RenderContext | undefined, rendered: RenderedPrompt): string {
  if (context?.rendered) throw new SkeinError('invalid_argument', 'A render context is of one call; this one is used');
  if (context) context.rendered = rendered;
  return rendered.text;
}
