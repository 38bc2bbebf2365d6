import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeEvents,
  encodeEvent,
  eventsOfTypes,
  eventTypes,
  firstLines,
  lastSequence,
  linesOfTypes,
  type StoredEvent,
} from './events.ts';

/** Text with everything that could break a line: newlines of all kinds, quotes, lone surrogates, control characters. */
const nasty = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\n', '\r\n', '\u2028\u2029', '"}\n{"sequence":9}', '\\n', '\u0000', '😀', '\ud83d', ''),
);

const event: fc.Arbitrary<StoredEvent> = fc.record({
  sequence: fc.nat(),
  event_type: fc.constantFrom('cognition_in', 'cognition_out', 'tool_call_result', 'warning'),
  time: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  payload: fc.dictionary(nasty, fc.jsonValue().map(withoutMinusZero)).map((map) => ({ text: '', ...map }) as never),
});

describe('Events', () => {
  test('of some types are found, whatever their texts and those of others say', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const lines = events.map(encodeEvent).join('');
        const types = ['cognition_in', 'tool_call_result'] as const;
        const found = events.filter(({ event_type: type }) => types.some((one) => one === type));
        expect(linesOfTypes(lines, types)).toBe(found.map(encodeEvent).join(''));
        expect(eventsOfTypes(lines, types)).toEqual(decodeEvents(found.map(encodeEvent).join('')));
        expect([...eventTypes(lines)]).toEqual(events.map(({ event_type: type }) => type));
        expect(lastSequence(lines)).toBe(events.at(-1)?.sequence ?? 0);
      }),
    );
  });

  test('are cut after any number of them', () => {
    fc.assert(
      fc.property(fc.array(event), fc.nat(12), (events, count) => {
        const lines = events.map((one) => encodeEvent(one)).join('');
        expect(decodeEvents(firstLines(lines, count))).toEqual(events.slice(0, count));
      }),
    );
  });

  test('come back from their JSON lines as they were', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        expect(decodeEvents(events.map(encodeEvent).join(''))).toEqual(events);
      }),
    );
  });

  test('are one line each, whatever is in the payload', () => {
    fc.assert(
      fc.property(event, (one) => {
        const line = encodeEvent(one);
        expect(line.endsWith('\n')).toBe(true);
        expect(line.slice(0, -1)).not.toContain('\n');
      }),
    );
  });

  test('are plain JSON that any tool can read', () => {
    const payload = { text: 'a\n"b"', role: 'user' } as const;
    const line = encodeEvent({ sequence: 3, event_type: 'cognition_in', time: 1700, payload });
    expect(JSON.parse(line)).toEqual({ sequence: 3, event_type: 'cognition_in', time: 1700, payload });
  });

  test('are none in an empty chunk', () => {
    expect(decodeEvents('')).toEqual([]);
  });

  test('are read from a last line without its newline', () => {
    const line = encodeEvent({ sequence: 1, event_type: 'checkpoint_saved', time: 0, payload: { turn: 1 } });
    expect(decodeEvents(line + line.trimEnd())).toHaveLength(2);
  });

  test.each([
    ['behind a whole event', (line: string) => line + line.slice(0, 20), /^The log can't be read after event 7: /],
    ['in its first event', (line: string) => line.slice(0, 20) + line, /^The log can't be read after event 6: /],
    ['from its first character on', (line: string) => `x${line}`, /^An event can not be read: /],
  ])('of a chunk that is damaged %s are an error, never fewer events', (_, damage, message) => {
    const line = encodeEvent({ sequence: 7, event_type: 'checkpoint_saved', time: 0, payload: { turn: 1 } });
    expect(() => decodeEvents(damage(line))).toThrow(
      expect.objectContaining({ code: 'store_corrupt', message: expect.stringMatching(message) }),
    );
  });

  test('carry keys such as __proto__ as data', () => {
    const payload = JSON.parse('{"turn":1,"__proto__":{"admin":true}}') as { turn: number };
    const [back] = decodeEvents(encodeEvent({ sequence: 1, event_type: 'checkpoint_saved', time: 0, payload }));
    expect(Object.keys(back?.payload ?? {})).toEqual(['turn', '__proto__']);
    expect(Reflect.has({}, 'admin')).toBe(false);
  });
});

/** JSON has no -0. */
function withoutMinusZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
