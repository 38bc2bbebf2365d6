import { describe, expect, test } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

describe('Masked is', () => {
  test.each([
    [
      'the user and password of a URL',
      { base_url: 'http://me:hunter2@127.0.0.1:8080/v1' },
      'http://***@127.0.0.1:8080/v1',
    ],
    ['a password with an @ in it', { url: 'https://u:p@ss@host/x' }, 'https://***@host/x'],
    ['a token alone', { url: 'https://hunter2@host' }, 'https://***@host'],
    [
      'a parameter named like a secret',
      { url: 'https://h/?a=1&api_key=hunter2&b=2' },
      'https://h/?a=1&api_key=***&b=2',
    ],
    ['a key in a URL', { url: 'https://h/?key=hunter2' }, 'https://h/?key=***'],
    ['a text under such a key', { api_key: 'hunter2' }, '***'],
    ['a text under such a key of variables', { env: { SLACK_TOKEN: 'hunter2' } }, { SLACK_TOKEN: '***' }],
    ['a variable that is set', { env: ['TOKEN=hunter2'] }, ['TOKEN=***']],
    ['a text under such a key in capitals', { 'X-Access-Token': 'hunter2' }, '***'],
  ])('%s', (_what, document, shown) => {
    expect(Object.values(maskSecrets(document))).toEqual([shown]);
  });

  test.each([
    [
      ['--token', 'hunter2'],
      ['--token', '***'],
    ],
    [['--api-key=hunter2'], ['--api-key=***']],
    [
      ['--db-password', 'hunter2', 'x'],
      ['--db-password', '***', 'x'],
    ],
    [
      ['--token', '--verbose'],
      ['--token', '--verbose'],
    ],
    [
      ['run', '-e', 'GITHUB_PERSONAL_ACCESS_TOKEN=hunter2', '--rm', '--env=DB_PASSWORD=hunter2', 'image'],
      ['run', '-e', 'GITHUB_PERSONAL_ACCESS_TOKEN=***', '--rm', '--env=DB_PASSWORD=***', 'image'],
    ],
    [
      ['https://h/mcp', '--header', 'Authorization: Bearer hunter2', '--header=X-Api-Key:hunter2', 'Accept: text/html'],
      ['https://h/mcp', '--header', 'Authorization: ***', '--header=X-Api-Key:***', 'Accept: text/html'],
    ],
    [
      ['-c', `login sk-ant-${'a1'.repeat(10)} && curl -H "x: Bearer ${'b2'.repeat(10)}"`],
      ['-c', 'login *** && curl -H "x: ***"'],
    ],
  ])('a secret among arguments: %j', (args, shown) => {
    expect(maskSecrets({ servers: { s: { args } } })).toEqual({ servers: { s: { args: shown } } });
  });
});

test.each([
  { api_key_env: 'ANTHROPIC_API_KEY' },
  { headers_env: { Authorization: 'TICKETS_AUTHORIZATION' } },
  { env: ['FILES_TOKEN'] },
  { limits: { tokens: 200_000, max_tokens: 3 } },
  { path: 'error.message', value: '(?i)rate limit|@someone' },
  { url: 'https://example.com/mcp?page=2' },
  { args: ['-e', 'LOG_LEVEL=debug', '-y', '@scope/server@1.0.0', '--max_tokens=3', 'say: token'] },
])('%j names no secret and stays as it is', (document) => {
  expect(maskSecrets(document)).toEqual(document);
});
