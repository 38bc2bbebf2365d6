/*
 * LangGraph.js, as its own documentation builds an agent: the example of `ToolNode` in the package (a `StateGraph` over
 * `MessagesAnnotation`, a node that calls the model, a `ToolNode`, a conditional edge back), with the in-memory
 * checkpointer of its persistence guide, and one `thread_id` per run.
 *
 * Why this is fair: the graph is compiled once. The model is a plain async function, without the cost of a chat model
 * class. Of the documented forms this was the cheapest one measured (`StateSchema` and a hand-written tool node were
 * not cheaper). Nothing is streamed, traced or written to disk: it keeps no event log, no budget and no durable state,
 * so it does less than Skein. All runs are started at once, as in the other contenders. Everything runs in one thread,
 * which is how the library runs; CPU is what is compared, not wall time alone.
 */
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { answerOf, lookUp, modelDelay, TOOL_DESCRIPTION, TOOL_NAME } from '../workload.ts';
import type { Contender, ContenderSetup } from './contender.ts';

type State = typeof MessagesAnnotation.State;

/** Makes the contender. */
export async function createLangGraph({ params, sample }: ContenderSetup): Promise<Contender> {
  const { turns, llmMs } = params;
  const graph = compileGraph(turns, llmMs);
  const prompt = sample?.prompt ?? 'Look the words up, and say what you found.';
  // Steps: the model node once a turn, the tool node between two of them.
  const recursionLimit = 2 * turns + 2;
  let started = 0;

  const runThread = async (no: number): Promise<void> => {
    const input = { messages: [new HumanMessage(`${prompt}${no}`)] };
    const { messages } = await graph.invoke(input, { configurable: { thread_id: `thread-${no}` }, recursionLimit });
    // The prompt, an answer a turn, and a tool result after each answer but the last.
    if (messages.length !== 2 * turns) throw new Error(`a thread ended with ${messages.length} messages`);
  };

  return {
    async run(threads) {
      const first = started;
      started += threads;
      await Promise.all(Array.from({ length: threads }, (_, index) => runThread(first + index)));
    },
    inspect: async () => ({ metrics: { events_per_thread: 0, ledger_rows_per_thread: 0 }, problems: [] }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

// The compiled graph's type names every node; only `invoke` is used.
function compileGraph(turns: number, llmMs: number) {
  const tools = [
    tool((input) => lookUp(input), {
      name: TOOL_NAME,
      description: TOOL_DESCRIPTION,
      schema: z.object({ word: z.string() }),
    }),
  ];
  const callModel = async (state: State): Promise<{ readonly messages: AIMessage }> => {
    await modelDelay(llmMs);
    return { messages: toMessage((state.messages.length + 1) / 2, turns) };
  };
  const shouldContinue = ({ messages }: State): 'tools' | typeof END => {
    const last = messages.at(-1);
    return last instanceof AIMessage && last.tool_calls?.length ? 'tools' : END;
  };
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', callModel)
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', shouldContinue, ['tools', END])
    .addEdge('tools', 'agent')
    .compile({ checkpointer: new MemorySaver() });
}

function toMessage(turn: number, turns: number): AIMessage {
  const { text, toolInput, inputTokens, outputTokens } = answerOf(turn, turns);
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
  return new AIMessage({
    content: text,
    tool_calls: toolInput ? [{ id: `call_${turn}`, name: TOOL_NAME, args: { ...toolInput }, type: 'tool_call' }] : [],
    // The published type of this field comes out as `undefined` with exact optional properties.
    usage_metadata: usage as never,
  });
}
