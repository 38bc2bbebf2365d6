import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf, foreignError } from '../../test/fixtures/cost-of.ts';
import { parseText, shippedExtractors } from './fixtures/parse-text.ts';

const BYTES = 1000 * 1024;
const fill = (piece: string, bytes = BYTES): string => piece.repeat(Math.floor(bytes / piece.length));
const count = (write: (index: number) => string): string => {
  const parts: string[] = [];
  for (let index = 0, length = 0; length < BYTES; index++) length += parts[parts.push(write(index)) - 1]?.length ?? 0;
  return parts.join('');
};
const tool = (extension: string, source: string): unknown => parseText('tool', source, { id: 'x', extension });
/** As deep as a type may be long. */
const nested = (open: string): string => fill(open, 15_000) + fill('>', 15_000 / open.length);
const EXTENSIONS = shippedExtractors.tool.files.map(({ id }) => id);

const PIECES = [
  '( ¦[¦{¦)¦]¦}¦"¦\'¦"""¦`¦`${¦${¦\\¦/¦/[¦/*¦*/¦//\n¦#¦# \n¦\n¦\r¦\t¦ ¦;¦,¦a¦1¦-¦!¦+¦.¦:¦=¦<¦>¦=>¦a=>¦/a/;¦a/¦a,¦a:¦"a" ¦[1,¦{"a":¦"a":1,¦- a\n',
  'const a=1;¦export const a=1,¦let a:¦let a:{¦, a:<¦const a=1,¦export {a,¦export {a¦export const a¦as b ¦x as b ¦await ¦class a{¦a\n,b=1\n¦as const,',
  'CONFIG_SCHEMA = ¦__version__ = "1"\n¦__version__ = -\n¦# __version__: 1\n¦# CONFIG_SCHEMA: {\n¦# {\n¦\\"¦version: 1\n¦\u0085¦ä¦\ud83d\ude00¦\ufeff¦\u2028',
].flatMap((line) => line.split('¦'));

/** What stands before them, by file type; `.mjs` and `.ts` are read like `.js`, `.yml` like `.yaml`. */
const STARTS: Readonly<Record<string, readonly string[]>> = {
  '.py': ['', 'CONFIG_SCHEMA = {"a": '],
  '.yaml': ['', 'config_schema: '],
  '.json': ['{"config_schema": ['],
  '.js': ['', 'export const CONFIG_SCHEMA = {a: ', 'const a = 1, b: '],
  '.sh': ['', '# CONFIG_SCHEMA: {\n', '# CONFIG_SCHEMA: {'],
};

describe('hostile text in a tool', () => {
  test.each(PIECES)('%j over and over is no slower than its length', (piece) => {
    for (const [extension, starts] of Object.entries(STARTS)) {
      const text = fill(piece, extension === '.yaml' ? 29_000 : BYTES / 2);
      const costs = starts.map((start) => ({ start, cost: costOf(() => tool(extension, start + text)) }));
      expect([extension, costs.filter(({ cost }) => cost >= 200)]).toEqual([extension, []]);
    }
  });

  test.each<readonly [string, string, string]>([
    ['.js', 'declarations', count((index) => `export const a${index} = {a: 1, b: ['x', 2, null]};\n`)],
    ['.js', 'variables', count((index) => `let a${index} = ${index};`)],
    [
      '.js',
      'functions',
      count((index) => `export function f${index}(a) { return a.map((b) => \`\${b} / \${a}\`); }\n`),
    ],
    ['.js', 'exports', count((index) => `export { a${index} as b${index} };`)],
    ['.js', 'members', `export const CONFIG_SCHEMA = {${count((index) => `k${index}: [${index}, "x"], `)}}`],
    ['.js', 'texts', `export const CONFIG_SCHEMA = {a: ${fill('"a" +\n')}"b"}`],
    ['.js', 'digits', `export const __version__ = ${fill('1', 40_000)}x`],
    ['.js', 'digits after a dot', `export const __version__ = 1.${fill('1', 40_000)}x`],
    ['.ts', 'assertions', `export const CONFIG_SCHEMA = {a: [${fill('1 as const, ')}]}`],
    ['.ts', 'types', `export const CONFIG_SCHEMA: ${fill('A<B> | ')} C = {}`],
    ['.ts', 'types in types', `let q${fill(nested(',a:<'))}`],
    ['.ts', 'declarations in types', fill(nested('let a:<'))],
    ['.py', 'members', `CONFIG_SCHEMA = {${count((index) => `"k${index}": [${index}, "x", None], `)}}`],
    ['.py', 'numbers', `CONFIG_SCHEMA = {"a": [${fill('1,')}]}`],
    ['.py', 'texts', `CONFIG_SCHEMA = {"a": [${fill('"a" ')}]}`],
    ['.sh', 'members', `# CONFIG_SCHEMA: {\n${fill('#  "k": [1, {}],\n')}#  "z": 1}\n`],
    ['.json', 'members', `{"config_schema": {${count((index) => `"k${index}": [${index}, {}],`)}"z": 1}}`],
    ['.json', 'keys', `{${count((index) => `"k${index}": 1,`)}"z": 1}`],
    ['.json', 'numbers', `{"config_schema": {"a": [${fill('1,')}1]}}`],
    ['.yaml', 'members', count((index) => `k${index}: [${index}, {}]\n`).slice(0, 250 * 1024)],
    ['.yaml', 'texts', `description: ${fill('a b ', 250 * 1024)}`],
  ])('a %s file of nothing but %s costs under 200 ms', (extension, _, source) => {
    expect(costOf(() => tool(extension, source))).toBeLessThan(200);
  });

  test.each([
    ['.js', (literal: string) => `export const __tool_description__ = ${literal}`],
    ['.py', (literal: string) => `__tool_description__ = ${literal}`],
  ])('a literal of a %s file has at most 256 KiB; what follows it may be longer', (extension, write) => {
    const read = (literal: string): unknown =>
      parseText('tool', write(literal), { id: 'x', extension }).warnings.join('; ');
    const list = `[${fill('"some text", ', 300 * 1024)}]`;
    expect(read(list)).toContain('longer than 256 KiB');
    const comment = extension === '.js' ? '//' : '#';
    expect(read(`"short" ${comment}${fill(' and so on', 300 * 1024)}`)).toBe('');
  });

  const soup = fc
    .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary' })), { maxLength: 60 })
    .map((pieces) => pieces.join(''));

  test.each(EXTENSIONS)('a %s file is read or refused with a SkeinError, whatever it says', (extension) => {
    fc.assert(
      fc.property(fc.constantFrom('', ...Object.values(STARTS).flat()), soup, (start, source) => {
        expect(foreignError(() => tool(extension, start + source))).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});
