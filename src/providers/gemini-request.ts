import type { Content, FunctionCall, FunctionDeclaration, GenerateContentParameters, Part } from '@google/genai/web';
import type { Message, ProviderCarry, ToolCall, ToolDefinition } from '../core/conversation.ts';
import type { ModelRequest } from '../core/provider.ts';

/** Under this name an answer's parts are kept, to be sent back word for word. */
export const GEMINI_CARRY = 'gemini';

/** A request in generateContent's words: the system prompt in its own field (S0). */
export function geminiRequest(request: ModelRequest): GenerateContentParameters {
  const { model, system, messages, tools, maxOutputTokens } = request;
  return {
    model,
    contents: toContents(messages),
    config: {
      maxOutputTokens,
      // The SDK would send further requests by itself; each call is the thread's own decision and cost.
      automaticContinuation: false,
      ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
      ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(toDeclaration) }] }),
    },
  };
}

/** What Google documents for calls without one: newer models refuse the first call of a message that has none. */
const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';

/** Neighbours of one role become one content: all results of a message's calls must stand in the next one. */
function toContents(messages: readonly Message[]): Content[] {
  const contents: { role: 'user' | 'model'; parts: Part[] }[] = [];
  const calls = new Map<string, FunctionCall>();
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = toParts(message, calls);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts: [...parts] });
  }
  return contents;
}

/** `calls` are those seen so far, by our ids: a result names its call, and has an id only if Gemini gave one. */
function toParts(message: Message, calls: Map<string, FunctionCall>): readonly Part[] {
  if (message.role === 'user') return textPart(message.text);
  if (message.role === 'tool') {
    const { name = message.callId, id } = calls.get(message.callId) ?? {};
    const response = message.isError ? { error: message.text } : { output: message.text };
    return [{ functionResponse: { name, response, ...(id && { id }) } }];
  }
  const parts = ownParts(message.carry) ?? [...textPart(message.text), ...toCalls(message.toolCalls)];
  const sent = parts.flatMap(({ functionCall }) => functionCall ?? []);
  for (const [at, { id, name }] of message.toolCalls.entries()) calls.set(id, sent[at] ?? { name });
  return parts;
}

function ownParts(carry: ProviderCarry | undefined): readonly Part[] | undefined {
  // Written by the answer's assembler, as they came from Gemini.
  return carry?.provider === GEMINI_CARRY ? (carry.parts as readonly Part[]) : undefined;
}

/** The API refuses empty text parts. */
function textPart(text: string): Part[] {
  return text.trim() === '' ? [] : [{ text }];
}

function toCalls(toolCalls: readonly ToolCall[]): Part[] {
  return toolCalls.map(({ name, input }, at) => ({
    functionCall: { name, args: { ...input } },
    ...(at === 0 && { thoughtSignature: FOREIGN_SIGNATURE }),
  }));
}

function toDeclaration({ name, description, inputSchema }: ToolDefinition): FunctionDeclaration {
  return { name, description, parametersJsonSchema: inputSchema };
}
