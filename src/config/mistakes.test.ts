import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { SkeinError } from '../core/errors.ts';
import { CONFIG_NAMES } from './layers.ts';
import { loadConfig } from './load.ts';

/* Every kind of mistake in a config file says which file it is in, where in it, and what is allowed there. */

const systemDir = fileURLToPath(new URL('../../config', import.meta.url));

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'skein-mistakes-'))));
afterEach(() => rmSync(root, { recursive: true }));

/** Loads a user's file with a mistake: where it is said to be, and what is said of it. */
function mistake(name: string, text: string): readonly [path: string | number | undefined, message: string] {
  const file = writeBelow(root, `config/${name}.yaml`, text);
  try {
    loadConfig({ systemDir, userDir: root });
  } catch (thrown) {
    if (!(thrown instanceof SkeinError) || thrown.code !== 'invalid_config' || thrown.where?.file !== file)
      throw thrown;
    return [thrown.where?.path ?? thrown.where?.line, thrown.message];
  }
  throw new Error('This was not refused');
}

describe.each(CONFIG_NAMES)('In %s.yaml', (name) => {
  test.each<readonly [string, string, string | number, RegExp]>([
    ['an unknown key', 'nonsense: 1', 'nonsense', /unknown key "nonsense"; allowed: schema_version, \w+/],
    ['an unknown version', 'schema_version: "2.0.0"', 'schema_version', /unknown schema_version; .*"1\.0\.0"/],
    ['a version that is a number', 'schema_version: 1.0', 'schema_version', /"1\.0\.0" \(a text, in quotes\)/],
    [
      'another base',
      'extends: "rye/agent/threads/config/nonsense.yaml"',
      'extends',
      /"rye.*nonsense\.yaml" is not the base.*allowed: /,
    ],
    ['a base that is no text', 'extends: [1]', 'extends', /what stands here is not the base.*allowed: /],
    ['an alias to itself', 'x: &a\n  y: *a', 2, /aliases .* not allowed/],
    ['the same key twice', 'x: 1\nx: 2', 2, /"x" appears twice/],
    ['a list at the top', '- 1', '', /top level must be a map/],
    ['text that is no YAML', 'x: "', 1, /not valid YAML/],
  ])('%s is refused', (_what, text, place, message) => {
    const [path = '', said] = mistake(name, text);
    expect(said).toMatch(message);
    expect(path).toBe(place);
  });

  test.each([`rye/agent/threads/config/${name}.yaml`, `rye/agent/threads/config/${name}`, `${name}.yaml`, name])(
    '%s is its base',
    (base) => {
      writeBelow(root, `config/${name}.yaml`, `extends: "${base}"`);
      expect(loadConfig({ systemDir, userDir: root }).config).toEqual(loadConfig({ systemDir }).config);
    },
  );
});

describe('Refused with the path and what is allowed is', () => {
  test.each<readonly [string, string, string, string, RegExp]>([
    ['a wrong type', 'resilience', 'retry: { max_retries: often }', 'retry.max_retries', /expected number/],
    ['a fraction', 'resilience', 'retry: { max_retries: 1.5 }', 'retry.max_retries', /expected int/],
    [
      'too small a number',
      'resilience',
      'concurrency: { max_total_threads: 0 }',
      'concurrency.max_total_threads',
      />=1/,
    ],
    [
      'a map in place of a value',
      'resilience',
      'tool_preload: { enabled: {} }',
      'tool_preload.enabled',
      /expected boolean/,
    ],
    ['a section that is a list', 'resilience', 'concurrency: [1]', 'concurrency', /expected object/],
    ['a section that is nothing', 'resilience', 'concurrency:', 'concurrency', /expected object/],
    [
      'an unknown word',
      'resilience',
      'child_policy: { on_parent_error: explode }',
      'child_policy.on_parent_error',
      /"cascade_cancel"\|"allow"\|"wait"/,
    ],
    [
      'an unknown key in a section',
      'resilience',
      'limits: { defaults: { max_turns: 3 } }',
      'limits.defaults',
      /unknown key "max_turns"; allowed: turns, tokens/,
    ],
    [
      'an unknown policy',
      'resilience',
      'retry: { policies: { mine: { type: often } } }',
      'retry.policies.mine.type',
      /unknown retry policy "often"; known: /,
    ],
    [
      'an unknown criticality',
      'events',
      'event_types: { warning: { criticality: important } }',
      'event_types.warning.criticality',
      /"critical"\|"droppable"/,
    ],
    [
      'an id that appears twice',
      'error_classification',
      'patterns: [{ id: a }, { id: a }]',
      'patterns',
      /the id "a" appears twice/,
    ],
    [
      'an entry without an id',
      'error_classification',
      'patterns: [{ category: transient }]',
      'patterns',
      /every entry of this list needs an id/,
    ],
    [
      'a pattern without a match',
      'error_classification',
      'patterns: [{ id: a, category: transient }]',
      'patterns[a].match',
      /needs a match/,
    ],
    [
      'a pattern whose match is an empty list',
      'error_classification',
      'patterns: [{ id: a, category: transient, match: { all: [] } }]',
      'patterns[a].match',
      /needs a match/,
    ],
    [
      'a pattern whose match has a branch that asks for nothing',
      'error_classification',
      'patterns: [{ id: a, category: transient, match: { any: [{ path: x, op: exists }, { all: [{}] }] } }]',
      'patterns[a].match',
      /needs a match/,
    ],
    [
      'an unknown operator',
      'error_classification',
      'patterns: [{ id: a, category: transient, match: { path: x, op: like, value: 1 } }]',
      'patterns[a].match.op',
      /eq, ne, gt/,
    ],
    [
      'an unknown hook event',
      'hooks',
      'hooks: [{ id: a, event: on_start, action: { function: f } }]',
      'hooks[a].event',
      /"thread_started"/,
    ],
    ['a hook without an action', 'hooks', 'hooks: [{ id: a, event: limit }]', 'hooks[a]', /either action or actions/],
    [
      'an unknown primary action',
      'hooks',
      'hooks: [{ id: a, event: limit, action: { primary: run, item_id: x } }]',
      'hooks[a].action.primary',
      /"execute"/,
    ],
    [
      'an unknown kind of provider',
      'agent',
      'providers: { mine: { kind: magic, max_output_tokens: 1 } }',
      'providers.mine.kind',
      /"anthropic"\|"openai"\|"gemini"\|"scripted"/,
    ],
    [
      'an unknown way to call tools',
      'agent',
      'models: { mine: { provider: openai, context_window: 1, tools: xml } }',
      'models.mine.tools',
      /"native"\|"text"/,
    ],
    [
      'a tier of no provider',
      'agent',
      'tiers: { fast: { provider: nobody } }',
      'tiers.fast.provider',
      /unknown provider "nobody"; known: anthropic/,
    ],
    [
      'a secret in a url',
      'mcp',
      'servers: { s: { url: "https://me:pass@host" } }',
      'servers.s.url',
      /a secret has no place in a url/,
    ],
    [
      'a server of two kinds',
      'mcp',
      'servers: { s: { url: "https://host", command: npx } }',
      'servers.s',
      /a command or a url, not both/,
    ],
    [
      'an unknown parser',
      'extractors/tool_extractor',
      'files: [{ id: .x, parser: guess, comment: "#" }]',
      'files[.x].parser',
      /"static_python"/,
    ],
  ])('%s', (_what, name, text, path, message) => {
    const [place, said] = mistake(name, text);
    expect(said).toMatch(message);
    expect(place).toBe(path);
  });
});

test('All mistakes of a file are there for programs', () => {
  writeFileSync(join(root, 'x'), '');
  mkdirSync(join(root, 'config'));
  writeFileSync(
    join(root, 'config/resilience.yaml'),
    'retry: { max_retries: x }\nconcurrency: { max_total_threads: x }',
  );
  expect(() => loadConfig({ systemDir, userDir: root })).toThrow(
    expect.objectContaining({
      detail: {
        issues: [
          expect.objectContaining({ path: 'retry.max_retries' }),
          expect.objectContaining({ path: 'concurrency.max_total_threads' }),
        ],
      },
    }),
  );
});
