import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const TOOL = join(PACKAGE_ROOT, 'examples', 'demo', '.ai', 'tools', 'demo', 'count.js');
// A tool of JavaScript has no types.
const { exportedNames } = (await import(pathToFileURL(TOOL).href)) as {
  exportedNames: (text: string) => ReadonlySet<string>;
};

describe('The count tool of the demo finds the names of', () => {
  test.each<[string, readonly string[], string]>([
    ['all variables of a declaration', ['a', 'b', 'c'], 'export const a = 1, b = f(2, x), c = [3, y];'],
    ['variables without values', ['a', 'b'], 'export let a, b\nlet c, d;'],
    ['a declaration that ends without a semicolon', ['a', 'f'], 'export const a = 1\nfoo, bar\nexport function f() {}'],
    ['variables with types', ['a', 'b'], 'export let a: Map<string, number> = new Map<string, number>(), b!: string;'],
    ['variables with types of functions', ['a', 'b'], 'export const a: (x: A, y: B) => C<D, E> = f, b = 2 as const;'],
    ['functions with types', ['a', 'b'], 'export const a = <T = A, U = B>(x: T, y: U): x is T => g(x), b = 2;'],
    ['a comparison', ['a', 'b'], 'export const a = x < y, b = z > 2;'],
    [
      'functions and classes as values',
      ['a', 'b'],
      'export const a = async function f() {}, b = class K extends L {}\nx, y',
    ],
    ['a tagged template', ['a', 'b'], 'export const a = tag`${x}, y`, b = 1;'],
    ['nested patterns', ['r', 's', 't', 'u'], 'export const { q: [r, { s }], ...t } = o, [, u = v] = w;'],
    [
      'patterns with computed keys and defaults',
      ['a', 'b'],
      "export const { [k]: a = { x, y }, 'l': { m: b } = z } = o;",
    ],
    [
      'what follows a regular expression behind a head',
      ['after'],
      'if (x) /re{/.test(y);\nexport const after = 1 / (2) / 3;',
    ],
    ['an import that is passed on', ['A'], 'import B = C.D; export import A = B.C;'],
    ['a class with decorators', ['K', 'L'], 'export @dec class K {}\nexport @a.b({ x }) @(c) abstract class L {}'],
    ['text in JSX', ['A', 'B'], 'export const A = () => <p>Hello, world</p>;\nexport const B = <C d={1}>Hi, you</C>;'],
    ['one that is none', [], 'const foo = 1; export = foo;'],
  ])('%s', (_, names, text) => {
    expect([...exportedNames(text)]).toEqual(names);
  });
});
