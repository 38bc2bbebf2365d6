/*
 * Mastra: an `Agent` with a tool made by `createTool`, and `generate` with `maxSteps`, as its documentation on agents and
 * tools shows; the model is that of `ai-sdk`, whose interface Mastra takes.
 *
 * Why this is fair: agent and tool are made once, and a thread is one `generate`. The agent stands alone, without memory,
 * storage, logger or observability, which is the least it can have. The package's own telemetry is off, so that nothing
 * leaves the machine. It keeps the steps of a run in memory and counts tokens; there is no event log, no money and nothing
 * durable. A thread that runs others does so in `execute` of its tool, and hands on the signal that it is given; its limit of calls at a
 * time is out of the way.
 */
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { TOOL_DESCRIPTION, TOOL_NAME } from '../workload.ts';
import { createModel } from './ai-sdk-model.ts';
import type { Library } from './contender.ts';

/** Calls of the tool at a time; by default ten. */
const MOST_CALLS = 1_000_000;

type AgentModel = ConstructorParameters<typeof Agent>[0]['model'];

/** Makes the contender. */
export function createMastra(): Library {
  process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
  return {
    threadsOf(work) {
      const lookUp = createTool({
        id: TOOL_NAME,
        description: TOOL_DESCRIPTION,
        inputSchema: z.object({ word: z.string() }),
        execute: async (input, { abortSignal }) => work.callTool(input, abortSignal),
      });
      const agent = new Agent({
        id: 'fan-out',
        name: 'Fan out',
        instructions: '',
        // Mastra knows an earlier version of the AI SDK's interface; what is used of it is the same.
        model: createModel(work) as AgentModel,
        tools: { [TOOL_NAME]: lookUp },
      });
      const last = work.answerOf(work.turns).text;
      return async (prompt, signal) => {
        const options = {
          maxSteps: work.turns,
          toolCallConcurrency: MOST_CALLS,
          ...(signal && { abortSignal: signal }),
        };
        const { steps } = await agent.generate(prompt, options);
        const text = steps.at(-1)?.text ?? '';
        // What is aborted resolves all the same, with what there was until then.
        if (text !== last) signal?.throwIfAborted();
        const toolResults = steps.reduce((sum, step) => sum + step.toolResults.length, 0);
        return { answers: steps.length, toolResults, text };
      };
    },
  };
}
