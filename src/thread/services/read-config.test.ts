import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readConfig } from './read-config.ts';

const systemDir = fileURLToPath(new URL('../../../config', import.meta.url));

test('What is refused comes as data, with its place', () => {
  const overrides = { events: { event_types: { mine: 1 } } };
  expect(readConfig({ systemDir, overrides })).toMatchObject({
    code: 'invalid_config',
    where: { file: 'overrides.events', path: 'event_types.mine' },
  });
});
