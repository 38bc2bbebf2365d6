import type { WireAnswer } from './wire.ts';

/** How many of an answer's output tokens its reasoning took: by its length, and never all of them. */
export function thoughtTokens({ reasoning, usage }: Pick<WireAnswer, 'reasoning' | 'usage'>): number {
  return Math.max(0, Math.min(usage.outputTokens - 1, Math.ceil(reasoning.length / 4)));
}
