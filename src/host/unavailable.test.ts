import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { refuseUnavailable } from './unavailable.ts';

const systemDir = fileURLToPath(new URL('../../config/', import.meta.url));

const check = (overrides: Record<string, unknown>): void =>
  refuseUnavailable(loadConfig({ systemDir, overrides }).config);

/** `a.b.c` and a value as nested maps. */
function nested(path: string, value: unknown): unknown {
  return path.split('.').reduceRight((inner, key) => ({ [key]: inner }), value);
}

test.each([
  ['resilience', 'checkpoint.persistence.format', 'json'],
  ['resilience', 'checkpoint.triggers.pre_turn', false],
  ['resilience', 'checkpoint.triggers.post_llm', false],
  ['resilience', 'checkpoint.triggers.post_tools', false],
  ['resilience', 'checkpoint.triggers.on_error', false],
])('%s.yaml: %s: %j is refused by name', (file, path, value) => {
  const refused = { code: 'not_available', where: { file: `${file}.yaml`, path } };
  expect(() => check({ [file]: nested(path, value) })).toThrow(
    expect.objectContaining({ ...refused, message: expect.stringContaining(`"${path}: ${String(value)}"`) }),
  );
});

test('what ships is not refused', () => {
  expect(() => check({})).not.toThrow();
});

test.each([
  ['resilience', 'child_policy', { on_parent_cancel: 'wait', on_parent_error: 'wait', on_parent_complete: 'wait' }],
  ['resilience', 'continuation.enabled', false],
  ['resilience', 'continuation.pressure_threshold', 0.7],
  ['resilience', 'continuation.hard_threshold', 0.95],
  ['resilience', 'cleanup', { archive_after_days: 0, vacuum_interval_days: 1 }],
])('%s.yaml: %s: %j is available', (file, path, value) => {
  expect(() => check({ [file]: nested(path, value) })).not.toThrow();
});
