/** What the first user message is made of: texts in order per place, and the rendered directive. */
export type FirstMessageParts = {
  readonly hookBefore?: readonly string[];
  readonly extendsBefore?: readonly string[];
  readonly directiveBefore?: readonly string[];
  readonly prompt: string;
  readonly directiveAfter?: readonly string[];
  readonly hookAfter?: readonly string[];
};

/**
 * Puts the first user message together in the order of S0 and S3: hooks, extends chain, the directive's own context,
 * the prompt, context after it, hooks after it. Blank texts are left out; the others stand unchanged, a blank line
 * apart.
 */
export function assembleFirstMessage(parts: FirstMessageParts): string {
  const { hookBefore = [], extendsBefore = [], directiveBefore = [], prompt } = parts;
  const { directiveAfter = [], hookAfter = [] } = parts;
  return joinTexts([...hookBefore, ...extendsBefore, ...directiveBefore, prompt, ...directiveAfter, ...hookAfter]);
}

/** Puts the system message together from its texts in order (contracts, "System message"); empty without any. */
export function assembleSystem(parts: readonly string[]): string {
  return joinTexts(parts);
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
