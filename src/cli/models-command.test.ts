import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dispatch } from './dispatch.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-models-'));
  mkdirSync(join(root, 'user/config'), { recursive: true });
  writeFileSync(
    join(root, 'user/config/agent.yaml'),
    `providers: { own: { kind: openai, base_url: "http://127.0.0.1:1/v1", max_output_tokens: 100 } }
tiers: { cheap: { provider: own, model: tiny } }
models:
  gpt-5-mini:
    provider: openai
    price: { input: 1, output: 2, cache_read: 0.00003, cache_write: 1, above: [{ tokens: 9000, input: 3, output: 4, cache_read: 1, cache_write: 3 }] }
`,
  );
});
afterEach(() => rmSync(root, { recursive: true }));

async function run(...args: readonly string[]): Promise<string> {
  let stdout = '';
  await dispatch(['models', ...args], {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: () => undefined },
    env: { SKEIN_USER_SPACE: join(root, 'user') },
    cwd: root,
    onInterrupt: () => () => undefined,
    exit: () => undefined,
  });
  return stdout;
}

test('models are shown with what a million tokens cost, their window and their tiers', async () => {
  const lines = (await run('MINI', '5')).split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
  expect(lines).toContain('model | input | output | cache read | cache write | window | tiers');
  // What the user says, and below it the rates of long calls; a window from the price table.
  expect(lines.join('\n')).toContain(
    'openai:gpt-5-mini | 1 | 2 | 0.00003 | 1 | 272,000 | mini\n | above 9,000 tokens | 3 | 4 | 1 | 3',
  );
});

test('a tier is found by its name, and a price that nobody knows is said to be unknown', async () => {
  expect(await run('cheap')).toMatch(/^own:tiny +unknown +128,000 +cheap$/m);
});

test('--json has the same as data', async () => {
  expect(JSON.parse(await run('openai:gpt-5-mini', '--json'))).toEqual([
    {
      model: 'openai:gpt-5-mini',
      tiers: ['mini'],
      context_window: 272_000,
      max_output_tokens: 16_384,
      price: {
        input: 1,
        output: 2,
        cache_read: 0.000_03,
        cache_write: 1,
        above: [{ tokens: 9000, input: 3, output: 4, cache_read: 1, cache_write: 3 }],
      },
    },
  ]);
  expect(JSON.parse(await run('own:tiny', '--json'))).toMatchObject([{ price: null }]);
});

test('words that no model has are refused', async () => {
  await expect(run('of-tomorrow')).rejects.toMatchObject({ code: 'invalid_argument' });
});
