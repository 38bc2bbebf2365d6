import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { guard } from '../../bench/guard-limits.ts';
import { slowFanout } from '../fixtures/slow-bench.ts';

const scratch = mkdtempSync(join(tmpdir(), 'skein-guard-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('the guard notices that a turn has become twice as dear, or that it could not be seen here', async () => {
  using said = vi.spyOn(console, 'log');
  const entry = join(import.meta.dirname, '../fixtures/slow-bench.ts');
  const problems = await guard({ scenarios: [slowFanout], entry, scratch, names: ['fanout'] });
  const blind = said.mock.calls.flat().filter((line) => String(line).includes('says little here'));
  expect([...problems, ...blind]).toContainEqual(
    expect.stringMatching(/^fanout cpu_per_turn (?:÷ plain-encode: [\d.]+, at most 11\.5$|says little here)/),
  );
});
