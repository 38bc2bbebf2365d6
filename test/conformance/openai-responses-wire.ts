import type { Scenario, Wire } from './model-scenario.ts';

/** Server-sent events of the Responses API. */
export const openaiResponsesWire: Wire = {
  path: '/v1/responses',
  answer: ({ texts, toolCalls, usage, finish }) => [
    ...openText(texts),
    ...closeText(texts.join('')),
    ...toolCalls.flatMap(({ id, name, input }, at) => tool(at + 1, { id, name, json: JSON.stringify(input) })),
    end(finish, {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
      input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
      output_tokens_details: { reasoning_tokens: 0 },
    }),
  ],
  begunText: openText,
  begunTool: (json, closed) => [
    created(),
    ...tool(0, { id: 'call_a', name: 'read', json }).slice(0, closed ? undefined : -2),
    ...(closed ? [end(closed, undefined)] : []),
  ],
  errorEvent: (type, message) => [...openText(['Hel']), event('error', { code: type, message, param: null })],
  errorBody: (type, message) => JSON.stringify({ error: { type, message, code: 'some_code', param: null } }),
};

function created(): string {
  return event('response.created', { response: { ...RESPONSE, status: 'in_progress' } });
}

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [], usage: null, error: null };

function openText(texts: readonly string[]): string[] {
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
  return [
    created(),
    event('response.output_item.added', { output_index: 0, item }),
    event('response.content_part.added', { ...AT_TEXT, part: { type: 'output_text', text: '', annotations: [] } }),
    ...texts.map((delta) => event('response.output_text.delta', { ...AT_TEXT, delta, logprobs: [] })),
  ];
}

const AT_TEXT = { item_id: 'msg_1', output_index: 0, content_index: 0 };

function closeText(text: string): string[] {
  const part = { type: 'output_text', text, annotations: [] };
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] };
  return [
    event('response.output_text.done', { ...AT_TEXT, text }),
    event('response.content_part.done', { ...AT_TEXT, part }),
    event('response.output_item.done', { output_index: 0, item }),
  ];
}

function tool(at: number, { id, name, json }: { id: string; name: string; json: string }): string[] {
  const half = Math.floor(json.length / 2);
  const item = { type: 'function_call', id: `fc_${at}`, call_id: id, name, arguments: '', status: 'in_progress' };
  const place = { output_index: at, item_id: item.id };
  const delta = (part: string): string => event('response.function_call_arguments.delta', { ...place, delta: part });
  return [
    event('response.output_item.added', { output_index: at, item }),
    delta(json.slice(0, half)),
    delta(json.slice(half)),
    event('response.function_call_arguments.done', { ...place, arguments: json }),
    event('response.output_item.done', { output_index: at, item: { ...item, arguments: json, status: 'completed' } }),
  ];
}

function end(finish: Extract<Scenario, { kind: 'answer' }>['finish'], usage: object | undefined): string {
  const response = { ...RESPONSE, usage };
  return finish === 'length'
    ? event('response.incomplete', {
        response: { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      })
    : event('response.completed', { response: { ...response, status: 'completed' } });
}

function event(type: string, fields: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 1, ...fields })}\n\n`;
}
