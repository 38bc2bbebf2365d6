import type { Attributes } from '@opentelemetry/api';
import type { Answer } from './thread-trace.ts';

/** What a model reference says to the GenAI conventions: `provider:model`. */
export function modelAttributes(reference: string): Attributes {
  const colon = reference.indexOf(':');
  const provider = reference.slice(0, Math.max(0, colon));
  return {
    'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
    'gen_ai.request.model': modelName(reference),
  };
}

/** A model's name without its provider's. */
export function modelName(reference: string): string {
  return reference.slice(reference.indexOf(':') + 1);
}

/** Names of the conventions that are not our own. */
const PROVIDERS: Readonly<Record<string, string>> = { gemini: 'gcp.gemini' };

/** A message as the conventions write it. */
export function messageJson(role: string, text: string): object {
  return { role, parts: textParts(text) };
}

/** The same of what a call of a tool gives. */
export function toolMessageJson(id: string, response: string): object {
  return { role: 'tool', parts: [{ type: 'tool_call_response', id, response }] };
}

/** The same of what a model says, and why it ends there. */
export function answerJson({ text, calls }: Answer, finish: string): object {
  const called = calls.map(({ id, name, input }) => ({ type: 'tool_call', id, name, arguments: input }));
  const said = text === '' ? [] : textParts(text);
  return { role: 'assistant', parts: [...said, ...called], finish_reason: finish };
}

/** A text as the parts of a message, or as the instructions of a model. */
export function textParts(content: string): readonly object[] {
  return [{ type: 'text', content }];
}
