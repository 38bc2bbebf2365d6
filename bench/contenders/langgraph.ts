/*
 * LangGraph.js, as its own documentation builds an agent: the example of `ToolNode` in the package (a `StateGraph` over
 * `MessagesAnnotation`, a node that calls the model, a `ToolNode`, a conditional edge back), with the in-memory
 * checkpointer of its persistence guide, and one `thread_id` per run; `langgraph-bare` is the same graph without a
 * checkpointer, which then needs no `thread_id`.
 *
 * Why this is fair: the graph is compiled once. The model is a plain async function, without the cost of a chat model
 * class. Of the documented forms this was the cheapest one measured (`StateSchema` and a hand-written tool node were
 * not cheaper). Its durability is `exit`, which writes a checkpoint at the end of a run alone: of 500 threads it took 2133
 * (1874 to 2250) µs a turn beside 2331 (2327 to 2431) of the default, 2233 (2190 to 2566) of `async` and 2339 (2132 to 2884) of
 * `sync`, three runs in turn on a busy machine. What the checkpointer holds of a run is dropped at its end, so that the
 * checkpoints of the warm-up are not in its way. Nothing is streamed, traced or written to disk: it keeps no event log, no budget and no durable state,
 * so it does less than Skein. All runs are started at once, as in the other contenders. Everything runs in one thread,
 * which is how the library runs; CPU is what is compared, not wall time alone. A thread that runs others invokes their graph in
 * its tool: the library takes that for a subgraph of the run above, and with this durability it writes no checkpoint of its own if it
 * succeeds, so that of a tree one is written; of those that are cancelled each is. Every node is given a signal; it listens to it where threads are cancelled.
 */
import { randomUUID } from 'node:crypto';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import {
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { TOOL_DESCRIPTION, TOOL_NAME, type Answer, type Work } from '../workload.ts';
import type { Library, RunThread } from './contender.ts';

type State = typeof MessagesAnnotation.State;

/** Makes the contender with the in-memory checkpointer. */
export function createLangGraph(): Library {
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

/** Makes the contender without a checkpointer: nothing is left of a run. */
export function createLangGraphBare(): Library {
  return { threadsOf: (work) => threadsOf(work) };
}

function threadsOf(work: Work, checkpointer?: MemorySaver): RunThread {
  const graph = compileGraph(work, checkpointer);
  // Steps: the model node once a turn, the tool node between two of them.
  const recursionLimit = 2 * work.turns + 2;
  return async (prompt, signal) => {
    const input = { messages: [new HumanMessage(prompt)] };
    const configurable = checkpointer && { thread_id: randomUUID() };
    const saving = configurable && { configurable, durability: 'exit' as const };
    const { messages } = await graph.invoke(input, { ...saving, recursionLimit, ...(signal && { signal }) });
    const answers = messages.filter((message) => message instanceof AIMessage).length;
    const toolResults = messages.filter((message) => message instanceof ToolMessage).length;
    return { answers, toolResults, text: messages.at(-1)?.text ?? '' };
  };
}

// The compiled graph's type names every node; only `invoke` is used.
function compileGraph({ callModel, answerOf, callTool }: Work, checkpointer?: MemorySaver) {
  const tools = [
    tool((input, { signal }: RunnableConfig) => callTool(input, signal), {
      name: TOOL_NAME,
      description: TOOL_DESCRIPTION,
      schema: z.object({ word: z.string() }),
    }),
  ];
  const agent = async (
    { messages }: State,
    { signal }: LangGraphRunnableConfig,
  ): Promise<{ readonly messages: AIMessage }> => {
    await callModel(signal);
    const turn = 1 + messages.filter((message) => message instanceof AIMessage).length;
    return { messages: toMessage(turn, answerOf(turn)) };
  };
  const shouldContinue = ({ messages }: State): 'tools' | typeof END => {
    const last = messages.at(-1);
    return last instanceof AIMessage && last.tool_calls?.length ? 'tools' : END;
  };
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', agent)
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', shouldContinue, ['tools', END])
    .addEdge('tools', 'agent')
    .compile(checkpointer && { checkpointer });
}

function toMessage(turn: number, { text, toolInputs, inputTokens, outputTokens }: Answer): AIMessage {
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
