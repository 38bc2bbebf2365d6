import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { SYSTEM_DIR } from './default-places.ts';
import { type LoadedConfig, loadConfig } from './load.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-project-hooks-'));
});
afterEach(() => rmSync(root, { recursive: true }));

type Files = Readonly<Record<string, string>>;

function load(files: Files, overrides: Readonly<Record<string, unknown>> = {}): LoadedConfig {
  for (const [name, text] of Object.entries(files)) {
    writeBelow(root, name, text);
  }
  const dirs = { systemDir: SYSTEM_DIR, userDir: join(root, 'user'), projectDir: join(root, 'project') };
  return loadConfig({ ...dirs, overrides });
}

const hook = (id: string): object => ({ id, event: 'before_tool', action: { function: id } });
const written = (list: string, ...hooks: readonly object[]): string => JSON.stringify({ [list]: hooks });

/** The ids of all hooks, but of those that ship. */
function idsOf({ config }: LoadedConfig): readonly string[] {
  const shipped = loadConfig({ systemDir: SYSTEM_DIR }).config.hooks;
  const known = new Set([...shipped.builtin, ...shipped.infra].map(({ id }) => id));
  const { project, user, builtin, infra } = config.hooks;
  return [...project, ...user, ...builtin, ...infra].map(({ id }) => id).filter((id) => !known.has(id));
}

describe('hooks of a project', () => {
  const HOOKS = {
    'user/config/hooks.yaml': written('hooks', hook('user')),
    'project/.ai/config/hooks.yaml': written('hooks', hook('ours')),
    'project/.ai/config/agent/hooks.yaml': written('hooks', hook('more')),
    'project/.ai/config/hook_conditions.yaml': written('builtin_hooks', hook('built')),
  };
  const CODE = { hooks: { hooks: [hook('code')] } };
  const STRICT = 'trust: {project: strict}';

  test.each<[string, Files, object]>([
    ['the user', { 'user/config/agent.yaml': STRICT }, {}],
    ['code', {}, { agent: { trust: { project: 'strict' } } }],
  ])('do not count where %s sets trust.project: strict, and a warning names each file', (_, files, overrides) => {
    const loaded = load({ ...HOOKS, ...files }, { ...CODE, ...overrides });
    expect(idsOf(loaded)).toEqual(['code', 'user']);
    const left = Object.keys(HOOKS).filter((name) => name.startsWith('project'));
    expect(loaded.warnings.map((warning) => warning.split(' does not count: trust.project is strict')[0])).toEqual(
      left.map((name) => join(root, name)),
    );
    expect(loaded.origins.hooks).not.toContain(join(root, 'project/.ai/config/hooks.yaml'));
  });

  test.each<[string, Files, object]>([
    ['nobody asks for strict', {}, {}],
    ['the project asks for strict itself', { 'project/.ai/config/agent.yaml': STRICT }, {}],
    ['code takes the user’s back', { 'user/config/agent.yaml': STRICT }, { agent: { trust: { project: 'warn' } } }],
  ])('count where %s', (_, files, overrides) => {
    const loaded = load({ ...HOOKS, ...files }, { ...CODE, ...overrides });
    expect(idsOf(loaded)).toEqual(['ours', 'more', 'code', 'user', 'built']);
    expect(loaded.warnings).toEqual([]);
  });
});

describe('a hook of the user or code', () => {
  const guard = hook('guard');
  const off = { id: 'guard', event: 'error', condition: { any: [] }, timeout_ms: 1, action: { function: 'other' } };

  test.each([
    ['code', 'hooks', 'hooks', 'project', 2],
    ['code', 'hook_conditions', 'builtin_hooks', 'builtin', 2],
    ['code', 'hook_conditions', 'infra_hooks', 'infra', 3],
    ['the user', 'hook_conditions', 'builtin_hooks', 'builtin', 2],
    ['the user', 'hook_conditions', 'infra_hooks', 'infra', 3],
  ] as const)('that is whole is not merged with the project’s: of %s, %s.yaml, %s', (who, name, list, place, layer) => {
    const file = `project/.ai/config/${name}.yaml`;
    const files = { [file]: written(list, off, hook('ours')) };
    const loaded =
      who === 'code'
        ? load(files, { [name]: { [list]: [guard] } })
        : load({ ...files, [`user/config/${name}.yaml`]: written(list, guard) });
    expect(loaded.config.hooks[place].find(({ id }) => id === 'guard')).toEqual({ layer, ...guard });
    expect(idsOf(loaded).toSorted()).toEqual(['guard', 'ours']);
    expect(loaded.warnings).toEqual([expect.stringContaining(`${join(root, file)}: the hook "guard" does not count`)]);
  });

  test('does not keep the project from one of that id in another list, or beside the user’s hooks.yaml', () => {
    const loaded = load({
      'user/config/hooks.yaml': written('hooks', hook('ours')),
      'user/config/hook_conditions.yaml': written('builtin_hooks', guard),
      'project/.ai/config/hooks.yaml': written('hooks', hook('ours')),
      'project/.ai/config/hook_conditions.yaml': written('infra_hooks', off),
    });
    const { project, user, builtin, infra } = loaded.config.hooks;
    expect([...project, ...user].map(({ id }) => id)).toEqual(['ours', 'ours']);
    expect(builtin.find(({ id }) => id === 'guard')).toEqual({ layer: 2, ...guard });
    expect(infra.find(({ id }) => id === 'guard')).toEqual({ layer: 3, ...off });
    expect(loaded.warnings).toEqual([]);
  });

  test.each([
    ['hooks', 'hooks', 'project'],
    ['hook_conditions', 'builtin_hooks', 'builtin'],
  ] as const)('without an event changes the project’s (%s.yaml)', (name, list, place) => {
    const off = { id: 'ours', condition: { any: [] } };
    const files = { [`project/.ai/config/${name}.yaml`]: written(list, hook('ours')) };
    const { config, warnings } = load(files, { [name]: { [list]: [off] } });
    expect(config.hooks[place].find(({ id }) => id === 'ours')).toEqual({ layer: 2, ...hook('ours'), ...off });
    expect(warnings).toEqual([]);
  });

  test.each([
    ['hooks', 'hooks', 'project'],
    ['hook_conditions', 'builtin_hooks', 'builtin'],
  ] as const)('without an event is left out with the project’s that it changes (%s.yaml)', (name, list, place) => {
    const files = {
      'user/config/agent.yaml': 'trust: {project: strict}',
      [`project/.ai/config/${name}.yaml`]: written(list, hook('ours')),
    };
    const { config } = load(files, { [name]: { [list]: [{ id: 'ours', condition: { any: [] } }, hook('code')] } });
    expect(config.hooks[place].filter(({ id }) => id === 'ours' || id === 'code').map(({ id }) => id)).toEqual([
      'code',
    ]);
  });

  test('changes one that ships, or the user’s, in part', () => {
    const files = { 'user/config/hook_conditions.yaml': written('builtin_hooks', guard) };
    const parts = ['guard', 'default_context_compaction'].map((id) => ({ id, timeout_ms: 5 }));
    const { hooks } = load(files, { hook_conditions: { builtin_hooks: parts } }).config;
    expect(hooks.builtin.find(({ id }) => id === 'guard')).toEqual({ layer: 2, ...guard, timeout_ms: 5 });
    expect(hooks.builtin.find(({ id }) => id === 'default_context_compaction')).toMatchObject({
      event: 'context_window_pressure',
      timeout_ms: 5,
    });
  });
});
