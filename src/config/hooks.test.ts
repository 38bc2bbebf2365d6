import { expect, test } from 'vitest';
import { parseHookConditions, parseHookFile } from './hooks.ts';

const parse = (hooks: unknown) => parseHookFile({ schema_version: '1.0.0', hooks }, 'hooks.yaml');

test('hooks are checked and stay as they are written, but for the layer they get', () => {
  const written = [
    {
      id: 'deny_rm',
      event: 'before_tool',
      condition: { path: 'tool', op: 'eq', value: 'rye/bash' },
      actions: [
        { primary: 'execute', item_type: 'tool', item_id: 'a/b', params: { x: '${tool}' } },
        { primary: 'search', query: 'rules' },
        { primary: 'fetch', item_type: 'knowledge', item_id: 'a/c', source: 'user' },
        { function: 'notify' },
      ],
      timeout_ms: 100,
      wrap: false,
      position: 'after',
      description: 'x',
    },
  ];
  expect(parse(written)).toEqual(written.map((spec) => ({ ...spec, layer: 2 })));
});

test.each([
  ['a map', {}, ''],
  ['an entry that is no map', ['x'], '[0]'],
  ['an entry without id', [{ event: 'limit', action: { function: 'f' } }], '[0].id'],
])('%s is refused', (_, written, path) => {
  expect(() => parse(written)).toThrow(
    expect.objectContaining({ code: 'invalid_config', where: { file: 'hooks.yaml', path: `hooks${path}` } }),
  );
});

test.each([['resolve_extends'], [['resolve_extends']]])('set_extends works for the event %j', (event) => {
  const action = { set_extends: 'project/base' };
  expect(parse([{ id: 'a', event, action }])).toEqual([{ id: 'a', event, action, layer: 2 }]);
});

test.each([
  ['set_extends for another event', ['limit', 'resolve_extends'], { set_extends: 'a' }, 'resolve_extends only'],
  ['a hook of layer 3 for resolve_extends', 'resolve_extends', { set_extends: 'a' }, 'layer 3 decide nothing', 3],
  ['another action for resolve_extends', ['resolve_extends'], { function: 'f' }, 'has one action, set_extends'],
])('%s is refused', (_, event, action, reason, layer = 2) => {
  const refused = { code: 'invalid_config', message: expect.stringContaining(reason) };
  expect(() => parse([{ id: 'a', event, action, layer }])).toThrow(expect.objectContaining(refused));
});

test('an infrastructure hook that names no layer sets nothing that a directive extends', () => {
  const infra_hooks = [{ id: 'a', event: 'resolve_extends', action: { set_extends: 'a' } }];
  const document = { schema_version: '1.0.0', builtin_hooks: [], infra_hooks };
  expect(() => parseHookConditions(document, 'hook_conditions.yaml')).toThrow('layer 3 decide nothing');
  expect(
    parseHookConditions({ ...document, infra_hooks: infra_hooks.map((spec) => ({ ...spec, layer: 1 })) }, 'x').infra,
  ).toHaveLength(1);
});
