import type { LogEvent, PromptPart, PromptSource } from '../api.ts';

/** Names of the events that tell of a prompt. */
export const PROMPT_EVENTS: ReadonlySet<string> = new Set(['system_prompt', 'context_injected', 'cognition_in']);

/**
 * The parts of a thread's first messages and where they are from, told by the events at the beginning of its log:
 * `system_prompt` has the layers of the system message, `context_injected` what stands around the instruction.
 */
export function promptParts(events: readonly LogEvent[]): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  let around: LogEvent['payload'] = {};
  for (const { event_type: type, payload, sequence = 0 } of events) {
    if (type === 'system_prompt') {
      parts.push({
        role: 'system',
        text: textOf(payload['text']),
        sources: named('layer', payload['layers']),
        sequence,
      });
    } else if (type === 'context_injected') around = payload;
    else if (type === 'cognition_in') {
      parts.push({
        role: roleOf(payload['role']),
        text: textOf(payload['text']),
        sources: userSources(payload, around),
        sequence,
      });
      // What follows are answers and results.
      if (payload['role'] === 'user') return parts;
    }
  }
  return parts;
}

function userSources(payload: LogEvent['payload'], around: LogEvent['payload']): readonly PromptSource[] {
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
