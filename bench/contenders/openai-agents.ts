/*
 * OpenAI Agents SDK for JavaScript: an `Agent` with a `tool` as in its example `examples/basic/tools.ts`, and one `Runner`
 * for all runs, as its guide "Running agents" recommends; the model is one of our own behind the SDK's `Model` interface.
 *
 * Why this is fair: agent, tool and runner are made once, and a thread is one `run`. Nothing is traced, of which the
 * runner is told, and the SDK as a whole. The model is a plain object, so no HTTP client takes part. A tool whose
 * parameters are a JSON schema in place of zod was not cheaper. Sessions, guardrails and streaming are off. It keeps the
 * items of a run in memory and counts tokens; there is no event log, no money and nothing durable. A thread
 * that runs others does so with its runner in `execute` of its tool, and hands on the signal that it is given; `agent.asTool()` does the
 * same, and makes a runner for each call.
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
import { TOOL_DESCRIPTION, TOOL_NAME, type Answer, type Work } from '../workload.ts';
import type { Library } from './contender.ts';

/** Makes the contender. */
export function createOpenAIAgents(): Library {
  setTracingDisabled(true);
  const runner = new Runner({ tracingDisabled: true });
  return {
    threadsOf(work) {
      const lookUp = tool({
        name: TOOL_NAME,
        description: TOOL_DESCRIPTION,
        parameters: z.object({ word: z.string() }),
        execute: async (input, _context, details) => work.callTool(input, details?.signal),
      });
      const agent = new Agent({ name: 'Fan out', model: createModel(work), tools: [lookUp] });
      return async (prompt, signal) => {
        const options = { maxTurns: work.turns, ...(signal && { signal }) };
        const { newItems, finalOutput } = await runner.run(agent, prompt, options);
        const toolResults = newItems.filter(({ type }) => type === 'tool_call_output_item').length;
        const answers = newItems.filter(({ type }) => type === 'message_output_item').length;
        return { answers, toolResults, text: finalOutput ?? '' };
      };
    },
  };
}

function createModel({ callModel, answerOf }: Work): Model {
  return {
    async getResponse({ input, signal }) {
      await callModel(signal);
      const turn = turnOf(input);
      return respond(turn, answerOf(turn));
    },
    getStreamedResponse() {
      throw new Error('Nothing is streamed here');
    },
  };
}

/** An answer of the model stands between two turns. */
function turnOf(input: ModelRequest['input']): number {
  if (typeof input === 'string') return 1;
  return 1 + input.filter((item) => item.type === 'message' && item.role === 'assistant').length;
}

function respond(turn: number, { text, toolInputs, inputTokens, outputTokens }: Answer): ModelResponse {
  const message: AgentOutputItem = {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text }],
  };
  const calls = toolInputs.map((input, index): AgentOutputItem => {
    const callId = `call_${turn}_${index}`;
    return { type: 'function_call', callId, name: TOOL_NAME, arguments: JSON.stringify(input), status: 'completed' };
  });
  return {
    usage: new Usage({ requests: 1, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }),
    output: [message, ...calls],
  };
}
