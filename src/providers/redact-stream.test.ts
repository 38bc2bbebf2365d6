import { expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { createRedactor } from '../core/redactor.ts';
import { redactStream } from './redact-stream.ts';

const redactor = createRedactor(['hunter2-hunter2']);

const frames = (...texts: readonly string[]): string =>
  texts.map((text) => `data: {"choices":[{"delta":{"content":${JSON.stringify(text)}}}]}\n\n`).join('');

test.each([
  ['in one frame', ['a hunter2-hunter2 b'], ['a [redacted] b']],
  ['in two frames', ['a hunter2-', 'hunter2 b'], ['a [redacted]', ' b']],
  ['in many frames, some of them empty', ['a hun', '', 'ter2-', 'hun', 'ter2'], ['a [redacted]', '', '', '', '']],
  [
    'behind another one in a frame that both share',
    ['hunter2-', 'hunter2 hunter2-', 'hunter2'],
    ['[redacted]', ' [redacted]', ''],
  ],
  ['behind a quote', ['"', 'hunter2-', 'hunter2"'], ['"', '[redacted]', '"']],
])('A secret %s is taken out', (_, said, told) => {
  expect(redactStream(frames(...said), redactor)).toBe(frames(...told));
});

test('A secret in a text that was cut off is taken out', () => {
  const body = frames('a hunter2-', 'hunter2');
  expect(redactStream(body.slice(0, body.indexOf('hunter2"') + 7), redactor)).not.toContain('hunter2');
});

test('An answer with thousands of secrets in two frames each takes no longer than it is', () => {
  const body = frames(...Array.from({ length: 2_000 }, () => ['key: hunter2-', 'hunter2\n']).flat());
  expect(redactStream(body, redactor)).toBe(
    frames(...Array.from({ length: 2_000 }, () => ['key: [redacted]', '\n']).flat()),
  );
  expect(costOf(() => redactStream(body, redactor), 1_000)).toBeLessThan(1_000);
});

test('A text may have many megabytes', () => {
  const body = frames('hunter2-', 'hunter2 ', 'x'.repeat(10_000_000));
  expect(redactStream(body, redactor).slice(0, 200)).not.toContain('hunter2');
});
