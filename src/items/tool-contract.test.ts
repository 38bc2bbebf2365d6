import { describe, expect, test } from 'vitest';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import { parseText } from './fixtures/parse-text.ts';

const read = (extension: string, source: string) => {
  const parsed = parseText('tool', source, { id: 'rye/fs/read', file: `read${extension}`, extension });
  return { ...parsed, tool: parsed.value };
};

const SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', description: "it's" },
    limit: { type: 'integer', default: -10, enum: [1, 2.5] },
  },
  required: ['path'],
  additionalProperties: false,
};
const EXPECTED = {
  id: 'rye/fs/read',
  sha256: 'none',
  space: 'project',
  config: {},
  version: '1.0.0',
  description: 'Reads a file',
  category: 'rye/fs',
  inputSchema: SCHEMA,
  idempotent: true,
  timeoutSeconds: 2.5,
};

const PYTHON = `#!/usr/bin/env python3
"""Module text.
__version__ = "9.9.9"
"""
from typing import Any, Dict
__version__ = "1.0.0"  # first
__tool_type__ = 'python'
__executor_id__ = "rye/core/runtimes/python_runtime"
__category__ = ("rye"
    "/fs")  # joined
__tool_description__ = r'Reads a file'
__idempotent__: bool = True
__timeout_seconds__ = 2.5

CONFIG_SCHEMA: Dict[str, Any] = {
    "type": "object",
    "properties": {
        # a comment with } in it
        "path": {"type": "string", 'description': "it's"},
        "limit": {"type": "integer", "default": -1_0, "enum": (1, 2.5,)},
    },
    "required": ["path"], "additionalProperties": False,
}

def execute(params, project_path):
    CONFIG_SCHEMA = {}
    return f"{params['x']}"
`;

const JAVASCRIPT = `#!/usr/bin/env node
export const __version__ = '1.0.0', __tool_type__ = "node";
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
const __category__ = \`rye/fs\`;
const text = 'Reads a file';
export { __category__ };
export const __tool_description__ = 'Reads a file';
export const __idempotent__ = true;
export const __timeout_seconds__ = +2.5;
export const CONFIG_SCHEMA = {
  type: 'object',
  'properties': { path: { type: 'string', description: 'it\\'s' }, limit: { type: 'integer', default: -10, enum: [1, 2.5] } },
  required: ['path'],
  additionalProperties: false,
};
export async function execute(params) { throw new Error('never run'); }
process.exit(3);
`;

const TYPESCRIPT = JAVASCRIPT.replace('execute(params)', 'execute(params: { a: string }): Promise<void>').replace(
  'additionalProperties: false,\n};',
  'additionalProperties: false,\n} as const satisfies object;',
);

const BASH = `#!/usr/bin/env bash
# __version__: 1.0.0
# __tool_type__: bash
# __category__: rye/fs
# __tool_description__: Reads a file
# __idempotent__: true
# __timeout_seconds__: 2.5
# CONFIG_SCHEMA: {"type": "object",
#   "properties": {"path": {"type": "string", "description": "it's"}, "limit": {"type": "integer", "default": -10, "enum": [1, 2.5]}},
#   "required": ["path"], "additionalProperties": false}
# a remark
cat "$1"
`;

describe('tool contracts', () => {
  test.each([
    ['.py', PYTHON, 'python'],
    ['.js', JAVASCRIPT, 'node'],
    ['.mjs', JAVASCRIPT, 'node'],
    ['.ts', TYPESCRIPT, 'node'],
    ['.sh', BASH, 'bash'],
  ])('of a %s file are read without running it', (extension, source, runtime) => {
    const { tool, declared, warnings } = read(extension, source);
    const executorId = `rye/core/runtimes/${runtime}_runtime`;
    expect(tool).toEqual({ ...EXPECTED, toolType: runtime, executorId, extension, file: `read${extension}` });
    expect([declared, warnings]).toEqual([true, []]);
  });

  test.each([
    ['.py', 'import os\n'],
    ['.js', 'export const x = 1;\n'],
    ['.sh', 'echo hi\n'],
  ])('of a %s file that has none are defaults, and it is no declared tool', (extension, source) => {
    const { tool, declared } = read(extension, source);
    expect(declared).toBe(false);
    expect(tool).toMatchObject({
      version: '',
      description: '',
      category: 'rye/fs',
      inputSchema: { type: 'object', properties: {} },
      idempotent: false,
      timeoutSeconds: undefined,
    });
  });

  test('a version alone does not make a tool', () => {
    expect(read('.py', '__version__ = "1"').declared).toBe(false);
  });

  test.each([
    ['.py', '__executor_id__ = "x/bash_runtime"', 'x/bash_runtime'],
    ['.js', 'export const __executor_id__ = "python_runtime"', 'python_runtime'],
    ['.sh', '# __executor_id__: rye/core/runtimes/node_runtime', 'rye/core/runtimes/node_runtime'],
  ])('in a %s file, %s names the runtime', (extension, source, executorId) => {
    expect(read(extension, source).tool.executorId).toBe(executorId);
  });

  test.each<[string, unknown]>([
    ['{"a": None, "b": [True, False,], "c": ()}', { a: null, b: [true, false], c: [] }],
    ['{"a": (1), "b": (1,), "c": [[]]}', { a: 1, b: [1], c: [[]] }],
    [
      '{"a": 0x1F, "b": 1_000, "c": -.5, "d": 1e3, "e": +2., "f": 1.5E-2}',
      { a: 31, b: 1000, c: -0.5, d: 1000, e: 2, f: 0.015 },
    ],
    ["{'a': 'x' \"y\"\n 'z'}", { a: 'xyz' }],
    ['{"a": "\\n\\x41\\u00e9\\\\\\q\\101"}', { a: '\nAé\\\\qA' }],
    ['{"a": r"\\n", "b": u"x"}', { a: '\\n', b: 'x' }],
    ['{"a": """one\n"two" \\\nthree"""}', { a: 'one\n"two" three' }],
    ['{"a": 1} ; x = 2', { a: 1 }],
    ['{}', {}],
  ])('the Python value %s is read', (literal, value) => {
    expect(read('.py', `CONFIG_SCHEMA = ${literal}\n`).tool.inputSchema).toEqual({
      type: 'object',
      ...(value as object),
    });
  });

  test.each([
    ['a call', 'dict(a=1)'],
    ['a name', '{"a": str}'],
    ['an f-string', '{"a": f"x{y}"}'],
    ['bytes', '{"a": b"x"}'],
    ['a sum', '{"a": 1} | {"b": 2}'],
    ['a spread', '{**BASE}'],
    ['a set', '{1, 2}'],
    ['a comprehension', '{"a": [x for x in y]}'],
    ['a missing comma', '{"a": [1 2]}'],
    ['a lone comma', '{"a": [,]}'],
    ['an unclosed text', '{"a": "x\n}'],
    ['an unclosed dict', '{"a": 1'],
    ['a key that is no text', '{1: 2}'],
    ['__proto__', '{"__proto__": {}}'],
    ['no object', '[1]'],
    ['another type', '{"type": "string"}'],
    ['deep nesting', `${'['.repeat(100)}${']'.repeat(100)}`],
  ])('a Python schema with %s is refused with its line', (_, literal) => {
    const error = thrownBy(() => read('.py', `\n\nCONFIG_SCHEMA = ${literal}\n`));
    expect(error).toMatchObject({ code: 'invalid_item', where: { file: 'read.py', line: 3 } });
  });

  test.each<[string, unknown]>([
    [
      "{ a: 'it\\'s', b: \"\\n\\x41\\u00e9\\u{1f600}\\0\\q\\\n\", c: `x\r\n\\`` }",
      { a: "it's", b: '\nAé😀\0q', c: 'x\n`' },
    ],
    ['{ a: \'one \' +\n  `two ` + // why\n "three" }', { a: 'one two three' }],
    ['{ a: [-1, +1.5e3, .5, 5., 0x1F, 0o17, 0b11, 1_000], b: [] }', { a: [-1, 1500, 0.5, 5, 31, 15, 3, 1000], b: [] }],
    ['({ "a": (null), b: [true, false,], /* c */ 1: {} })', { a: null, b: [true, false], 1: {} }],
    ['{\n // a comment }\n $a_1: "//", ä: 1 }\n', { $a_1: '//', ä: 1 }],
    ['{ if: 1, constructor: 2 }; foo()', { if: 1, constructor: 2 }],
  ])('the JavaScript value %s is read', (literal, value) => {
    expect(read('.js', `export const CONFIG_SCHEMA = ${literal}\nexport default 1`).tool.inputSchema).toEqual({
      type: 'object',
      ...(value as object),
    });
  });

  test.each<[string, unknown]>([
    ['{ a: "x" as const, b: [1 as number, 2 satisfies A<B, C>] } as const', { a: 'x', b: [1, 2] }],
    ['{ a: {} as Record<string, () => void> } satisfies Schema as unknown\n', { a: {} }],
  ])('the TypeScript value %s is read', (literal, value) => {
    const source = `export const CONFIG_SCHEMA: Readonly<Record<string, { a: 1 }>> = ${literal};\n`;
    expect(read('.ts', source).tool.inputSchema).toEqual({ type: 'object', ...(value as object) });
  });

  test('an export under another name is read', () => {
    const source = 'const schema = { a: 1 }, v = "1.0.0";\nexport { schema as CONFIG_SCHEMA, v as __version__ };\n';
    expect(read('.js', source).tool).toMatchObject({ inputSchema: { a: 1 }, version: '1.0.0' });
  });

  test.each([
    ['a call', 'Object.freeze({})'],
    ['a name', '{ a: b }'],
    ['a shorthand', '{ a }'],
    ['a template with expressions', '{ a: `${b}` }'],
    ['a spread', '{ ...b }'],
    ['a method', '{ a() {} }'],
    ['a getter', '{ get a() { return 1 } }'],
    ['a computed key', '{ ["a"]: 1 }'],
    ['__proto__', '{ __proto__: {} }'],
    ['a regular expression', '{ a: /x/ }'],
    ['a big integer', '{ a: 1n }'],
    ['a hole', '{ a: [1,,2] }'],
    ['a negated text', '{ a: -"1" }'],
    ['a sum', '{ a: 1 + 2 }'],
    ['a text and a number', '{ a: "1" + 2 }'],
    ['undefined', '{ a: undefined }'],
    ['a property', '{ a: 1 }.a'],
    ['a call on the next line', '{ a: 1 }\n(b)'],
    ['an unknown escape', '{ a: "\\u12" }'],
    ['deep nesting', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['no object', '[1]'],
  ])('a JavaScript schema with %s is refused with its line', (_, literal) => {
    const error = thrownBy(() => read('.js', `const b = 1, a = 2;\n\nexport const CONFIG_SCHEMA = ${literal};\n`));
    expect(error).toMatchObject({ code: 'invalid_item', where: { file: 'read.js', line: 3 } });
  });

  test.each([
    ['.js', '\nexport const = 1', 2],
    ['.js', 'export const a = [1;\n', 1],
    ['.js', 'const a = {\n\n(1}\n', 3],
    ['.js', '\nfunction f() {', 2],
    ['.mjs', 'const a = "one\ntwo";', 1],
    ['.mjs', '1;\n`one ${a\n', 2],
    ['.mjs', '1;\n`one ${a} two', 2],
    ['.ts', '/* a comment', 1],
    ['.ts', 'const a: { b: string', 1],
    ['.ts', '}', 1],
  ])('a %s file that is no module is refused: %j', (extension, source, line) => {
    const error = thrownBy(() => read(extension, source));
    expect(error).toMatchObject({ code: 'invalid_item', where: { file: `read${extension}`, line } });
  });

  test.each([
    ['.sh', '# CONFIG_SCHEMA: {"a": 1', 'not JSON'],
    ['.sh', '# CONFIG_SCHEMA: []', 'no object'],
  ])('a %s file with %s is refused', (extension, source, reason) => {
    expect(thrownBy(() => read(extension, source)).message).toContain(reason);
  });

  test.each([
    ['.py', '__version__ = get_version()', '__version__ is ignored'],
    ['.py', '__tool_type__ = "x"\n__idempotent__ = "yes"', '"idempotent": it is the text "yes"; true or false'],
    ['.py', '__tool_type__ = "x"\n__version__ = 1.5', '"version": it is 1.5; text'],
    ['.sh', '# __tool_type__: x\n# __tool_type__: y', 'line 2: a second __tool_type__'],
    ['.py', '__timeout_seconds__ = -1', 'above 0'],
    ['.js', 'const CONFIG_SCHEMA = {};', 'not exported'],
    ['.js', 'export const __tool_description__ = 5 + 5;', '__tool_description__ is ignored'],
  ])('in a %s file, %s is remarked on', (extension, source, remark) => {
    expect(read(extension, source).warnings).toEqual([expect.stringContaining(remark)]);
  });

  test('a dotted version of a shell tool stays text', () => {
    expect(read('.sh', '# __version__: 1.0').tool.version).toBe('1.0');
  });

  test.each([
    ['__version__ = "1"; __tool_type__ = "a"\n', '1 a'],
    ['import os; __version__ = "1" ;__tool_type__: str = "a"; x = 2\n', '1 a'],
    ['if x: __version__ = "1"; __tool_type__ = "a"\n', ' '],
    ['class A: x = 1; __version__ = "1"\n__tool_type__ = "a"\n', ' a'],
    ['def f():\n  x = 1; __version__ = "1"\n__tool_type__ = "a"\n', ' a'],
    ['x = ["a;\\"", ";"]; __version__ = "1" # ; __tool_type__ = "a"\n', '1 '],
    ['x = """\n__version__ = "1"; __version__ = "2"\n"""; __tool_type__ = "a"', ' a'],
    ['__version__ = "1"\r\n__tool_type__ = """a\r\nb"""\r\n', '1 a\nb'],
  ])('the Python statements %j say %j', (source, said) => {
    const { version, toolType } = read('.py', source).tool;
    expect(version + ' ' + toolType).toBe(said);
  });

  test('the last top-level assignment of a Python file counts', () => {
    expect(read('.py', '__version__ = "1"\nif x:\n    __version__ = "2"\n__version__ = "3"\n').tool.version).toBe('3');
  });
});
