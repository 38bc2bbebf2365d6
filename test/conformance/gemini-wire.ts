import type { Wire } from './model-scenario.ts';

/** Server-sent events of streamGenerateContent. */
export const geminiWire: Wire = {
  path: '/v1beta/models/test-model:streamGenerateContent?alt=sse',
  answer: ({ texts, toolCalls, usage, finish }) => [
    ...texts.map((text) => content({ text })),
    ...toolCalls.map(({ id, name, input }) => content({ functionCall: { id, name, args: input } })),
    data({
      candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: FINISH[finish] }],
      usageMetadata: {
        promptTokenCount: usage.inputTokens,
        cachedContentTokenCount: usage.cacheReadTokens,
        candidatesTokenCount: usage.outputTokens - 5,
        thoughtsTokenCount: 5,
        totalTokenCount: usage.inputTokens + usage.outputTokens,
      },
    }),
  ],
  begunText: (texts) => texts.map((text) => content({ text })),
  begunTool: (json, closed) => {
    const call = (args: unknown): string => content({ functionCall: { id: 'call_a', name: 'read', args } });
    // Of a call that its limit cuts off this API says nothing.
    if (closed === 'length') return [end(closed)];
    if (!isJson(json)) return closed ? [call(json), end(closed)] : [call(json).slice(0, -10)];
    return [call(JSON.parse(json)), ...(closed ? [end(closed)] : [])];
  },
  errorEvent: (type, message) => [content({ text: 'Hel' }), data({ error: { code: 500, message, status: type } })],
  errorBody: (type, message) => JSON.stringify({ error: { message, status: type } }),
};

const FINISH = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS' };

/** Inputs are no texts in this format: one that is cut shows as a line that is, or, where a gateway made it, as a text. */
function isJson(json: string): boolean {
  return json.endsWith('}') || json.endsWith(']') || json.endsWith('"');
}

function content(part: Readonly<Record<string, unknown>>): string {
  return data({
    candidates: [{ index: 0, content: { role: 'model', parts: [part] } }],
    usageMetadata: { promptTokenCount: 11, totalTokenCount: 11 },
  });
}

function end(finish: keyof typeof FINISH): string {
  return data({ candidates: [{ index: 0, finishReason: FINISH[finish] }] });
}

/** As Google sends them, with CR and LF. */
function data(fields: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify({ ...fields, modelVersion: 'm', responseId: 'r' })}\r\n\r\n`;
}
