import * as z from 'zod';
import { SkeinError } from '../core/errors.ts';
import type { ReasoningSetting } from '../core/provider.ts';
import { section } from './section.ts';

/** The API of Anthropic takes no less. */
const LEAST_BUDGET = 1024;

/** How much a model thinks: `{effort: low | medium | high}` or `{budget_tokens: N}`. */
export const reasoningSetting: z.ZodType<ReasoningSetting> = z.union(
  [section({ effort: z.enum(['low', 'medium', 'high']) }), section({ budget_tokens: z.int().min(LEAST_BUDGET) })],
  `{effort: low | medium | high} or {budget_tokens: N}, N at least ${LEAST_BUDGET}`,
);

/** What kinds of providers know of a model's thinking. */
const KNOWN: Readonly<Record<string, readonly ('effort' | 'budget_tokens')[]>> = {
  anthropic: ['effort', 'budget_tokens'],
  openai: ['effort'],
  gemini: ['effort', 'budget_tokens'],
};

/** A model whose entry has `reasoning`. */
export type ReasoningModel = {
  readonly reasoning: ReasoningSetting;
  readonly kind: string;
  /** Tokens that a call of it may produce, its thoughts included. */
  readonly maxOutputTokens: number;
};

/** Refuses what the model's provider has no field for, and a budget that leaves nothing for the answer. Throws `invalid_config`. */
export function checkReasoning(
  { reasoning, kind, maxOutputTokens }: ReasoningModel,
  where: { readonly file: string; readonly path: string },
): void {
  const name = 'effort' in reasoning ? 'effort' : 'budget_tokens';
  const known = KNOWN[kind] ?? [];
  if (!known.includes(name)) {
    const has = known.length === 0 ? 'no setting for reasoning' : `only ${known.join(', ')} for reasoning`;
    throw new SkeinError('invalid_config', `a provider of kind ${kind} has ${has}, not ${name}`, { where });
  }
  if ('budgetTokens' in reasoning && reasoning.budgetTokens >= maxOutputTokens) {
    const message = `budget_tokens counts as output: it must be less than max_output_tokens, which is ${maxOutputTokens}`;
    throw new SkeinError('invalid_config', message, { where });
  }
}
