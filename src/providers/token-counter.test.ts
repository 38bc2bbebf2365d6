import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateTextTokens } from './pricing.ts';
import { COUNTING_MARGIN, createLearningCounter, LENGTH_COUNTER } from './token-counter.ts';

test('what was never seen is expected as it is counted', () => {
  expect(createLearningCounter(estimateTextTokens).expect(1234)).toBe(1234);
});

test.each([
  ['rises at once', 2, [2100]],
  ['sinks by steps', 0.7, [828, 768, 747]],
  ['has an upper bound', 50, [3000, 3000]],
  ['has a lower bound', 0.01, [600, 600]],
])('the expectation %s', (_title, ratio, expected) => {
  const counter = createLearningCounter(estimateTextTokens);
  for (const tokens of expected) {
    counter.observe(1000, 1000 * ratio);
    expect(counter.expect(1000)).toBe(tokens);
  }
});

test.each([
  [10, 100],
  [1000, 0],
  [1000, -50],
  [1000, Number.NaN],
])('%i counted and %d seen say nothing about texts', (counted, actual) => {
  const counter = createLearningCounter(estimateTextTokens);
  counter.observe(counted, actual);
  expect(counter.expect(1000)).toBe(1000);
});

test('lengths are never corrected: a script says what it likes', () => {
  LENGTH_COUNTER.observe(1000, 5000);
  expect(LENGTH_COUNTER.expect(1000)).toBe(1000);
});

/** A model whose tokens are a ratio of the counted ones, a little different in every text. */
const model = fc.record({
  ratio: fc.double({ min: 0.62, max: 2.8, noNaN: true }),
  texts: fc.array(
    fc.record({
      counted: fc.integer({ min: 300, max: 40_000 }),
      noise: fc.double({ min: 0.97, max: 1.03, noNaN: true }),
    }),
    { minLength: 4, maxLength: 20 },
  ),
});

/** Thin texts that come out above what they were taken for, and then one below it: the correction has far to sink. */
const thin = {
  ratio: 0.62,
  texts: [
    { counted: 300, noise: 1.03 },
    { counted: 300, noise: 1.03 },
    { counted: 300, noise: 1.03 },
    { counted: 2590, noise: 0.97 },
  ],
};

test('from the fourth call on, what is reserved is within 15 % of what comes, and never below it by more than the margin', () => {
  fc.assert(
    fc.property(model, ({ ratio, texts }) => {
      const counter = createLearningCounter(estimateTextTokens);
      const calls = texts.map(({ counted, noise }) => {
        const actual = Math.ceil(counted * ratio * noise);
        const reserved = counter.expect(counted);
        counter.observe(counted, actual);
        return { actual, reserved };
      });
      for (const { actual, reserved } of calls.slice(3)) {
        expect(reserved).toBeGreaterThanOrEqual(Math.floor(actual * (1 - COUNTING_MARGIN)));
        expect(reserved).toBeLessThanOrEqual(Math.ceil(actual * 1.15));
      }
    }),
    { numRuns: 500, examples: [[thin]] },
  );
});
