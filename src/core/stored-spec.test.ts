import { expect, test } from 'vitest';
import { wholeSpecWith } from '../../test/fixtures/host-bench.ts';
import { parseSpec } from './stored-spec.ts';

const SPEC = wholeSpecWith(3);
const { tokens: _, ...fewer } = SPEC.limits;

test('A stored spec is read with all that is in it, also what a newer release has added', () => {
  const spec = { ...SPEC, callId: 'call-1', later: [1] };
  expect(parseSpec(JSON.stringify(spec), 7)).toEqual(JSON.parse(JSON.stringify(spec)));
});

test.each([
  ['nothing', undefined],
  ['half of it', JSON.stringify(SPEC).slice(0, 40)],
  ['no limits', JSON.stringify({ ...SPEC, limits: {} })],
  ['half of its limits', JSON.stringify({ ...SPEC, limits: fewer })],
  ['a limit that is no number', JSON.stringify({ ...SPEC, limits: { ...SPEC.limits, spend: '1' } })],
  ['no capabilities', JSON.stringify({ ...SPEC, capabilities: undefined })],
])('A stored spec of which there is %s starts nothing', (_, text) => {
  const message = expect.stringMatching(/^The stored spec of thread 7 /);
  expect(() => parseSpec(text, 7)).toThrow(expect.objectContaining({ code: 'store_corrupt', message }));
});
