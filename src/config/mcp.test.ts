import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { loadConfig } from './load.ts';
import type { McpConfig } from './mcp.ts';

const systemDir = fileURLToPath(new URL('../../config/', import.meta.url));

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-config-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const USER = 'user/config/mcp.yaml';
const PROJECT = 'project/.ai/config/mcp.yaml';

/** The servers of these files, each the text of one `mcp.yaml`. */
function load(files: Readonly<Record<string, string>>, overrides?: Record<string, unknown>): McpConfig['servers'] {
  for (const [name, text] of Object.entries(files)) {
    writeBelow(root, name, `servers:\n  ${text}\n`);
  }
  const dirs = { systemDir, userDir: join(root, 'user'), projectDir: join(root, 'project') };
  return loadConfig({ ...dirs, ...(overrides && { overrides: { mcp: overrides } }) }).config.mcp.servers;
}

const FILES = 'files: { command: serve, args: [--all], env: [TOKEN], timeout_seconds: 30 }';
const files = {
  kind: 'stdio',
  command: 'serve',
  args: ['--all'],
  env: ['TOKEN'],
  cwd: '.',
  timeoutSeconds: 30,
  enabled: true,
};

describe('mcp.yaml', () => {
  test('names no server as it ships', () => {
    expect(load({})).toEqual({});
  });

  test('names servers that are programs, and servers that are reached by HTTP', () => {
    const site = 'site: { url: "https://example.com/mcp", headers_env: { Authorization: SITE_AUTH } }';
    expect(load({ [USER]: `${FILES}\n  ${site}` })).toEqual({
      files,
      site: {
        kind: 'http',
        url: 'https://example.com/mcp',
        headersEnv: { Authorization: 'SITE_AUTH' },
        timeoutSeconds: 60,
        enabled: true,
      },
    });
  });

  test('is changed in part by a stronger layer, and as a whole by a server of the other kind', () => {
    expect(load({ [USER]: FILES }, { servers: { files: { timeout_seconds: 5 } } })).toEqual({
      files: { ...files, timeoutSeconds: 5 },
    });
    expect(load({ [USER]: FILES }, { servers: { files: { url: 'http://127.0.0.1:1/mcp' } } })).toMatchObject({
      files: { kind: 'http', url: 'http://127.0.0.1:1/mcp', timeoutSeconds: 60 },
    });
  });

  test.each([
    ['a command in the project', 'a: { command: ./serve }', 'servers.a.command', 'absolute path'],
    ['neither command nor url', 'a: {}', 'servers.a', 'a command or a url'],
    ['both', 'a: { command: x, url: "http://x.y" }', 'servers.a', 'not both'],
    ['a header for a program', 'a: { command: x, headers_env: { X: Y } }', 'servers.a.headers_env', 'no headers'],
    ['arguments for a url', 'a: { url: "http://x.y", args: [b] }', 'servers.a.args', 'belongs to a command'],
    ['a name with a dot', 'a.b: { command: x }', 'servers.a.b', 'letters, digits'],
    ['a name with a slash', 'a/b: { command: x }', 'servers.a/b', 'letters, digits'],
    ['a value for a name', 'a: { command: x, env: ["A=1"] }', 'servers.a.env', 'environment variable'],
    ['a secret in a url', 'a: { url: "http://me:word@x.y" }', 'servers.a.url', 'secret'],
    ['another protocol', 'a: { url: "file:///etc" }', 'servers.a.url', ''],
    ['no time', 'a: { command: x, timeout_seconds: 0 }', 'servers.a.timeout_seconds', ''],
    ['an unknown key', 'a: { command: x, shell: true }', 'servers.a', 'unknown key "shell"'],
  ])('with %s is refused', (_, text, path, message) => {
    expect(() => load({ [USER]: text })).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringContaining(message),
        where: { file: join(root, USER), path: expect.stringContaining(path) },
      }),
    );
  });

  test.each([
    ['switches a server off', 'files: { enabled: false }', { enabled: false }],
    ['shortens its time', 'files: { timeout_seconds: 1 }', { timeoutSeconds: 1 }],
    ['repeats it', FILES, {}],
  ])('of a project %s', (_, text, changed) => {
    expect(load({ [USER]: FILES, [PROJECT]: text })).toEqual({ files: { ...files, ...changed } });
  });

  test.each([
    ['adds a server', 'other: { command: evil }'],
    ['changes a command', 'files: { command: evil }'],
    ['changes arguments', 'files: { args: [--root, /] }'],
    ['lets a server see more', 'files: { env: [TOKEN, SECRET] }'],
    ['replaces a server', 'files: { url: "http://evil.example" }'],
    ['gives a server more time', 'files: { timeout_seconds: 31 }'],
    ['switches a server on', 'off: { enabled: true }'],
  ])('of a project that %s is refused', (_, text) => {
    const user = `${FILES}\n  off: { command: x, enabled: false }`;
    expect(() => load({ [USER]: user, [PROJECT]: text })).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        where: { file: join(root, PROJECT), path: expect.stringMatching(/^servers\.\w+$/) },
      }),
    );
  });
});
