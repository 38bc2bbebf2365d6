import type { LanguageModel } from 'ai';
import { TOOL_NAME, type Answer, type Work } from '../workload.ts';

type Model = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
type Generated = Awaited<ReturnType<Model['doGenerate']>>;

/** The simulated model behind the AI SDK's interface. The SDK's own mock keeps every call it has had; this does not. */
export function createModel({ callModel, answerOf }: Work): Model {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    async doGenerate({ prompt, abortSignal }) {
      await callModel(abortSignal);
      const turn = 1 + prompt.filter(({ role }) => role === 'assistant').length;
      return generate(turn, answerOf(turn));
    },
    doStream() {
      throw new Error('Nothing is streamed here');
    },
  };
}

function generate(turn: number, { text, toolInputs, inputTokens, outputTokens }: Answer): Generated {
  const none = undefined;
  const calls = toolInputs.map((input, index) => ({
    type: 'tool-call' as const,
    toolCallId: `call_${turn}_${index}`,
    toolName: TOOL_NAME,
    input: JSON.stringify(input),
  }));
  return {
    content: [{ type: 'text', text }, ...calls],
    finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: none },
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: none, cacheWrite: none },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: none },
    },
    warnings: [],
  };
}
