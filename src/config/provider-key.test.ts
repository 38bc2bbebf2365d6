import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SYSTEM_DIR } from './default-places.ts';
import { readProviderKey } from './provider-key.ts';
import { loadConfig } from './load.ts';
import { secretValues } from './secret-values.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-key-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('A key in a file', () => {
  test('is read without the white space around it, also through a link as secrets are mounted', () => {
    write('key', ' sk-from-a-file \r\n');
    symlinkSync(join(folder, 'key'), join(folder, 'link'));
    expect(readProviderKey(join(folder, 'link'))).toBe('sk-from-a-file');
  });

  test.each([
    ['that is not there', () => join(folder, 'none'), /can not be read/],
    ['that is a folder', () => folder, /is not a file/],
    ['that is empty', () => write('key', ' \n'), /is empty/],
    ['that is something else', () => write('key', 'k'.repeat(20_000)), /has more than 16384 bytes/],
  ])('%s is refused, without a word of what is in it', (_, file, message) => {
    expect(() => readProviderKey(file())).toThrow(expect.objectContaining({ code: 'provider_key_missing' }));
    expect(() => readProviderKey(file())).toThrow(message);
  });
});

const SETTINGS = 'kind: openai, max_output_tokens: 1';

function load(userAgent: string, overrides: Readonly<Record<string, unknown>> = {}) {
  mkdirSync(join(folder, 'config'));
  write('config/agent.yaml', userAgent);
  return loadConfig({ systemDir: SYSTEM_DIR, userDir: folder, overrides }).config;
}

describe('agent.yaml providers.*.api_key_file', () => {
  test('is meant from the folder of the file that names it', () => {
    const { agent } = load(
      `providers: {a: {${SETTINGS}, api_key_file: ../keys/a}, b: {${SETTINGS}, api_key_file: /run/b}}`,
    );
    const files = ['a', 'b'].map((name) => agent.providers[name]?.apiKeyFile);
    expect(files).toEqual([join(folder, 'keys', 'a'), '/run/b']);
  });

  test('is absolute in code, where it could be meant from anywhere', () => {
    const relative = { agent: { providers: { openai: { api_key_file: 'keys/a' } } } };
    expect(() => load('{}', relative)).toThrow(/an absolute path/);
  });
});

test('what is secret: keys, headers and their tokens, files of keys, and variables that are named so', () => {
  write('key', 'in-the-file\n');
  const servers = { web: { url: 'http://127.0.0.1:1/mcp', headers_env: { authorization: 'MCP_AUTHZ' } } };
  const config = load(
    `providers: {a: {${SETTINGS}, api_key_file: ../key}, b: {${SETTINGS}, api_key_file: ../none}, c: {${SETTINGS}, api_key_env: OF_C}}`,
    { mcp: { servers } },
  );
  const env = {
    OF_C: 'of-provider-c',
    MCP_AUTHZ: 'Bearer of-the-server',
    GITHUB_TOKEN: 'named-so',
    AWS_SECRET_ACCESS_KEY: 'named-so-too',
    MONKEY: 'an animal',
    HOME: '/home/me',
    SSH_AUTH_SOCK: '/run/agent',
    MAX_TOKENS: '20000000',
    EMPTY_KEY: undefined,
  };
  expect(secretValues(config, env).toSorted()).toEqual(
    ['Bearer of-the-server', 'in-the-file', 'named-so', 'named-so-too', 'of-provider-c', 'of-the-server'].toSorted(),
  );
});
