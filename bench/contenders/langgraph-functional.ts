/*
 * LangGraph.js by its Functional API: the guide that builds an agent from scratch with it (a `task` that calls the model, one
 * that calls a tool, a loop over both in an `entrypoint`, `addMessages`), with the same checkpointer as `langgraph`.
 *
 * Why this is fair: tasks and entrypoint are made once. Model, tool, messages, durability and what is dropped after a run are those of
 * `langgraph`, and so is what is left of a run: one checkpoint, with its messages. There is no graph and no state of channels
 * that is read and written at every step, which makes it the cheaper of the two documented forms; the tool calls of a turn are one task each.
 */
import { randomUUID } from 'node:crypto';
import { HumanMessage, type BaseMessage, type ToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { tool } from '@langchain/core/tools';
import { addMessages, entrypoint, getConfig, task, type MemorySaver } from '@langchain/langgraph';
import type { Work } from '../workload.ts';
import type { Library, RunThread } from './contender.ts';
import { answersIn, finishedOf, LOOK_UP, lookUpOf, toMessage, withCheckpointer } from './langgraph-parts.ts';

/** Makes the contender with the in-memory checkpointer. */
export function createLangGraphFunctional(): Library {
  return withCheckpointer(threadsOf);
}

function threadsOf(work: Work, checkpointer: MemorySaver): RunThread {
  const lookUp = tool(lookUpOf(work), LOOK_UP);
  const callModel = task('call model', async (messages: BaseMessage[]) => {
    await work.callModel(getConfig().signal);
    const turn = 1 + answersIn(messages);
    return toMessage(turn, work.answerOf(turn));
  });
  const callTool = task('call tool', (call: ToolCall): Promise<ToolMessage> =>
    lookUp.invoke({ ...call, type: 'tool_call' }),
  );
  const agent = entrypoint({ name: 'agent', checkpointer }, async (prompt: BaseMessage[]) => {
    let messages = prompt;
    for (;;) {
      const answer = await callModel(messages);
      if (!answer.tool_calls?.length) return addMessages(messages, [answer]);
      messages = addMessages(messages, [
        answer,
        ...(await Promise.all(answer.tool_calls.map((call) => callTool(call)))),
      ]);
    }
  });
  return async (prompt, signal) => {
    const saving = { configurable: { thread_id: randomUUID() }, durability: 'exit' as const };
    return finishedOf(await agent.invoke([new HumanMessage(prompt)], { ...saving, ...(signal && { signal }) }));
  };
}
