/*
 * The work all contenders do: a thread takes `turns` turns; in all but the last the model asks for one tool call, in
 * the last it answers. Model, tool and prompt are the same for everyone.
 */

/** What the simulated model answers in one turn. */
export type Answer = {
  readonly text: string;
  /** Undefined in the last turn. */
  readonly toolInput: LookUpInput | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
};

/** Input of the one tool. */
export type LookUpInput = { readonly word: string };

/** The tool's name as a model sees it. */
export const TOOL_NAME = 'bench_look_up';
/** What the model is told about the tool. */
export const TOOL_DESCRIPTION = 'Looks a word up';
/** Nano-USD per token: 3 and 15 USD per million tokens. */
export const PRICE = { input: 3_000, output: 15_000 } as const;
/** Tokens a call may produce at most; with the counted input, what is reserved for it. */
export const MAX_OUTPUT_TOKENS = 4_096;
/** Nano-USD a thread may spend. */
export const MAX_SPEND = 1_000_000_000;

/** The tool: cheap, and without side effects. */
export function lookUp({ word }: LookUpInput): { readonly word: string; readonly meaning: string } {
  return { word, meaning: `the meaning of ${word}` };
}

/** What the model answers in `turn`, counted from 1. */
export function answerOf(turn: number, turns: number): Answer {
  const usage = { inputTokens: 135 + 15 * turn, outputTokens: 12 };
  if (turn >= turns) return { text: 'Found both: the words mean what they say.', toolInput: undefined, ...usage };
  return { text: `Let me look, step ${turn}.`, toolInput: { word: `word-${turn}` }, ...usage };
}

/** Waits as long as a model call takes; with 0, until the event loop's next turn. Skein's scripted model does the same. */
export function modelDelay(llmMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (llmMs > 0) setTimeout(resolve, llmMs);
    else setImmediate(resolve);
  });
}
