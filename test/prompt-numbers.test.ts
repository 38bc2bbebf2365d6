import { countTokens } from 'gpt-tokenizer';
import { expect, test } from 'vitest';
import { createPromptBench, firstMessageOf, type Started } from './fixtures/prompt-bench.ts';

/* S3, "Token Overhead": its numbers hold for the items that ship, as a model's own tokenizer counts them. */

/** How far a number may be off. */
const SLACK = 0.25;

function start(extendsId?: string, permissions = ''): Started {
  const base = extendsId === undefined ? '' : ` extends="${extendsId}"`;
  const metadata = `<metadata><description>d</description><category>t</category>${permissions}</metadata>`;
  const text = `\`\`\`xml\n<directive name="task" version="1.0.0"${base}>${metadata}</directive>\n\`\`\`\nDo it.\n`;
  using bench = createPromptBench({ 'directives/task.md': text });
  const started = bench.start({ directive: 'task' });
  if ('code' in started) throw new Error(started.message);
  return started;
}

/** Tokens of the parts of the first message before the directive. */
function before(started: Started): number {
  const message = firstMessageOf(started.thread);
  return countTokens(message.slice(0, message.indexOf('<directive name="task">')));
}

const BARE = start();

test('environment and directive instruction take about 200 tokens', () => {
  expect(before(BARE)).toBeGreaterThanOrEqual(200 * (1 - SLACK));
  expect(before(BARE)).toBeLessThanOrEqual(200 * (1 + SLACK));
  expect(BARE.thread.system).toBe('');
});

test('identity and behavior take about 400', () => {
  const tokens = countTokens(start('rye/agent/core/base').thread.system);
  expect(tokens).toBeGreaterThanOrEqual(400 * (1 - SLACK));
  expect(tokens).toBeLessThanOrEqual(400 * (1 + SLACK));
});

test.each(['rye/agent/core/base_execute_only', 'rye/agent/core/base_review', 'rye/agent/core/base'])(
  'the protocol items of %s take 100 to 400',
  (base) => {
    const tokens = before(start(base)) - before(BARE);
    expect(tokens).toBeGreaterThanOrEqual(100 * (1 - SLACK));
    expect(tokens).toBeLessThanOrEqual(400 * (1 + SLACK));
  },
);

test('with everything on, system and first message together take 600 to 1,000', () => {
  const { thread } = start('rye/agent/core/base');
  const tokens = countTokens(thread.system) + countTokens(firstMessageOf(thread));
  expect(tokens).toBeGreaterThanOrEqual(600 * (1 - SLACK));
  expect(tokens).toBeLessThanOrEqual(1000 * (1 + SLACK));
});

test('tools take no message tokens, and at most 2,000 in the palette beside the primary actions', () => {
  const granted = start(undefined, '<permissions>*</permissions>');
  expect(firstMessageOf(granted.thread)).toBe(firstMessageOf(BARE.thread));
  expect(granted.thread.system).toBe('');
  const { palette } = granted.thread.plan;
  const tools = palette.definitions.filter(
    ({ name }) => palette.resolve(name) && palette.primaryOf(name) === 'execute',
  );
  const registered = tools.filter(({ name }) => name !== 'rye_execute');
  expect(registered.length).toBeGreaterThan(5);
  expect(countTokens(JSON.stringify(registered))).toBeLessThanOrEqual(2000 * (1 + SLACK));
});
