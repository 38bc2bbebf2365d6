import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseItemId } from '../items/item-id.ts';
import { mcpServerOf, mcpToolIds } from './mcp-tool-ids.ts';

const ids = (...names: string[]) => [...mcpToolIds('s', names)].map(([name, id]) => [name, id]);

describe('The id of a tool of an MCP server', () => {
  test.each([
    ['read_file', 'mcp/s/read_file'],
    ['read-file2', 'mcp/s/read-file2'],
    ['read.file', 'mcp/s/read_file'],
    ['../../etc/passwd', 'mcp/s/______etc_passwd'],
    ['a b\u202E', 'mcp/s/a_b_'],
    ['é', 'mcp/s/_'],
    ['x'.repeat(100), `mcp/s/${'x'.repeat(64)}`],
  ])('of %j is %s', (name, id) => {
    expect(ids(name)).toEqual([[name, id]]);
  });

  test('stays plain for the one that is called exactly so; the others get a hash', () => {
    expect(ids('a b', 'a_b', 'a.b')).toEqual([
      ['a b', expect.stringMatching(/^mcp\/s\/a_b_[0-9a-f]{8}$/)],
      ['a.b', expect.stringMatching(/^mcp\/s\/a_b_[0-9a-f]{8}$/)],
      ['a_b', 'mcp/s/a_b'],
    ]);
  });

  test('can not be taken by a tool that is named like the hashed id of another', () => {
    const hashed = String(mcpToolIds('s', ['a b', 'a_b']).get('a b'));
    const taken = hashed.split('/').at(-1) ?? '';
    const found = mcpToolIds('s', ['a b', 'a_b', taken]);
    expect(found.get(taken)).toBe(hashed);
    expect(new Set(found.values()).size).toBe(3);
  });

  const names = fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom('a b', 'a_b', 'a.b', 'a-b', '', '_')));

  test('is an item id of the server, and no other tool has it, in whatever order they are listed', () => {
    fc.assert(
      fc.property(names, (listed) => {
        const found = mcpToolIds('s', listed);
        const all = [...found.values()];
        expect(all.map(parseItemId)).toEqual(all);
        expect(all.every((id) => mcpServerOf(id) === 's' && !id.includes('.'))).toBe(true);
        expect(new Set(all).size).toBe(listed.length);
        expect(mcpToolIds('s', listed.toReversed())).toEqual(found);
      }),
    );
  });
});
