import type { Wire } from './model-scenario.ts';

/** Server-sent events of the Messages API. */
export const anthropicWire: Wire = {
  path: '/v1/messages',
  answer: ({ texts, toolCalls, usage, finish }) => {
    const blocks = toolCalls.flatMap(({ id, name, input }, at) =>
      tool(at + 1, { id, name, json: JSON.stringify(input) }),
    );
    return [
      start({
        input_tokens: usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens,
        cache_read_input_tokens: usage.cacheReadTokens,
        cache_creation_input_tokens: usage.cacheWriteTokens,
        output_tokens: 1,
      }),
      event('ping', {}),
      ...openText(texts),
      event('content_block_stop', { index: 0 }),
      ...blocks,
      ...end(STOP[finish], usage.outputTokens),
    ];
  },
  begunText: (texts) => [start({ input_tokens: 11, output_tokens: 1 }), ...openText(texts)],
  begunTool: (json, closed) => [
    start({ input_tokens: 11, output_tokens: 1 }),
    ...tool(0, { id: 'call_a', name: 'read', json }).slice(0, closed ? undefined : -1),
    ...(closed ? end(STOP[closed], 7) : []),
  ],
  errorEvent: (type, message) => [
    start({ input_tokens: 11, output_tokens: 1 }),
    event('error', { error: { type, message } }),
  ],
  errorBody: (type, message) => JSON.stringify({ type: 'error', error: { type, message } }),
};

const STOP = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens' };

function start(usage: Readonly<Record<string, number>>): string {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    model: 'm',
    stop_reason: null,
    usage,
  };
  return event('message_start', { message });
}

function openText(texts: readonly string[]): string[] {
  return [
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...texts.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
  ];
}

function tool(index: number, { id, name, json }: { id: string; name: string; json: string }): string[] {
  const half = Math.floor(json.length / 2);
  const delta = (part: string): string =>
    event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: part } });
  return [
    event('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } }),
    delta(json.slice(0, half)),
    delta(json.slice(half)),
    event('content_block_stop', { index }),
  ];
}

function end(stopReason: string, outputTokens: number): string[] {
  return [
    event('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: outputTokens },
    }),
    event('message_stop', {}),
  ];
}

function event(type: string, fields: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
