import { expect, test, vi } from 'vitest';
import { startLlmServer } from '../src/testing.ts';
import { call, project } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { tiersOptions } from './fixtures/tiers-options.ts';
import { wireBlocks } from './fixtures/wire-blocks.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Far more than fits into the model's window, if it were text. */
const PNG = 'iVBORw0KGgo'.padEnd(900_000, 'A');
const LOOK = `---
name: look
version: "1"
description: looks at a picture
inputs:
  photo: { kind: image, required: true }
---
user:
What is on {{ photo }}?
`;
/** More than is reserved for a request without an image. */
const usage = { input_tokens: 6000, cache_read_tokens: 0, cache_write_tokens: 0 };

test.each(['cache-aware', 'stability', 'append-only'])(
  'In tiers (%s), the image of a prompt is in every request of its thread, and counted as an image',
  async (policy) => {
    // A directive without tools: the call is refused to the model, which goes on.
    const says = [call('app_note'), call('app_note'), { text: 'A bird.' }];
    const rules = says.map((rule, at) => ({ directive: 'look', turn: at + 1, usage, ...rule }));
    await using server = await startLlmServer({ script: { rules } });
    using made = project();
    made.write('.ai/directives/look.prompty', LOOK);
    made.write('src/one.ts', 'export const one = 1;\n');
    const { createRuntime } = await importSkein();
    await using runtime = await createRuntime(tiersOptions({ project: made.path, origin: server.origin, policy }));
    const thread = await runtime.spawn('look', { photo: PNG });
    expect(await thread.result).toMatchObject({ status: 'completed', text: 'A bird.' });
    const requests = server.requests().map(({ body }) => wireBlocks(body));
    expect(requests).toHaveLength(3);
    for (const blocks of requests) {
      const asked = blocks.findIndex(({ text }) => text.includes('What is on [image 1]?'));
      const shown = blocks.flatMap(({ text }, at) => (text.includes(PNG) ? [at] : []));
      expect(shown).toEqual([asked + 1]);
      expect(blocks[asked + 1]?.text).toMatch(/^user \{"type":"image"/);
    }
    expect(requests[0]?.at(-2)?.text).toMatch(/What is on \[image 1\]\?.*several small edits/);
  },
);

test('A preview has the image that a thread would send, and counts it as one', async () => {
  using made = project();
  made.write('.ai/directives/look.prompty', LOOK);
  const { workers: _, ...options } = tiersOptions({ project: made.path, origin: 'http://127.0.0.1:1' });
  const { previewPrompt } = await importSkein();
  const { message, tiers } = await previewPrompt('look', { photo: PNG }, options);
  const [image] = message.parts.slice(-1);
  expect(image).toMatchObject({ kind: 'image', tokens: 5000, text: '' });
  expect(message.text).toContain('What is on [image 1]?');
  expect(message.tokens - (image?.tokens ?? 0)).toBeLessThan(2000);
  expect(message.tokens).toBeGreaterThan(5000);
  expect(tiers?.messages.at(-1)?.tokens).toBeGreaterThan(5000);
  expect(tiers?.messages.at(-1)?.tokens).toBeLessThan(7000);
});
