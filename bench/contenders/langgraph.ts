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
 * which is how the library runs; CPU is what is compared, not wall time alone.
 */
import { randomUUID } from 'node:crypto';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { answerOf, lookUp, modelDelay, TOOL_DESCRIPTION, TOOL_NAME } from '../workload.ts';
import type { Params } from '../job.ts';
import type { Contender, ContenderSetup } from './contender.ts';
import { createInMemory, type Finished } from './in-memory.ts';

type State = typeof MessagesAnnotation.State;

/** Makes the contender with the in-memory checkpointer. */
export async function createLangGraph(setup: ContenderSetup): Promise<Contender> {
  return withGraph(setup, { checkpointer: new MemorySaver() });
}

/** Makes the contender without a checkpointer: nothing is left of a run. */
export async function createLangGraphBare(setup: ContenderSetup): Promise<Contender> {
  return withGraph(setup, {});
}

type Checkpointing = { readonly checkpointer?: MemorySaver };

function withGraph(setup: ContenderSetup, checkpointing: Checkpointing): Contender {
  const { turns } = setup.params;
  const graph = compileGraph(setup.params, checkpointing);
  // Steps: the model node once a turn, the tool node between two of them.
  const recursionLimit = 2 * turns + 2;
  const runThread = async (prompt: string): Promise<Finished> => {
    const input = { messages: [new HumanMessage(prompt)] };
    const configurable = checkpointing.checkpointer && { thread_id: randomUUID() };
    const saving = configurable && { configurable, durability: 'exit' as const };
    const { messages } = await graph.invoke(input, { ...saving, recursionLimit });
    const answers = messages.filter((message) => message instanceof AIMessage).length;
    const toolResults = messages.filter((message) => message instanceof ToolMessage).length;
    return { answers, toolResults, text: messages.at(-1)?.text ?? '' };
  };
  return createInMemory(setup, {
    async runThreads(prompts) {
      const finished = await Promise.all(prompts.map(runThread));
      if (checkpointing.checkpointer) emptyAfter(prompts.length, checkpointing.checkpointer);
      return finished;
    },
  });
}

/** Drops what was saved of so many runs. @throws Error if one of them has not been saved */
function emptyAfter(runs: number, checkpointer: MemorySaver): void {
  const saved = Object.keys(checkpointer.storage).length;
  if (saved !== runs) throw new Error(`${saved} of ${runs} runs have a checkpoint`);
  Object.assign(checkpointer, { storage: {}, writes: {} });
}

// The compiled graph's type names every node; only `invoke` is used.
function compileGraph({ turns, llmMs }: Params, checkpointing: Checkpointing) {
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
    .compile(checkpointing);
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
