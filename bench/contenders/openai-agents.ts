/*
 * OpenAI Agents SDK for JavaScript: an `Agent` with a `tool` as in its example `examples/basic/tools.ts`, and one `Runner`
 * for all runs, as its guide "Running agents" recommends; the model is one of our own behind the SDK's `Model` interface.
 *
 * Why this is fair: agent, tool and runner are made once, and a thread is one `run`. Nothing is traced, of which the
 * runner is told, and the SDK as a whole. The model is a plain object, so no HTTP client takes part. A tool whose
 * parameters are a JSON schema in place of zod was not cheaper. Sessions, guardrails and streaming are off. It keeps the
 * items of a run in memory and counts tokens; there is no event log, no money and nothing durable.
 */
import {
  Agent,
  Runner,
  setTracingDisabled,
  tool,
  Usage,
  type AgentOutputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
} from '@openai/agents';
import { z } from 'zod';
import { answerOf, lookUp, modelDelay, TOOL_DESCRIPTION, TOOL_NAME, type LookUpInput } from '../workload.ts';
import type { Contender, ContenderSetup } from './contender.ts';
import { createInMemory, type Finished } from './in-memory.ts';

/** Makes the contender. */
export async function createOpenAIAgents(setup: ContenderSetup): Promise<Contender> {
  const { turns, llmMs } = setup.params;
  const lookUpTool = tool({
    name: TOOL_NAME,
    description: TOOL_DESCRIPTION,
    parameters: z.object({ word: z.string() }),
    execute: async (input) => lookUp(input),
  });
  const agent = new Agent({ name: 'Fan out', model: createModel(turns, llmMs), tools: [lookUpTool] });
  setTracingDisabled(true);
  const runner = new Runner({ tracingDisabled: true });
  const runThread = async (prompt: string): Promise<Finished> => {
    const { newItems, finalOutput } = await runner.run(agent, prompt, { maxTurns: turns });
    const toolResults = newItems.filter(({ type }) => type === 'tool_call_output_item').length;
    const answers = newItems.filter(({ type }) => type === 'message_output_item').length;
    return { answers, toolResults, text: finalOutput ?? '' };
  };
  return createInMemory(setup, { runThreads: (prompts) => Promise.all(prompts.map(runThread)) });
}

function createModel(turns: number, llmMs: number): Model {
  return {
    async getResponse({ input }) {
      await modelDelay(llmMs);
      return respond(turnOf(input), turns);
    },
    getStreamedResponse() {
      throw new Error('Nothing is streamed here');
    },
  };
}

/** A tool's result stands between two turns. */
function turnOf(input: ModelRequest['input']): number {
  if (typeof input === 'string') return 1;
  return 1 + input.filter(({ type }) => type === 'function_call_result').length;
}

function respond(turn: number, turns: number): ModelResponse {
  const { text, toolInput, inputTokens, outputTokens } = answerOf(turn, turns);
  const message: AgentOutputItem = {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text }],
  };
  const call = toolInput && toCall(turn, toolInput);
  return {
    usage: new Usage({ requests: 1, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }),
    output: call ? [message, call] : [message],
  };
}

function toCall(turn: number, input: LookUpInput): AgentOutputItem {
  const callId = `call_${turn}`;
  return { type: 'function_call', callId, name: TOOL_NAME, arguments: JSON.stringify(input), status: 'completed' };
}
