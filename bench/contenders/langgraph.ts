/*
 * LangGraph.js, as its own documentation builds an agent: the example of `ToolNode` in the package (a `StateGraph` over
 * `MessagesAnnotation`, a node that calls the model, a `ToolNode`, a conditional edge back), with the in-memory
 * checkpointer of its persistence guide, and one `thread_id` per run; `langgraph-bare` is the same graph without a
 * checkpointer, which then needs no `thread_id`.
 *
 * Why this is fair: the graph is compiled once. The model is a plain async function, without the cost of a chat model
 * class. Of the documented graphs this was the cheapest one measured (`StateSchema` and a hand-written tool node were
 * not cheaper); without a graph it is cheaper: `langgraph-functional`. Its durability is `exit`, which writes a checkpoint at the end of a run alone: of 500 threads it took 2133
 * (1874 to 2250) µs a turn beside 2331 (2327 to 2431) of the default, 2233 (2190 to 2566) of `async` and 2339 (2132 to 2884) of
 * `sync`, three runs in turn on a busy machine. What the checkpointer holds of a run is dropped at its end, so that the
 * checkpoints of the warm-up are not in its way. Nothing is streamed, traced or written to disk: it keeps no event log, no budget and no durable state,
 * so it does less than Skein. All runs are started at once, as in the other contenders. Everything runs in one thread,
 * which is how the library runs; CPU is what is compared, not wall time alone. A thread that runs others invokes their graph in
 * its tool: the library takes that for a subgraph of the run above, and with this durability it writes no checkpoint of its own if it
 * succeeds, so that of a tree one is written; of those that are cancelled each is. Every node is given a signal; it listens to it where threads are cancelled.
 */
import { randomUUID } from 'node:crypto';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  END,
  MessagesAnnotation,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
  type MemorySaver,
} from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import type { Work } from '../workload.ts';
import type { Library, RunThread } from './contender.ts';
import {
  answersIn,
  finishedOf,
  LOOK_UP,
  lookUpOf,
  toMessage,
  watchNothing,
  withCheckpointer,
} from './langgraph-parts.ts';

type State = typeof MessagesAnnotation.State;

/** Makes the contender with the in-memory checkpointer. */
export function createLangGraph(): Library {
  return withCheckpointer(threadsOf);
}

/** Makes the contender without a checkpointer: nothing is left of a run. */
export function createLangGraphBare(): Library {
  watchNothing();
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
    return finishedOf(messages);
  };
}

// The compiled graph's type names every node; only `invoke` is used.
function compileGraph(work: Work, checkpointer?: MemorySaver) {
  const agent = async (
    { messages }: State,
    { signal }: LangGraphRunnableConfig,
  ): Promise<{ readonly messages: AIMessage }> => {
    await work.callModel(signal);
    const turn = 1 + answersIn(messages);
    return { messages: toMessage(turn, work.answerOf(turn)) };
  };
  const shouldContinue = ({ messages }: State): 'tools' | typeof END => {
    const last = messages.at(-1);
    return last instanceof AIMessage && last.tool_calls?.length ? 'tools' : END;
  };
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', agent)
    .addNode('tools', new ToolNode([tool(lookUpOf(work), LOOK_UP)]))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', shouldContinue, ['tools', END])
    .addEdge('tools', 'agent')
    .compile(checkpointer && { checkpointer });
}
