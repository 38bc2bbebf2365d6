import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readConfig } from './read-config.ts';

const systemDir = fileURLToPath(new URL('../../../config', import.meta.url));

test.each([
  [{ type: 'strng' }, '.type'],
  [{ type: 'string', pattern: '(?=x)' }, '.pattern'],
])('A payload_schema that workers cannot use (%j) is refused when it is read', (a, path) => {
  const payload_schema = { type: 'object', properties: { a } };
  const mine = { category: 'mine', criticality: 'critical', payload_schema };
  expect(readConfig({ systemDir, overrides: { events: { event_types: { mine } } } })).toMatchObject({
    code: 'invalid_config',
    where: { file: 'events.yaml', path: `event_types.mine.payload_schema.properties.a${path}` },
  });
});
