import type { CostPayload } from './cost-payload.ts';
import type { EventPayloads, EventType } from './events.ts';
import { numberJson } from './number-json.ts';

/**
 * The JSON of a payload that the runtime itself records: it has exactly the fields of its type. What each turn records and
 * has nothing but numbers is written field by field, which takes a third of the time; so is how most threads end.
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
  thread_completed: ({ cost }) => `{"cost":${costJson(cost)}}`,
  thread_cancelled: ({ reason, cost }) => `{"reason":${JSON.stringify(reason)},"cost":${costJson(cost)}}`,
};

function costJson(cost: CostPayload): string {
  if (cost.cache_read_tokens !== undefined || cost.cache_write_tokens !== undefined) return JSON.stringify(cost);
  return (
    `{"turns":${numberJson(cost.turns)},"input_tokens":${numberJson(cost.input_tokens)},` +
    `"output_tokens":${numberJson(cost.output_tokens)},"spend":${numberJson(cost.spend)}}`
  );
}
