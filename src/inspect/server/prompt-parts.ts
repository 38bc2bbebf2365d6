import type { LogEvent, PromptPart, PromptSource } from '../api.ts';

/** Names of the events that tell of a prompt. */
export const PROMPT_EVENTS: ReadonlySet<string> = new Set(['system_prompt', 'context_injected', 'cognition_in']);

/** Of the payload of such an event, what a prompt is told by; how long its text is before that is cut. */
export function promptPayload({ text, layers, before, after, role, directive }: Payload): Payload {
  return { text, layers, before, after, role, directive, length: textOf(text).length };
}

type Payload = LogEvent['payload'];

/**
 * The parts of a thread's first messages and where they are from, told by the events at the beginning of its log:
 * `system_prompt` has the layers of the system message, `context_injected` what stands around the instruction.
 * Payloads are as {@link promptPayload} leaves them.
 */
export function promptParts(events: readonly LogEvent[]): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  let around: Payload = {};
  for (const event of events) {
    const { event_type: type, payload } = event;
    if (type === 'system_prompt') {
      parts.push({ role: 'system', sources: named('layer', payload['layers']), ...wordsOf(event) });
    } else if (type === 'context_injected') around = payload;
    else if (type === 'cognition_in') {
      parts.push({ role: roleOf(payload['role']), sources: userSources(payload, around), ...wordsOf(event) });
      // What follows are answers and results.
      if (payload['role'] === 'user') return parts;
    }
  }
  return parts;
}

function wordsOf({ payload, sequence = 0, cut }: LogEvent): Omit<PromptPart, 'role' | 'sources'> {
  const text = textOf(payload['text']);
  const length = typeof payload['length'] === 'number' ? payload['length'] : text.length;
  return { text, length, ...(cut && { cut }), sequence };
}

function userSources(payload: Payload, around: Payload): readonly PromptSource[] {
  const directive = payload['directive'];
  return [
    ...named('before', around['before']),
    ...(typeof directive === 'string' ? [{ kind: 'directive', id: directive } as const] : []),
    ...named('after', around['after']),
  ];
}

function named(kind: PromptSource['kind'], ids: unknown): readonly PromptSource[] {
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').map((id) => ({ kind, id })) : [];
}

function textOf(text: unknown): string {
  return typeof text === 'string' ? text : '';
}

function roleOf(role: unknown): PromptPart['role'] {
  return role === 'system' || role === 'developer' || role === 'tool' ? role : 'user';
}
