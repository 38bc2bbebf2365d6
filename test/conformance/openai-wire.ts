import type { Wire } from './model-scenario.ts';

/** Server-sent events of Chat Completions. */
export const openaiWire: Wire = {
  path: '/v1/chat/completions',
  answer: ({ texts, toolCalls, usage, finish }) => [
    ...openText(texts),
    ...toolCalls.flatMap(({ id, name, input }, index) => tool(index, { id, name, json: JSON.stringify(input) })),
    choice({}, finish),
    data({
      choices: [],
      usage: {
        prompt_tokens: usage.inputTokens,
        completion_tokens: usage.outputTokens,
        total_tokens: usage.inputTokens + usage.outputTokens,
        prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
      },
    }),
    'data: [DONE]\n\n',
  ],
  begunText: openText,
  begunTool: (json, closed) => [
    ...tool(0, { id: 'call_a', name: 'read', json }),
    ...(closed ? [choice({}, closed), 'data: [DONE]\n\n'] : []),
  ],
  errorEvent: (type, message) => [...openText(['Hel']), data({ error: { type, message, code: null } })],
  errorBody: (type, message) => JSON.stringify({ error: { type, message, code: 'some_code', param: null } }),
};

function openText(texts: readonly string[]): string[] {
  return [choice({ role: 'assistant', content: '' }), ...texts.map((content) => choice({ content }))];
}

function tool(index: number, { id, name, json }: { id: string; name: string; json: string }): string[] {
  const half = Math.floor(json.length / 2);
  return [
    choice({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    choice({ tool_calls: [{ index, function: { arguments: json.slice(0, half) } }] }),
    choice({ tool_calls: [{ index, function: { arguments: json.slice(half) } }] }),
  ];
}

function choice(delta: Readonly<Record<string, unknown>>, finishReason: string | null = null): string {
  return data({ choices: [{ index: 0, delta, finish_reason: finishReason }], usage: null });
}

function data(fields: Readonly<Record<string, unknown>>): string {
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
