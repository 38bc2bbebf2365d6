import { expect, test } from 'vitest';
import { estimateTextTokens } from '../../providers/pricing.ts';
import { createLearningCounter } from '../../providers/token-counter.ts';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { addText, beginSize, settleSize } from './context-size.ts';
import type { Thread } from '../thread.ts';

const PALETTE = 500;

function threadWithModel(): Thread {
  const { thread } = createThreadBench();
  const counter = createLearningCounter(estimateTextTokens);
  const model = { ...thread.plan.model, counter };
  return { ...thread, system: 'x'.repeat(3000), plan: { ...thread.plan, model, paletteTokens: PALETTE } };
}

const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

test('the first request is what stands before the messages, and these', () => {
  const thread = threadWithModel();
  beginSize(thread);
  expect(thread.contextTokens).toBe(1000 + PALETTE);
  addText(thread, 'y'.repeat(900));
  expect(thread.contextTokens).toBe(1800);
});

test('after an answer it is what the provider counted, and what is added is counted by what that taught', () => {
  const thread = threadWithModel();
  beginSize(thread);
  settleSize(thread, usage(3000, 100));
  expect(thread.contextTokens).toBe(3100);
  addText(thread, 'y'.repeat(3000));
  // Twice as many as were counted, and the margin.
  expect(thread.contextTokens).toBe(3100 + 2100);
});

test('of a later request, the part that was added teaches, and not the whole', () => {
  const thread = threadWithModel();
  beginSize(thread);
  settleSize(thread, usage(1500, 100));
  addText(thread, 'y'.repeat(6000));
  settleSize(thread, usage(1600 + 4000, 50));
  expect(thread.plan.model.counter.expect(1000)).toBe(2100);
});

test('an input that nobody counted teaches nothing', () => {
  const thread = threadWithModel();
  beginSize(thread);
  settleSize(thread, usage(thread.contextTokens, 100));
  expect(thread.plan.model.counter.expect(1000)).toBe(1000);
});

test('a size that is known by estimate teaches nothing', () => {
  const thread = threadWithModel();
  beginSize(thread);
  thread.knownTokens = undefined;
  settleSize(thread, usage(9000, 0));
  expect(thread.plan.model.counter.expect(1000)).toBe(1000);
  expect(thread.contextTokens).toBe(9000);
});
