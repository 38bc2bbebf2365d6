import { test } from 'vitest';
import { loadConfig } from './load.ts';
test('x', () => {
  const l = loadConfig({ systemDir: 'config', projectDir: '/tmp/s2p' });
  console.log(
    l.warnings,
    JSON.stringify(
      l.config.errors.patterns.map((p) => [p.id, p.match, p.policy]),
      null,
      0,
    ),
  );
  console.log(
    JSON.stringify(l.config.resilience.limits),
    l.config.hooks.infra.map((h) => h.id),
  );
});
