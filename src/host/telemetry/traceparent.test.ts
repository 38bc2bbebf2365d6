import { expect, test } from 'vitest';
import { fromTraceparent, toTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each([0, 1, 3])('A span is written and read again, with its flags (%i)', (traceFlags) => {
  const text = toTraceparent({ traceId: TRACE, spanId: SPAN, traceFlags });
  expect(text).toBe(`00-${TRACE}-${SPAN}-0${traceFlags}`);
  expect(fromTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true });
});

test('A span that nobody records has no text', () => {
  expect(toTraceparent({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 })).toBeUndefined();
  expect(toTraceparent(undefined)).toBeUndefined();
});

test.each([
  undefined,
  '',
  'x',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `01-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  ` 00-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01\n`,
])('Any other text names no span: %j', (text) => {
  expect(fromTraceparent(text)).toBeUndefined();
});
