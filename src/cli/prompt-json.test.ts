import { expect, test } from 'vitest';
import type { PromptPreview } from '../core/prompt-preview.ts';
import { tokensOf } from './prompt-json.ts';

const PREVIEW: PromptPreview = {
  directive: 'd',
  model: 'm',
  capabilities: [],
  extends: [],
  system: { text: '', tokens: 10, parts: [] },
  message: { text: '', tokens: 20, parts: [] },
  tools: [],
  leftOut: [],
  notes: [],
  warnings: [],
};
const line = (tokens: number) => ({ role: 'user' as const, tokens, isMarked: false, begins: '' });
const IN_TIERS = { policy: 'cache-aware', tiers: [], messages: [line(300), line(25)] };

test('A flat prompt has the tokens of its messages', () => {
  expect(tokensOf(PREVIEW)).toEqual({ system: 10, message: 20, tools: 0, total: 30 });
});

test('A prompt in tiers also has the tokens of what is shown around its messages', () => {
  const counted = tokensOf({ ...PREVIEW, tiers: IN_TIERS });
  expect(counted).toEqual({ system: 10, message: 20, context: 295, tools: 0, total: 325 });
});
