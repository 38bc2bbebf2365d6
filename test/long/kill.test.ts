import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killRounds } from '../../bench/kill-rounds.ts';

test('kill -9 in the middle, 20 times: no acknowledged critical event is lost, and what was left over goes on', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'skein-kill-'));
  // Another seed every day, printed so that a failing run can be repeated.
  const seed = Number(process.env['KILL_SEED'] ?? Math.floor(Date.now() / 86_400_000));
  try {
    const report = await killRounds({ rounds: 20, seed, scratch, log: (line) => console.log(line) });
    console.log(`seed ${seed}: ${report.acknowledged} acknowledged, ${report.lost} lost`);
    expect(report.acknowledged).toBeGreaterThan(1_000);
    expect(report).toMatchObject({ lost: 0, problems: [], resumedToEnd: report.resumed });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
