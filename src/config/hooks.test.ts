import { expect, test } from 'vitest';
import { parseHooks } from './hooks.ts';

test('a directive’s hooks are checked but stay as they are written', () => {
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
  expect(parseHooks(written, 'd.md')).toEqual(written);
});

test.each([
  ['a map', {}, ''],
  ['an entry that is no map', ['x'], '[0]'],
  ['an entry without id', [{ event: 'limit', action: { function: 'f' } }], '[0].id'],
])('%s is refused', (_, written, path) => {
  expect(() => parseHooks(written, 'd.md')).toThrow(
    expect.objectContaining({ code: 'invalid_config', where: { file: 'd.md', path } }),
  );
});
