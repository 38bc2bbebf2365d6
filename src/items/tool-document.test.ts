import { describe, expect, test } from 'vitest';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import { parseText } from './fixtures/parse-text.ts';

const read = (extension: string, source: string) =>
  parseText('tool', source, { id: 'net/get', file: `get${extension}`, extension });

const YAML = `# rye:unsigned
tool_type: http
executor_id: rye/core/primitives/http_client
version: "1.2.0"
category: net
description: Fetches a page
timeout_seconds: 5
idempotent: true
config_schema:
  type: object
  properties:
    url: { type: string }
config:
  method: GET
env_config: { var: KEY }
`;
const JSON_TEXT = JSON.stringify({
  _signature: 'rye:unsigned',
  __tool_type__: 'http',
  __executor_id__: 'rye/core/primitives/http_client',
  __version__: '1.2.0',
  __category__: 'net',
  __tool_description__: 'Fetches a page',
  __timeout_seconds__: 5,
  __idempotent__: true,
  CONFIG_SCHEMA: { type: 'object', properties: { url: { type: 'string' } } },
  config: { method: 'GET' },
  env_config: { var: 'KEY' },
});

describe('a tool in JSON that is wrong', () => {
  test.each([
    ['{\n"a": 1,\n"b": {"a": 1},\n"a": 2}', 'a key twice in one object', 4],
    ['{\n"a": 1,\r\n"\\u0061": 2}', 'a key twice in one object', 3],
    ['{\n"a/b": 1,\n"a\\/b": 2}', 'a key twice in one object', 3],
    ['{\n"\\u000a": 1,\n"\\n": 2}', 'a key twice in one object', 3],
    ['{\n"\\\\u0061": 1,\n"\\\\a": 2,\n"\\u005Ca": 3}', 'a key twice in one object', 4],
    ['{"a": [\n{"x": 1, "__proto__": 1}]}', 'is refused for a key "__proto__"', 2],
    ['{\n"a": [1,\n tru]}', 'not JSON', 3],
    ['{\n"a": "b: tru",\n "c": nope}', 'not JSON', 3],
    ['{\n"a": 1\n"b": 2}', 'not JSON', 3],
    ['\n{\n"a": 1', 'not JSON', 3],
    ['', 'not JSON', 1],
    ['[\n'.repeat(65), 'nested deeper than 64 levels', 65],
  ])('is refused with the line: %j', (source, reason, line) => {
    expect(thrownBy(() => read('.json', source))).toMatchObject({
      code: 'invalid_item',
      message: expect.stringContaining(reason),
      where: { file: 'get.json', line },
    });
  });
});

describe('a tool that is a document', () => {
  test.each([
    ['.yaml', YAML],
    ['.yml', YAML],
    ['.json', JSON_TEXT],
    ['.json', `\n  ${JSON_TEXT.replaceAll(',"', ',\r\n"')}\n`],
  ])('in a %s file has its contract, and the rest as config', (extension, source) => {
    const { value, declared, warnings } = read(extension, source);
    expect(value).toMatchObject({
      toolType: 'http',
      executorId: 'rye/core/primitives/http_client',
      version: '1.2.0',
      category: 'net',
      description: 'Fetches a page',
      inputSchema: { type: 'object', properties: { url: { type: 'string' } } },
      idempotent: true,
      timeoutSeconds: 5,
      extension,
    });
    expect(value.config).toEqual({ config: { method: 'GET' }, env_config: { var: 'KEY' } });
    expect([declared, warnings]).toEqual([true, []]);
  });

  test.each([
    ['.yaml', 'name: a\ndescription: b\nversion: "1"\n'],
    ['.json', '{"name": "a", "description": "b", "version": "1"}'],
  ])('in a %s file without type, executor and schema is none', (extension, source) => {
    const { declared, value } = read(extension, source);
    expect([declared, value.executorId, value.config]).toEqual([false, '', { name: 'a' }]);
  });

  test('of two spellings has the shorter, and says so', () => {
    const { value, warnings } = read('.yaml', '__tool_type__: b\ntool_type: a\n"version": "1"\n');
    expect([value.toolType, value.version]).toEqual(['a', '1']);
    expect(warnings).toEqual(['line 1: "__tool_type__" is ignored: the field is there in another spelling']);
  });

  test('says what has the wrong type', () => {
    const { value, warnings } = read('.yaml', 'tool_type: x\nversion: 1.0\nidempotent: "true"\ntags: a\n');
    expect(value).toMatchObject({ version: '1', idempotent: false });
    expect(warnings).toEqual([
      expect.stringContaining('"version": it is 1; text'),
      expect.stringContaining('"tags": it is the text "a"; a list'),
      expect.stringContaining('"idempotent": it is the text "true"; true or false'),
    ]);
  });

  test.each([
    ['.yaml', 'a: 1\nb: *x\n', 2, 'aliases'],
    ['.yaml', 'a: 1\na: 2\n', 2, 'twice'],
    ['.yaml', '- a\n', 1, 'no map'],
    ['.yaml', '', 1, 'no map'],
    ['.yaml', 'tool_type: x\nconfig_schema: []\n', 2, 'no object'],
    ['.yaml', 'config_schema: {type: array}\n', 1, 'no object'],
    ['.yml', 'tool_type: x\n\nexecutor_id: ../up\n', 3, '".."'],
    ['.yaml', 'config_schema:\n  executor_id: a\nexecutor_id: ../up\n', 3, '".."'],
    ['.yaml', '{ executor_id: ../up }\n', 1, '".."'],
    ['.json', '{\n"a": 1,\n}', 3, 'not JSON'],
    ['.json', '{"a": {"b": 1, "b": 2}}', undefined, 'twice'],
    ['.json', '{"a": {"__proto__": 1}}', undefined, '__proto__'],
    ['.json', '[]', 1, 'no map'],
    ['.json', '{\n"config_schema": 5}', 2, 'no object'],
    ['.json', `${'['.repeat(100)}${']'.repeat(100)}`, undefined, 'nested'],
  ])('in a %s file %j is refused with its line', (extension, source, line, reason) => {
    const error = thrownBy(() => read(extension, source));
    expect(error.code).toBe('invalid_item');
    expect(error.where).toMatchObject({ file: `get${extension}`, ...(line !== undefined && { line }) });
    expect(error.message).toContain(reason);
  });

  test.each([
    ['.yaml', 256 * 1024 + 1, 'item_too_large'],
    ['.json', 256 * 1024 + 1, 'nothing'],
  ])('in a %s file of %d bytes gives %s', (extension, bytes, code) => {
    const [start, end] = extension === '.json' ? ['{"tool_type": "', '"}'] : ['tool_type: "', '"'];
    const source = start + 'x'.repeat(bytes - start.length - end.length) + end;
    const run = (): unknown => read(extension, source);
    expect(code === 'nothing' ? (run(), 'nothing') : thrownBy(run).code).toBe(code);
  });

  test('may have keys that every object inherits', () => {
    expect(read('.yaml', 'tool_type: x\nconstructor: 1\ntoString: 2\n').value.config).toEqual({
      constructor: 1,
      toString: 2,
    });
  });
});
