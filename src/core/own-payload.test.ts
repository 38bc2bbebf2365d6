import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventPayloads } from './events.ts';
import { ownPayload } from './own-payload.ts';

const number = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(-0, 1e21, 1e-7, Number.NaN, Infinity));

/** A field that is added to one of these types is an error here. */
const usage = fc.record<EventPayloads['usage']>({
  input_tokens: number,
  output_tokens: number,
  cache_read_tokens: number,
  cache_write_tokens: number,
  spend: number,
  interrupted: fc.boolean(),
});
const saved = fc.record<EventPayloads['checkpoint_saved']>({ turn: number });
const cost = fc.record<EventPayloads['thread_completed']['cost']>(
  {
    turns: number,
    input_tokens: number,
    output_tokens: number,
    spend: number,
    cache_read_tokens: number,
    cache_write_tokens: number,
  },
  { requiredKeys: ['turns', 'input_tokens', 'output_tokens', 'spend'] },
);
const completed = fc.record<EventPayloads['thread_completed']>({ cost });
const cancelled = fc.record<EventPayloads['thread_cancelled']>({ reason: fc.string({ unit: 'binary' }), cost });
const warning = fc.record({ code: fc.string(), message: fc.string({ unit: 'binary' }) });

const own = fc.oneof(
  fc.tuple(fc.constant('usage' as const), usage),
  fc.tuple(fc.constant('checkpoint_saved' as const), saved),
  fc.tuple(fc.constant('thread_completed' as const), completed),
  fc.tuple(fc.constant('thread_cancelled' as const), cancelled),
  fc.tuple(fc.constant('warning' as const), warning),
);

test('A payload of the runtime itself has the bytes that JSON gives it, whatever its type', () => {
  fc.assert(
    fc.property(own, ([type, payload]) => {
      expect(ownPayload(type, payload)).toBe(JSON.stringify(payload));
    }),
  );
});
