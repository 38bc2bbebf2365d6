import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { SYSTEM_DIR } from '../config/default-places.ts';
import { dispatch } from './dispatch.ts';
import { explain } from './start.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-config-show-')));
  mkdirSync(join(root, 'project'));
});
afterEach(() => rmSync(root, { recursive: true }));

const shownSchema = z.object({ config: z.record(z.string(), z.unknown()), origins: z.record(z.string(), z.string()) });

describe('skein config show --json', () => {
  test('has the merged file, and the file of each value by its path', async () => {
    put('user/config/resilience.yaml', 'limits: { defaults: { turns: 7, spend: 2 } }');
    put('project/.ai/config/agent/resilience.yaml', 'limits: { defaults: { turns: 9 } }');
    const { config, origins } = await show('resilience');
    expect(config['limits']).toMatchObject({ defaults: { turns: 9, spend: 2, tokens: 200_000 } });
    expect(origins).toMatchObject({
      'limits.defaults.turns': join(root, 'project/.ai/config/agent/resilience.yaml'),
      'limits.defaults.spend': join(root, 'user/config/resilience.yaml'),
      'limits.defaults.tokens': join(SYSTEM_DIR, 'resilience.yaml'),
    });
  });

  test('names entries by their id, also those that are merged deep', async () => {
    const file = 'project/.ai/config/error_classification.yaml';
    put(
      file,
      `extends: "rye/agent/threads/config/error_classification.yaml"
patterns:
  - id: http_429
    retry_policy: { fallback: { base: 9 } }
  - id: mine
    category: transient
    match: { path: error.code, op: eq, value: MAINTENANCE_MODE }
    retry_policy: { type: fixed, delay: 300.0 }`,
    );
    const { origins } = await show('error_classification.yaml');
    const system = join(SYSTEM_DIR, 'error_classification.yaml');
    expect(origins).toMatchObject({
      'patterns[http_429].retry_policy.fallback.base': join(root, file),
      'patterns[http_429].retry_policy.fallback.max': system,
      'patterns[http_429].match.any[0].value': system,
      'patterns[mine].retry_policy.delay': join(root, file),
    });
    expect(Object.keys(origins)).not.toContain('extends');
  });

  test('forgets where a value came from that a policy of another type has replaced', async () => {
    put('project/.ai/config/resilience.yaml', 'retry: { policies: { fixed: { type: fixed, delay: 1 }, mine: none } }');
    const { origins } = await show('resilience');
    expect(Object.keys(origins).filter((path) => path.startsWith('retry.policies.mine'))).toEqual([
      'retry.policies.mine',
    ]);
  });

  test('has hooks in the order of their places, with those of one id in two places apart', async () => {
    const hook = (item: string): string => `hooks: [{ id: h, event: limit, action: { function: ${item} } }]`;
    put('user/config/hooks.yaml', hook('user'));
    put('project/.ai/config/hooks.yaml', hook('project'));
    const { config, origins } = await show('hooks');
    expect(config).toMatchObject({
      project_hooks: [{ action: { function: 'project' } }],
      user_hooks: [{ action: { function: 'user' } }],
    });
    expect(origins['user_hooks[h].action.function']).toBe(join(root, 'user/config/hooks.yaml'));
  });

  test('has every file under its name when none is given, in a folder without .ai', async () => {
    const { config, origins } = await show();
    expect(Object.keys(config)).toEqual([
      'events',
      'error_classification',
      'hook_conditions',
      'resilience',
      'budget_ledger_schema',
      'hooks',
      'agent',
      'mcp',
      'cache_limits',
      'extractors/directive_extractor',
      'extractors/tool_extractor',
      'extractors/knowledge_extractor',
      'thread_registry_schema',
      'event_log_schema',
      'checkpoint_schema',
      'approvals_schema',
      'budget_entries_schema',
      'upkeep_schema',
      'home_schema',
    ]);
    expect(origins['agent.models["gpt-6.2-sol"].price.input']).toBe(join(SYSTEM_DIR, 'agent.yaml'));
    expect(new Set(Object.values(origins).map((file) => dirname(file)))).toEqual(
      new Set([SYSTEM_DIR, join(SYSTEM_DIR, 'extractors')]),
    );
  });

  test('shows no secret that somebody wrote into a URL', async () => {
    put(
      'user/config/agent.yaml',
      'providers: { openai: { base_url: "https://me:hunter2@example.com/v1?key=hunter2" } }',
    );
    const { stdout } = await run('show', '--json');
    expect(stdout).toContain('https://***@example.com/v1?key=***');
    expect(stdout + (await run('show', 'agent')).stdout).not.toContain('hunter2');
  });
});

describe('skein config show', () => {
  test('prints YAML with the file beside every value that does not come from the system', async () => {
    const file = 'project/.ai/config/resilience.yaml';
    put(file, 'retry: { max_retries: 5, policies: {} }\nlimits: { defaults: { turns: 9 } }');
    const { stdout } = await run('show', 'resilience');
    expect(parse(stdout)).toEqual((await show('resilience')).config);
    const marked = stdout.split('\n').filter((line) => line.includes('#'));
    expect(marked.map((line) => line.trim())).toEqual([
      `max_retries: 5 # ${join(root, file)}`,
      `turns: 9 # ${join(root, file)}`,
    ]);
  });

  test('says what is wrong with a file, where, and what is allowed, and shows nothing', async () => {
    put('project/.ai/config/resilience.yaml', 'limits: { enforcement: { on_exceed: explode } }');
    const { line, code } = explain(await refused('show', 'hooks'));
    expect(code).toBe(3);
    expect(line).toContain(join(root, 'project/.ai/config/resilience.yaml'));
    expect(line).toContain('at limits.enforcement.on_exceed');
    expect(line).toMatch(/"escalate"\|"suspend"\|"fail"\|"abort"/);
  });

  test.each([
    ['an unknown file', ['show', 'limits'], /"limits".*events, error_classification/],
    ['two names', ['show', 'agent', 'mcp'], /one name/],
    ['another command', ['edit'], /"edit" is none/],
    ['no command', [], /none is given/],
  ])('refuses %s', async (_what, args, message) => {
    const { line, code } = explain(await refused(...args));
    expect(code).toBe(2);
    expect(line).toMatch(message);
  });

  test('tells of files that look like config and are not read', async () => {
    put('project/.ai/config/continuation.yaml', 'enabled: false');
    expect((await run('show', 'resilience')).stderr).toContain('"continuation" is a section of resilience.yaml');
  });
});

async function show(name?: string): Promise<z.infer<typeof shownSchema>> {
  const { stdout } = await run('show', ...(name === undefined ? [] : [name]), '--json');
  return shownSchema.parse(JSON.parse(stdout));
}

async function refused(...args: readonly string[]): Promise<unknown> {
  try {
    await run(...args);
  } catch (thrown) {
    return thrown;
  }
  throw new Error('This was not refused');
}

async function run(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const out = { stdout: '', stderr: '' };
  await dispatch(['config', ...args], {
    stdout: { write: (text) => (out.stdout += text) },
    stderr: { write: (text) => (out.stderr += text) },
    env: { SKEIN_USER_SPACE: join(root, 'user') },
    cwd: join(root, 'project'),
    onInterrupt: () => () => undefined,
    exit: () => undefined,
  });
  return out;
}

function put(file: string, text: string): void {
  writeBelow(root, file, text);
}
