/*
 * The work all contenders do: a thread takes turns; in all but the last the model asks for calls of a tool, in the last it
 * answers. Model, tool and prompt are the same for everyone.
 */

/** What the simulated model answers in one turn. */
export type Answer = {
  readonly text: string;
  /** What it calls the tool with, all at once; none in the last turn. */
  readonly toolInputs: readonly LookUpInput[];
  readonly inputTokens: number;
  readonly outputTokens: number;
};

/** Input of the one tool. */
export type LookUpInput = { readonly word: string };

/** What the tool answers. */
export type Found = { readonly word: string; readonly meaning: string };

/** What threads of one kind do. A signal is that of the thread, where it has one. */
export type Work = {
  readonly turns: number;
  /** Waits as long as a call of the model takes. */
  readonly callModel: (signal?: AbortSignal) => Promise<void>;
  /** What it answers in a turn, counted from 1. */
  readonly answerOf: (turn: number) => Answer;
  readonly callTool: (input: LookUpInput, signal?: AbortSignal) => Found | Promise<Found>;
};

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

/** Threads that look a word up in each turn but the last. */
export function fanOutWork({ turns, llmMs }: { readonly turns: number; readonly llmMs: number }): Work {
  return {
    turns,
    // Nobody cancels it: a signal that a library has by itself is none of its affairs.
    callModel: () => modelDelay(llmMs),
    answerOf: (turn) => answerOf(turn, turns),
    callTool: lookUp,
  };
}

/** The tool of {@link fanOutWork}: cheap, and without side effects. */
export function lookUp({ word }: LookUpInput): Found {
  return { word, meaning: `the meaning of ${word}` };
}

/** What the model of {@link fanOutWork} answers in `turn`, counted from 1. */
export function answerOf(turn: number, turns: number): Answer {
  const usage = usageOf(turn);
  if (turn >= turns) return { text: 'Found both: the words mean what they say.', toolInputs: [], ...usage };
  return { text: `Let me look, step ${turn}.`, toolInputs: [{ word: `word-${turn}` }], ...usage };
}

/** Tokens of a turn, counted from 1. */
export function usageOf(turn: number): Pick<Answer, 'inputTokens' | 'outputTokens'> {
  return { inputTokens: 135 + 15 * turn, outputTokens: 12 };
}

/** Waits as long as a model call takes; with 0, until the event loop's next turn. Skein's scripted model does the same. */
export function modelDelay(llmMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (llmMs > 0) setTimeout(resolve, llmMs);
    else setImmediate(resolve);
  });
}
