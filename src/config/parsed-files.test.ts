import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { toFailure } from '../core/errors.ts';
import { CONFIG_NAMES, TABLE_NAMES, type ConfigSources } from './layers.ts';
import { loadConfig } from './load.ts';
import { readMergedConfig } from './merged-config.ts';
import { PARSED_FILE, parsedFilesText, readParsedFiles, type ParsedFiles } from './parsed-files.ts';
import { shipParsedFiles } from './ship-parsed-files.ts';

const SOURCE = fileURLToPath(new URL('../../config', import.meta.url));

let built = '';
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'skein-built-'));
  cpSync(SOURCE, built, { recursive: true, filter: (file) => file !== join(SOURCE, 'space') });
  shipParsedFiles(built);
});
afterAll(() => rmSync(built, { recursive: true }));

let root = '';
let systemDir = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-parsed-'));
  systemDir = join(root, 'system');
  cpSync(built, systemDir, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

/** What is loaded and shown, or why it isn't, with what the build has parsed and without it. */
function bothWays(sources: Omit<ConfigSources, 'systemDir'> = {}): readonly [parsed: unknown, read: unknown] {
  const load = (): unknown => {
    try {
      return { ...loadConfig({ ...sources, systemDir }), shown: readMergedConfig({ ...sources, systemDir }) };
    } catch (thrown) {
      return toFailure(thrown);
    }
  };
  expect(readParsedFiles(systemDir)).toBeDefined();
  const parsed = load();
  rmSync(join(systemDir, PARSED_FILE));
  return [parsed, load()];
}

describe('What the build has parsed', () => {
  test('is what the files say', () => {
    const [parsed, read] = bothWays();
    expect(parsed).toStrictEqual(read);
  });

  test('is not parsed again', () => {
    const file = join(systemDir, PARSED_FILE);
    const json = readFileSync(file, 'utf8').replace('"maxRetries":3', '"maxRetries":4').split('\n')[1] ?? '';
    writeFileSync(file, parsedFilesText(systemDir, JSON.parse(json) as ParsedFiles));
    expect(loadConfig({ systemDir }).config.resilience.retry.maxRetries).toBe(4);
  });

  test.each<readonly [where: string, name: string, text: string]>([
    ...CONFIG_NAMES.map((name) => ['user/config', name, `extends: ${name}`] as const),
    [
      'user/config',
      'resilience',
      'retry: { policies: { patient: { type: fixed, delay: 9 }, exponential: { max: 7 } } }',
    ],
    ['user/config', 'resilience', 'retry: { policies: { exponential: { type: fixed } } }'],
    ['user/config', 'error_classification', 'default: { category: permanent, retry_policy: patient }'],
    ['project/.ai/config', 'error_classification', 'patterns: [{ id: http_429, retry_policy: { type: fixed } }]'],
    ['project/.ai/config', 'events', 'event_types: { thread_started: { criticality: droppable } }'],
    ['project/.ai/config', 'events', 'event_types: { cognition_reasoning: { criticality: critical } }'],
    ['project/.ai/config', 'agent', 'providers: { openai: { api_key_env: OTHER } }'],
    ['project/.ai/config', 'agent', 'trust: { project: strict }'],
    ['project/.ai/config', 'agent', 'connections: many'],
    ['project/.ai/config', 'mcp', 'servers: { mine: { command: mine } }'],
    ['project/.ai/config', 'hooks', 'hooks: [{ id: a, event: limit, action: { function: f } }]'],
    ['user/config', 'hook_conditions', 'infra_hooks: [{ id: a, event: limit, action: { function: f } }]'],
    ['project/.ai/config', 'extractors/tool_extractor', 'files: [{ id: .js, parser: static_python }]'],
    ['project/.ai/config', 'extractors/tool_extractor', 'fields: [{ id: own, path: own, type: string }]'],
    ['project/.ai/config', 'budget_ledger_schema', 'table: { name: mine }'],
    ['user/config', 'cache_limits', 'providers: { openai: { minimum_tokens: 1 } }'],
    ['user/config', 'event_log_schema', 'table: { name: mine }'],
  ])('is laid over by %s/%s.yaml `%s` as the files are', (where, name, text) => {
    writeBelow(root, `${where}/${name}.yaml`, text);
    const [parsed, read] = bothWays({ userDir: join(root, 'user'), projectDir: join(root, 'project') });
    expect(parsed).toStrictEqual(read);
  });
});

describe('The files are what counts', () => {
  test.each([...CONFIG_NAMES, ...TABLE_NAMES])('when %s.yaml has been changed since', (name) => {
    const file = join(systemDir, `${name}.yaml`);
    appendFileSync(file, 'nonsense: 1\n');
    expect(() => loadConfig({ systemDir })).toThrow(
      expect.objectContaining({ code: 'invalid_config', where: { file, path: 'nonsense' } }),
    );
  });

  test('when a change leaves size and time as they were', () => {
    const file = join(systemDir, 'agent.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('connections: 1024', 'connections: 1025'));
    expect(loadConfig({ systemDir }).config.agent.connections).toBe(1025);
  });

  test('when one is gone', () => {
    rmSync(join(systemDir, 'upkeep_schema.yaml'));
    expect(() => loadConfig({ systemDir })).toThrow('a config file of the package is missing');
  });

  test.each<readonly [string, (text: string) => string]>([
    ['empty', () => ''],
    ['cut off', (text) => text.slice(0, -100)],
    ['changed', (text) => text.replace('"connections":1024', '"connections":1025')],
    ['without its digest', (text) => text.slice(text.indexOf('\n') + 1)],
  ])('when what was parsed is %s', (_, change) => {
    const file = join(systemDir, PARSED_FILE);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, change(text));
    expect(readFileSync(file, 'utf8')).not.toBe(text);
    expect(readParsedFiles(systemDir)).toBeUndefined();
    expect(loadConfig({ systemDir }).config).toStrictEqual(loadConfig({ systemDir: SOURCE }).config);
  });

  test('when what was parsed is no text, or no file', () => {
    const file = join(systemDir, PARSED_FILE);
    writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00]));
    expect(loadConfig({ systemDir }).config).toStrictEqual(loadConfig({ systemDir: SOURCE }).config);
    rmSync(file);
    mkdirSync(file);
    expect(loadConfig({ systemDir }).config).toStrictEqual(loadConfig({ systemDir: SOURCE }).config);
  });

  test('when it is parsed again, whatever lay there', () => {
    const known = { documents: {}, config: {} } as ParsedFiles; // nothing that was ever parsed
    writeFileSync(join(systemDir, PARSED_FILE), parsedFilesText(systemDir, known));
    shipParsedFiles(systemDir);
    expect(readParsedFiles(systemDir)?.config).toStrictEqual(loadConfig({ systemDir: SOURCE }).config);
  });
});
