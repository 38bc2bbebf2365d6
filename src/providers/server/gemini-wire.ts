import type { Candidate, FinishReason, GenerateContentResponse, Part } from '@google/genai/web';
import { splitText } from '../split-text.ts';
import { errorWord } from './error-word.ts';
import { geminiBody, type GeminiBody } from './gemini-body.ts';
import { readGeminiConversation } from './gemini-conversation.ts';
import { firstProblem, type Problem } from './problem.ts';
import { sealThought } from './signature.ts';
import { withThreadFacts } from './thread-facts.ts';
import { thoughtTokens } from './thought-tokens.ts';
import {
  ALL_EXTRAS,
  type Wire,
  type WireAnswer,
  type WireCall,
  type WireToolCall,
  type WireError,
  type WireFrames,
  type WireInput,
} from './wire.ts';

/** Gemini, as Google AI for developers serves it. */
export const geminiWire: Wire = {
  match,
  read,
  frames,
  whole: (answer) => JSON.stringify(wholeAnswer(answer)),
  errorBody: (error) => JSON.stringify(errorOf(error)),
  // Bare: the SDK knows an error in a stream by a chunk that is JSON as a whole.
  errorFrame: (error) => JSON.stringify(errorOf(error)),
  garbage: 'data: {"candidates": [{"content": {"par\r\n\r\n',
};

function match(path: string, query: string): Pick<WireInput, 'model' | 'stream'> | undefined {
  const [, model, method] = /^\/v1beta\/models\/([^/:%]+):(generateContent|streamGenerateContent)$/.exec(path) ?? [];
  if (model === undefined) return undefined;
  const stream = method === 'streamGenerateContent';
  // The other form of a stream, one long list, is not spoken here.
  if (stream && new URLSearchParams(query).get('alt') !== 'sse') return undefined;
  return { model, stream };
}

/** What the API takes for a limit that is not given is up to the model. */
const MAX_OUTPUT_TOKENS = 8192;

function read({ body, model = '', stream = false }: WireInput): WireCall | { readonly error: WireError } {
  const parsed = geminiBody.safeParse(body);
  if (!parsed.success) return refuse(problemText(firstProblem(parsed.error)));
  const messages = readGeminiConversation(parsed.data);
  if (typeof messages === 'string') return refuse(messages);
  const { systemInstruction, generationConfig } = parsed.data;
  const system = (systemInstruction?.parts ?? []).map(({ text = '' }) => text).join('\n\n');
  const maxOutputTokens = generationConfig?.maxOutputTokens ?? MAX_OUTPUT_TOKENS;
  const request = withThreadFacts({ model, system, messages, tools: toolsOf(parsed.data), maxOutputTokens });
  return { request, stream, asked: ALL_EXTRAS };
}

function refuse(message: string): { readonly error: WireError } {
  return { error: { status: 400, message } };
}

function problemText({ path, kind, message }: Problem): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  if (kind !== 'unknown_field') return `* GenerateContentRequest${place}: ${kind === 'missing' ? 'required' : message}`;
  const at = place.slice(1, place.lastIndexOf('.'));
  const where = at === '' ? '' : ` at '${at}'`;
  return `Invalid JSON payload received. Unknown name "${path.at(-1)}"${where}: Cannot find field.`;
}

function toolsOf({ tools = [] }: GeminiBody): WireCall['request']['tools'] {
  return tools.flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ name, description = '', parametersJsonSchema, parameters }) => ({
      name,
      description,
      // Whatever was declared: nothing here acts on it.
      inputSchema: (parametersJsonSchema ?? parameters ?? {}) as Readonly<Record<string, unknown>>,
    })),
  );
}

const STATUS_NAMES = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function errorOf(error: WireError): object {
  return { error: { code: error.status, message: error.message, status: errorWord(error, STATUS_NAMES) } };
}

function frames(answer: WireAnswer): WireFrames {
  const { reasoning, text, toolCalls, chunks } = answer;
  const frame = frameMaker(answer);
  const pieces = [
    ...splitText(reasoning, chunks).map((piece) => frame(`{"text":${JSON.stringify(piece)},"thought":true}`)),
    ...splitText(text, chunks).map((piece) => frame(`{"text":${JSON.stringify(piece)}}`)),
    ...toolCalls.map((call, at) => frame(callText(call, at === 0 ? reasoning : undefined))),
  ];
  const last = { ...wholeAnswer(answer), candidates: [{ ...END, finishReason: finishReasonOf(answer) }] };
  return { head: '', pieces, tail: `data: ${JSON.stringify(last)}\r\n\r\n` };
}

/** The end comes in a frame of its own, with an empty text. */
const END = { content: { role: 'model', parts: [{ text: '' }] }, index: 0 };

/** All that is not the part is the same in every frame of an answer, the tokens of the prompt among it. */
function frameMaker(answer: WireAnswer): (part: string) => string {
  const { usageMetadata, ...rest } = wholeAnswer(answer);
  const promptTokenCount = usageMetadata.promptTokenCount;
  const usage = { promptTokenCount, totalTokenCount: promptTokenCount };
  const after = JSON.stringify({ ...rest, candidates: undefined, usageMetadata: usage }).slice(1);
  return (part) => `data: {"candidates":[{"content":{"role":"model","parts":[${part}]},"index":0}],${after}\r\n\r\n`;
}

/** Input never comes in pieces on this wire. */
function callText({ id, name, json }: WireToolCall, reasoning: string | undefined): string {
  const signed = reasoning === undefined ? '' : `,"thoughtSignature":"${sealThought(reasoning)}"`;
  return `{"functionCall":{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"args":${json}}${signed}}`;
}

// As the wire has it: the SDK's class adds what it computes.
type Whole = Pick<GenerateContentResponse, 'responseId' | 'modelVersion'> & {
  readonly candidates: Candidate[];
  readonly usageMetadata: NonNullable<GenerateContentResponse['usageMetadata']>;
};

function wholeAnswer(answer: WireAnswer): Whole {
  const { id, model, text, reasoning, toolCalls } = answer;
  const parts: Part[] = toolCalls.map(({ id, name, input }, at) => ({
    functionCall: { id, name, args: { ...input } },
    ...(at === 0 && { thoughtSignature: sealThought(reasoning) }),
  }));
  if (text !== '' || parts.length === 0) parts.unshift({ text });
  if (reasoning !== '') parts.unshift({ text: reasoning, thought: true });
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, finishReason: finishReasonOf(answer) }],
    modelVersion: model,
    responseId: id,
    usageMetadata: usageOf(answer),
  };
}

function finishReasonOf({ finishReason }: WireAnswer): FinishReason {
  // The enum's members are these very words; its module is half a megabyte that is not loaded for them.
  return (finishReason === 'length' ? 'MAX_TOKENS' : 'STOP') as FinishReason;
}

/** This API never says what went into a cache, and counts thoughts apart from the answer. */
function usageOf(answer: WireAnswer): Whole['usageMetadata'] {
  const { inputTokens, outputTokens, cacheReadTokens } = answer.usage;
  const thoughts = thoughtTokens(answer);
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - thoughts,
    totalTokenCount: inputTokens + outputTokens,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cacheReadTokens > 0 && { cachedContentTokenCount: cacheReadTokens }),
  };
}
