import type { EventPayloads, EventType } from './events.ts';

/**
 * The JSON of a payload that the runtime itself records: it has exactly the fields of its type. What each turn records and
 * has nothing but numbers is written field by field, which takes a third of the time.
 */
export function ownPayload<Type extends EventType>(type: Type, payload: EventPayloads[Type]): string {
  return WRITTEN_OUT[type]?.(payload) ?? JSON.stringify(payload);
}

const WRITTEN_OUT: { readonly [Type in EventType]?: (payload: EventPayloads[Type]) => string } = {
  usage: (usage) =>
    `{"input_tokens":${numberJson(usage.input_tokens)},"output_tokens":${numberJson(usage.output_tokens)},` +
    `"cache_read_tokens":${numberJson(usage.cache_read_tokens)},` +
    `"cache_write_tokens":${numberJson(usage.cache_write_tokens)},` +
    `"spend":${numberJson(usage.spend)},"interrupted":${usage.interrupted}}`,
  checkpoint_saved: ({ turn }) => `{"turn":${numberJson(turn)}}`,
};

/** JSON has no NaN and no infinity. */
function numberJson(value: number): string {
  return Number.isFinite(value) ? `${value}` : 'null';
}
