/* What both forms of LangGraph.js share: tool, messages, and the checkpointer that is emptied. */
import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { MemorySaver } from '@langchain/langgraph';
import { z } from 'zod';
import { TOOL_DESCRIPTION, TOOL_NAME, type Answer, type Found, type LookUpInput, type Work } from '../workload.ts';
import type { Finished, Library, RunThread } from './contender.ts';

/** What turns on tracing and printing for whoever has it in the environment. */
const WATCHED_BY = [
  'LANGSMITH_TRACING',
  'LANGSMITH_TRACING_V2',
  'LANGCHAIN_TRACING',
  'LANGCHAIN_TRACING_V2',
  'LANGCHAIN_VERBOSE',
];

/** Has nothing traced or printed, whatever the environment says. Of one of them any text counts, also `false`. */
export function watchNothing(): void {
  for (const name of WATCHED_BY) delete process.env[name];
}

/** A library whose runs leave one checkpoint each in a checkpointer in memory. */
export function withCheckpointer(threadsOf: (work: Work, checkpointer: MemorySaver) => RunThread): Library {
  watchNothing();
  const checkpointer = new MemorySaver();
  return {
    threadsOf: (work) => threadsOf(work, checkpointer),
    forget(runs) {
      const saved = Object.keys(checkpointer.storage).length;
      if (runs !== 'all' && saved !== runs) throw new Error(`${saved} of ${runs} runs have a checkpoint`);
      Object.assign(checkpointer, { storage: {}, writes: {} });
    },
  };
}

/** What the tool of the workload is made of, for `tool`. */
export const LOOK_UP = { name: TOOL_NAME, description: TOOL_DESCRIPTION, schema: z.object({ word: z.string() }) };

/** What it does. */
export function lookUpOf({ callTool }: Work): (input: LookUpInput, config: RunnableConfig) => Found | Promise<Found> {
  return (input, { signal }) => callTool(input, signal);
}

/** How many answers of the model there are. */
export function answersIn(messages: readonly BaseMessage[]): number {
  return messages.filter((message) => message instanceof AIMessage).length;
}

/** What a thread has come to. */
export function finishedOf(messages: readonly BaseMessage[]): Finished {
  const toolResults = messages.filter((message) => message instanceof ToolMessage).length;
  return { answers: answersIn(messages), toolResults, text: messages.at(-1)?.text ?? '' };
}

/** An answer of the model. */
export function toMessage(turn: number, { text, toolInputs, inputTokens, outputTokens }: Answer): AIMessage {
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
  return new AIMessage({
    content: text,
    tool_calls: toolInputs.map((input, index) => {
      return { id: `call_${turn}_${index}`, name: TOOL_NAME, args: { ...input }, type: 'tool_call' };
    }),
    // The published type of this field comes out as `undefined` with exact optional properties.
    usage_metadata: usage as never,
  });
}
