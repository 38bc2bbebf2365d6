import type { Attributes } from '@opentelemetry/api';

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
  return { role, parts: [{ type: 'text', content: text }] };
}
