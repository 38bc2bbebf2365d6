import { openaiError, openaiProblem, openaiRefusal } from './openai-error.ts';
import { openaiResponsesBody, type OpenaiResponsesBody } from './openai-responses-body.ts';
import { readOpenaiResponses } from './openai-responses-conversation.ts';
import { responsesFrames, wholeResponse } from './openai-responses-frames.ts';
import { withThreadFacts } from './thread-facts.ts';
import type { Wire, WireCall, WireError, WireInput } from './wire.ts';

/** OpenAI Responses. The server keeps nothing: what belongs to a conversation has to be sent. */
export const openaiResponsesWire: Wire = {
  match: (path) => (path === '/v1/responses' ? { model: undefined, stream: undefined } : undefined),
  read,
  frames: responsesFrames,
  whole: (answer) => JSON.stringify(wholeResponse(answer)),
  errorBody: (error) => JSON.stringify(openaiError(error)),
  errorFrame: (error) => {
    // The event's own type is taken, so that the error's has to stand in its code.
    const { message, type, code = null, param } = openaiError(error).error;
    const data = JSON.stringify({ type: 'error', code: code ?? type, message, param, sequence_number: 0 });
    return `event: error\ndata: ${data}\n\n`;
  },
  garbage: 'event: response.output_text.delta\ndata: {"type":"response.output_te\n\n',
};

/** What the API takes for a limit that is not given is up to the model. */
const MAX_OUTPUT_TOKENS = 16_384;

function read({ body }: WireInput): WireCall | { readonly error: WireError } {
  const parsed = openaiResponsesBody.safeParse(body);
  if (!parsed.success) return openaiProblem(parsed.error);
  const { model, stream, include, previous_response_id: previous } = parsed.data;
  if (previous) {
    const message = `Previous response with id '${previous}' not found.`;
    const param = 'previous_response_id';
    return { error: { status: 400, message, code: 'previous_response_not_found', param } };
  }
  if (parsed.data.input.length === 0) return openaiRefusal("Invalid 'input': expected at least one item.", 'input');
  const conversation = readOpenaiResponses(parsed.data);
  if ('error' in conversation) return conversation;
  const maxOutputTokens = parsed.data.max_output_tokens ?? MAX_OUTPUT_TOKENS;
  const request = withThreadFacts({ model, ...conversation, tools: toolsOf(parsed.data), maxOutputTokens });
  const sealedThoughts = include?.includes('reasoning.encrypted_content') ?? false;
  return { request, stream: stream ?? false, asked: { usage: true, sealedThoughts } };
}

function toolsOf({ tools = [] }: OpenaiResponsesBody): WireCall['request']['tools'] {
  return tools.flatMap((tool) => {
    if (tool.type !== 'function') return [];
    const { name, description, parameters } = tool;
    return [{ name, description: description ?? '', inputSchema: parameters ?? {} }];
  });
}
