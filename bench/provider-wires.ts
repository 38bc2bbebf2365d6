import type { Provider } from '../src/core/provider.ts';
import { systemClock } from '../src/core/clock.ts';
import { createAnthropicProvider } from '../src/providers/anthropic.ts';
import { createGeminiProvider } from '../src/providers/gemini.ts';
import { createOpenaiProvider } from '../src/providers/openai.ts';
import { createOpenaiResponsesProvider } from '../src/providers/openai-responses.ts';
import { anthropicWire } from '../test/conformance/anthropic-wire.ts';
import type { Wire } from '../test/conformance/model-scenario.ts';
import { geminiWire } from '../test/conformance/gemini-wire.ts';
import { openaiResponsesWire } from '../test/conformance/openai-responses-wire.ts';
import { openaiWire } from '../test/conformance/openai-wire.ts';

/** An adapter and the wire it reads. */
export type BenchWire = { readonly wire: Wire; makeProvider(origin: string): Provider };

/** Every adapter that is measured. */
export const WIRES: Readonly<Record<string, BenchWire>> = {
  anthropic: {
    wire: anthropicWire,
    makeProvider: (baseUrl) => createAnthropicProvider({ apiKey: 'bench', clock: systemClock, baseUrl }),
  },
  openai: {
    wire: openaiWire,
    makeProvider: (origin) => createOpenaiProvider({ apiKey: 'bench', clock: systemClock, baseUrl: `${origin}/v1` }),
  },
  'openai-responses': {
    wire: openaiResponsesWire,
    makeProvider: (origin) =>
      createOpenaiResponsesProvider({ apiKey: 'bench', clock: systemClock, baseUrl: `${origin}/v1` }),
  },
  gemini: {
    wire: geminiWire,
    makeProvider: (baseUrl) => createGeminiProvider({ apiKey: 'bench', clock: systemClock, baseUrl }),
  },
};

const USAGE = { inputTokens: 120, outputTokens: 30, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** The text of every answer, in as many pieces as asked for. */
export function textPieces(chunks: number): string[] {
  return Array.from({ length: chunks }, (_, at) => `piece ${at} of it `);
}

/** The frames of one answer as they are sent. */
export function answerFrames(wire: Wire, chunks: number): Buffer[] {
  const texts = textPieces(chunks);
  const frames = wire.answer({ kind: 'answer', texts, toolCalls: [], usage: USAGE, finish: 'stop' });
  return frames.map((frame) => Buffer.from(frame));
}
