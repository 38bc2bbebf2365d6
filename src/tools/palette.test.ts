import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tool, ToolCaller, ToolOutcome } from '../core/tool.ts';
import { findTool } from './find-tool.ts';
import { nearNames } from './near-names.ts';
import { executeCapability } from './grant-rank.ts';
import { buildPalette, definitionTokens, type PaletteOptions } from './palette.ts';
import { renderOutcome } from './render-outcome.ts';
import { toolNames } from './tool-names.ts';

const CALLER: ToolCaller = { threadId: 'thread-1', callId: 'call-1', projectPath: '/p', allows: () => true };

function tool(id: string, description = ''): Tool {
  return {
    id,
    description,
    inputSchema: { type: 'object' },
    idempotent: true,
    run: (input, _caller, done) => {
      done({ ok: true, value: { id, input } });
      return undefined;
    },
  };
}

function palette(tools: readonly Tool[], options: Partial<PaletteOptions> = {}) {
  return buildPalette({
    tools,
    allows: () => true,
    maxTokens: 2000,
    enabled: true,
    capabilityPatterns: [],
    ...options,
  });
}

const namesOf = ({ definitions }: ReturnType<typeof palette>) => definitions.map(({ name }) => name);

describe('tool names', () => {
  test.each([
    ['rye/file-system/read', 'rye_file_system_read'],
    ['a.b/c-d', 'a_b_c_d'],
    ['3d/render', '_3d_render'],
  ])('%s becomes %s', (id, name) => {
    expect(toolNames([id], []).get(id)).toBe(name);
  });

  test('that clash, are reserved or too long get a hash', () => {
    const long = `x/${'y'.repeat(80)}`;
    const names = toolNames(['a/b', 'a-b', 'directive/return', long, 'c'], ['directive_return']);
    expect(names.get('a/b')).toMatch(/^a_b_[0-9a-f]{6}$/);
    expect(names.get('a-b')).toMatch(/^a_b_[0-9a-f]{6}$/);
    expect(names.get('directive/return')).toMatch(/^directive_return_[0-9a-f]{6}$/);
    expect(names.get(long)).toMatch(/^x_y+_[0-9a-f]{6}$/);
    expect(names.get('c')).toBe('c');
  });

  test('are unique, valid and independent of order for any ids', () => {
    const id = fc.stringMatching(/^[ab._/-]{1,8}$/);
    fc.assert(
      fc.property(fc.array(id), (ids) => {
        const names = toolNames(ids, ['a_b']);
        const values = [...names.values()];
        expect(new Set([...values, 'a_b']).size).toBe(values.length + 1);
        expect(values.every((name) => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))).toBe(true);
        expect(toolNames(ids.toReversed(), ['a_b'])).toEqual(names);
      }),
    );
  });
});

describe('a palette', () => {
  test('offers what is allowed, in the order of names, the return tool last', () => {
    const returnTool = { name: 'directive_return', description: '', inputSchema: {} };
    const built = palette([tool('z'), tool('b/secret'), tool('a')], {
      allows: (id) => !id.startsWith('b/'),
      returnTool,
    });
    expect(namesOf(built)).toEqual(['a', 'z', 'directive_return']);
  });

  test('tells what is to be returned in words where a name is none for every provider', () => {
    const inputSchema = { type: 'object', properties: { größe: { type: 'number' } }, required: ['größe'] };
    const returnTool = { name: 'directive_return', description: 'Ends it', inputSchema };
    expect(palette([], { returnTool }).definitions).toEqual([
      {
        name: 'directive_return',
        description: `Ends it\nIts parameters, as JSON Schema: ${JSON.stringify(inputSchema)}`,
        inputSchema: { type: 'object' },
      },
    ]);
  });

  test('finds tools by name and ids by name, allowed or not', () => {
    const built = palette([tool('a/b'), tool('c/d')], { allows: (id) => id === 'a/b' });
    expect(built.resolve('a_b')?.id).toBe('a/b');
    expect([built.resolve('c_d'), built.resolve('a/b'), built.resolve('constructor')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([built.idOf('c_d'), built.idOf('gone')]).toEqual(['c/d', undefined]);
  });

  test('counts schema and description at four characters a token', () => {
    expect(definitionTokens(tool('a', 'x'.repeat(24)))).toBe((24 + '{"type":"object"}'.length + 3) / 4);
  });

  test('tells a schema in words that providers would refuse, and counts it so', () => {
    const inputSchema = { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] };
    const choosy = { ...tool('a', 'Does it'), inputSchema };
    const description = `Does it\nIts parameters, as JSON Schema: ${JSON.stringify(inputSchema)}`;
    const built = palette([choosy]);
    expect(built.definitions).toEqual([{ name: 'a', description, inputSchema: { type: 'object' } }]);
    expect(built.resolve('a')?.inputSchema).toBe(inputSchema);
    expect(definitionTokens(choosy)).toBe(definitionTokens(tool('a', description)));
  });

  test('offers what is granted by name first, then by the longer wildcard, when the budget is tight', () => {
    const tools = ['a/one', 'b/two', 'c/three', 'd/four'].map((id) => tool(id, 'x'.repeat(100)));
    const patterns = ['rye.execute.tool.*', 'rye.execute.tool.c.*', 'rye.execute.tool.d/four'];
    const cost = definitionTokens(tool('', 'x'.repeat(100)));
    const built = palette(tools, { maxTokens: 2 * cost, capabilityPatterns: patterns });
    expect(namesOf(built)).toEqual(['c_three', 'd_four']);
    expect(built.leftOut).toEqual(['a/one', 'b/two']);
    expect(built.resolve('a_one')?.id).toBe('a/one');
  });

  test('goes on with smaller tools when a large one does not fit', () => {
    const built = palette([tool('a', 'x'.repeat(9000)), tool('b')]);
    expect([namesOf(built), built.leftOut]).toEqual([['b'], ['a']]);
  });

  test('offers primary actions outside the budget, and only them when registration is off', () => {
    const tools = [tool('rye/fetch', 'x'.repeat(9000)), tool('rye/fetch-more'), tool('a')];
    expect(namesOf(palette(tools))).toEqual(['a', 'rye_fetch', 'rye_fetch_more']);
    expect(namesOf(palette(tools, { maxTokens: 0 }))).toEqual(['rye_fetch']);
    expect(namesOf(palette(tools, { enabled: false }))).toEqual(['rye_fetch']);
  });

  test('keeps the names of primary actions, whatever else has one of them', () => {
    const built = palette([tool('rye-execute'), tool('rye/execute'), tool('rye_execute')], {
      allows: (id) => id === 'rye/execute',
    });
    expect(namesOf(built)).toEqual(['rye_execute']);
    expect(built.resolve('rye_execute')?.id).toBe('rye/execute');
    expect(built.nameOf('rye-execute')).toMatch(/^rye_execute_[0-9a-f]{6}$/);
  });

  test('is the same whatever order the tools come in', () => {
    const tools = ['a/b', 'a-b', 'c', 'd', 'e'].map((id) => tool(id, id.repeat(30)));
    fc.assert(
      fc.property(fc.shuffledSubarray(tools, { minLength: 5 }), (shuffled) => {
        const options = { maxTokens: 60, capabilityPatterns: ['rye.execute.tool.*', 'rye.execute.tool.d'] };
        expect(palette(shuffled, options).definitions).toEqual(palette(tools, options).definitions);
      }),
    );
  });
});

describe('a tool call', () => {
  const built = palette([tool('rye/file-system/read'), tool('rye/file-system/write')], {
    allows: (id) => id.endsWith('read'),
  });
  const call = (name: string): ToolOutcome | undefined => {
    const outcomes: ToolOutcome[] = [];
    const found = findTool(built, name);
    if (!found.ok) return found;
    found.value.run({ a: 1 }, CALLER, (outcome) => outcomes.push(outcome));
    return outcomes[0];
  };

  test('reaches the tool of its name', () => {
    expect(call('rye_file_system_read')).toEqual({ ok: true, value: { id: 'rye/file-system/read', input: { a: 1 } } });
  });

  test('of a tool that is not allowed is denied, naming the capability', () => {
    expect(call('rye_file_system_write')).toMatchObject({
      failure: {
        code: 'permission_denied',
        message: expect.stringContaining(executeCapability('rye/file-system/write')),
      },
    });
  });

  test.each([
    ['rye_filesystem_read', 'did you mean rye_file_system_read?'],
    ['__proto__', 'there is rye_file_system_read'],
    ['', 'there is rye_file_system_read'],
  ])('of %j is unknown', (name, words) => {
    expect(call(name)).toMatchObject({ failure: { code: 'tool_unknown', message: expect.stringContaining(words) } });
  });
});

describe('near names', () => {
  test('are the likest first and at most so many', () => {
    expect(nearNames('read_file', ['write_file', 'read_files', 'zzz', 'file_read', 'read'])).toEqual([
      'read_files',
      'file_read',
      'read',
    ]);
  });
});

describe('the text of an outcome', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  test.each([
    [{ ok: true, value: 'plain "text"' }, 'plain "text"'],
    [{ ok: true, value: { a: [1, null] } }, '{"a":[1,null]}'],
    [{ ok: true, value: undefined }, 'null'],
    [{ ok: true, value: 3 }, '3'],
    [{ ok: true, value: 'cut 😀'.slice(0, 5) }, 'cut \ufffd'],
    [{ ok: false, failure: { code: 'tool_failed', message: 'it broke' } }, 'error [tool_failed]: it broke'],
  ] as const)('%o is %j', (outcome, text) => {
    expect(renderOutcome(outcome)).toBe(text);
  });

  const throwing = {
    toJSON() {
      throw Object.create(null);
    },
  };

  test.each([[cycle], [{ a: 1n }], [throwing]])('says so when it has no JSON form', (value) => {
    expect(renderOutcome({ ok: true, value })).toMatch(/^\[the result cannot be written as JSON/);
  });

  test('is cut where it is too long, not inside a character, and says so', () => {
    const full = 'x'.repeat(100_000);
    expect(renderOutcome({ ok: true, value: full })).toBe(full);
    expect(renderOutcome({ ok: true, value: `${full}x` })).toBe(
      `${full}\n[cut here: 1 of 100001 characters are left out]`,
    );
    const split = `x${'😀'.repeat(50_000)}`;
    expect(renderOutcome({ ok: true, value: split })).toBe(
      `${split.slice(0, -2)}\n[cut here: 2 of 100001 characters are left out]`,
    );
  });
});
