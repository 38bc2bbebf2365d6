/*
 * Mastra: an `Agent` with a tool made by `createTool`, and `generate` with `maxSteps`, as its documentation on agents and
 * tools shows; the model is that of `ai-sdk`, whose interface Mastra takes.
 *
 * Why this is fair: agent and tool are made once, and a thread is one `generate`. The agent stands alone, without memory,
 * storage, logger or observability, which is the least it can have. The package's own telemetry is off, so that nothing
 * leaves the machine. It keeps the steps of a run in memory and counts tokens; there is no event log, no money and nothing
 * durable.
 */
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { lookUp, TOOL_DESCRIPTION, TOOL_NAME } from '../workload.ts';
import { createModel } from './ai-sdk-model.ts';
import type { Contender, ContenderSetup } from './contender.ts';
import { createInMemory, type Finished } from './in-memory.ts';

type AgentModel = ConstructorParameters<typeof Agent>[0]['model'];

/** Makes the contender. */
export async function createMastra(setup: ContenderSetup): Promise<Contender> {
  const { turns, llmMs } = setup.params;
  process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
  const lookUpTool = createTool({
    id: TOOL_NAME,
    description: TOOL_DESCRIPTION,
    inputSchema: z.object({ word: z.string() }),
    execute: async (input) => lookUp(input),
  });
  const agent = new Agent({
    id: 'fan-out',
    name: 'Fan out',
    instructions: '',
    // Mastra knows an earlier version of the AI SDK's interface; what is used of it is the same.
    model: createModel(turns, llmMs) as AgentModel,
    tools: { [TOOL_NAME]: lookUpTool },
  });
  const runThread = async (prompt: string): Promise<Finished> => {
    const { steps } = await agent.generate(prompt, { maxSteps: turns });
    const toolResults = steps.reduce((sum, step) => sum + step.toolResults.length, 0);
    return { answers: steps.length, toolResults, text: steps.at(-1)?.text ?? '' };
  };
  return createInMemory(setup, { runThreads: (prompts) => Promise.all(prompts.map(runThread)) });
}
