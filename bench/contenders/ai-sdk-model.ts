import type { LanguageModel } from 'ai';
import { answerOf, modelDelay, TOOL_NAME } from '../workload.ts';

type Model = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
type Generated = Awaited<ReturnType<Model['doGenerate']>>;

/** The simulated model behind the AI SDK's interface. The SDK's own mock keeps every call it has had; this does not. */
export function createModel(turns: number, llmMs: number): Model {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      await modelDelay(llmMs);
      const turn = 1 + prompt.filter(({ role }) => role === 'assistant').length;
      return generate(turn, turns);
    },
    doStream() {
      throw new Error('Nothing is streamed here');
    },
  };
}

function generate(turn: number, turns: number): Generated {
  const { text, toolInput, inputTokens, outputTokens } = answerOf(turn, turns);
  const none = undefined;
  const call = toolInput && {
    type: 'tool-call' as const,
    toolCallId: `call_${turn}`,
    toolName: TOOL_NAME,
    input: JSON.stringify(toolInput),
  };
  return {
    content: [{ type: 'text', text }, ...(call ? [call] : [])],
    finishReason: { unified: call ? 'tool-calls' : 'stop', raw: none },
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: none, cacheWrite: none },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: none },
    },
    warnings: [],
  };
}
