/*
 * Vercel AI SDK: a `ToolLoopAgent` with a tool and `stopWhen: isStepCount(…)`, as its guides "Building Agents" and "Loop
 * Control" show, over a model of our own as in its guide "Testing".
 *
 * Why this is fair: agent and tool are made once, and a thread is one `generate`. `generateText` with the same settings
 * was not cheaper, nor was it without retries. Nothing is streamed and no telemetry is on. It keeps the steps of a run in
 * memory and counts tokens; there is no event log, no money and nothing durable.
 */
import { isStepCount, tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';
import { lookUp, TOOL_DESCRIPTION, TOOL_NAME } from '../workload.ts';
import { createModel } from './ai-sdk-model.ts';
import type { Contender, ContenderSetup } from './contender.ts';
import { createInMemory, type Finished } from './in-memory.ts';

/** Makes the contender. */
export async function createAiSdk(setup: ContenderSetup): Promise<Contender> {
  const { turns, llmMs } = setup.params;
  const lookUpTool = tool({
    description: TOOL_DESCRIPTION,
    inputSchema: z.object({ word: z.string() }),
    execute: async (input) => lookUp(input),
  });
  const agent = new ToolLoopAgent({
    model: createModel(turns, llmMs),
    tools: { [TOOL_NAME]: lookUpTool },
    stopWhen: isStepCount(turns),
  });
  const runThread = async (prompt: string): Promise<Finished> => {
    const { steps, text } = await agent.generate({ prompt });
    const toolResults = steps.reduce((sum, step) => sum + step.toolResults.length, 0);
    return { answers: steps.length, toolResults, text };
  };
  return createInMemory(setup, { runThreads: (prompts) => Promise.all(prompts.map(runThread)) });
}
