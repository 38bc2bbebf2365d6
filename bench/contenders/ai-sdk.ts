/*
 * Vercel AI SDK: a `ToolLoopAgent` with a tool and `stopWhen: isStepCount(…)`, as its guides "Building Agents" and "Loop
 * Control" show, over a model of our own as in its guide "Testing".
 *
 * Why this is fair: agent and tool are made once, and a thread is one `generate`. `generateText` with the same settings
 * was not cheaper, nor was it without retries. Nothing is streamed and no telemetry is on. It keeps the steps of a run in
 * memory and counts tokens; there is no event log, no money and nothing durable. A thread that
 * runs others does so in `execute` of its tool, as the guide on subagents shows, and hands on the signal that it is given.
 */
import { isStepCount, tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';
import { TOOL_DESCRIPTION, TOOL_NAME } from '../workload.ts';
import { createModel } from './ai-sdk-model.ts';
import type { Library } from './contender.ts';

/** Makes the contender. */
export function createAiSdk(): Library {
  return {
    threadsOf(work) {
      const lookUp = tool({
        description: TOOL_DESCRIPTION,
        inputSchema: z.object({ word: z.string() }),
        execute: async (input, { abortSignal }) => work.callTool(input, abortSignal),
      });
      const agent = new ToolLoopAgent({
        model: createModel(work),
        tools: { [TOOL_NAME]: lookUp },
        stopWhen: isStepCount(work.turns),
      });
      return async (prompt, signal) => {
        const { steps, text } = await agent.generate({ prompt, ...(signal && { abortSignal: signal }) });
        const toolResults = steps.reduce((sum, step) => sum + step.toolResults.length, 0);
        return { answers: steps.length, toolResults, text };
      };
    },
  };
}
