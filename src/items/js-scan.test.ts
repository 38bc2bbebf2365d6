import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { allFiles, sourceOf } from '../../test/fixtures/source-files.ts';
import { outlineJs } from './js-scan.ts';

const declared = (source: string): unknown[] =>
  outlineJs(source).declarations.map(({ name, exported, value }) => {
    return [name, exported, source.slice(value).trimStart().slice(0, 12)];
  });

/** The same, as a whole parser sees it. */
const parsed = (file: string, source: string): unknown[] => {
  const { program, errors } = parseSync(file, source);
  expect(errors).toEqual([]);
  return program.body.flatMap((statement) => {
    const exported = statement.type === 'ExportNamedDeclaration';
    const declaration = exported ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') return [];
    // What is disposed of with the module can't be exported.
    if (declaration.kind === 'using' || declaration.kind === 'await using') return [];
    return declaration.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && init ? [[id.name, exported, source.slice(init.start).slice(0, 12)]] : [],
    );
  });
};

const imported = (source: string): unknown[] =>
  outlineJs(source).imports.map(({ specifier, isDynamic }) => (isDynamic ? `${specifier} dynamic` : specifier));

/** The same, as a whole parser sees it: dynamic ones are found by their text alone, wherever they are. */
const parsedImports = (file: string, source: string): unknown[] => {
  const { module } = parseSync(file, source);
  const entries = [
    ...module.staticImports.map(({ start, moduleRequest, entries: names }) => ({ start, moduleRequest, names })),
    ...module.staticExports.flatMap(({ start, entries: [first, ...rest] }) =>
      first?.moduleRequest ? [{ start, moduleRequest: first.moduleRequest, names: [first, ...rest] }] : [],
    ),
  ].filter(({ start }) => !/^(?:import|export) type [^f]/.test(source.slice(start, start + 20)));
  const found = entries.map(({ start, moduleRequest }) => ({ start, text: moduleRequest.value }));
  const dynamic = module.dynamicImports.flatMap(({ start, moduleRequest }) => {
    const text = /^["'](.*)["']$/.exec(source.slice(moduleRequest.start, moduleRequest.end))?.[1];
    return text === undefined ? [] : [{ start, text: `${text} dynamic` }];
  });
  return [...found, ...dynamic].toSorted((a, b) => a.start - b.start).map(({ text }) => text);
};

const FILES = allFiles('src', 'machines', 'workers', 'test', 'bench', 'config', 'examples', 'scripts').filter((file) =>
  /\.(?:ts|js|mjs)$/.test(file),
);

describe('the outline of a module', () => {
  test('is what a whole parser finds, in every module of this repository', () => {
    for (const file of FILES) {
      const source = sourceOf(file);
      // Comments before a value are passed over later, where it is read.
      const bare = (list: unknown[]): unknown[] =>
        list.map((entry) => (Array.isArray(entry) ? entry.slice(0, 2) : entry));
      expect([file, bare(declared(source))]).toEqual([file, bare(parsed(file, source))]);
    }
  }, 120_000);

  test.each([
    'const a = 1, b = [2, 3], c = (4, 5);\nexport const e = { f: 1, g: [1, 2] }, h = (x, y) => x, i = 1;',
    'const a = 1\nb, c\nconst d = 1\n, e = 2',
    'const a = /[/"]/g.test("x") ? 1 / 2 / 3 : "/*";\nexport const b = 1;',
    'if (x) /"/.test(y);\nconst a = (1 + 2) / 3; const b = "/";',
    'x++ / 2; const a = "/"; y-- / 2; const b = "/";',
    'function f() { const inner = 1; return /"/ }\n/"/.test(x);\nconst a = 1;',
    'const f = (x) => { const inner = 1; }\nconst g = { h() { const inner = 2; } };',
    'const a = `one ${`two ${{ b: "}" }.b} ${1}`} }`, c = 1;',
    'class A { static x = 1; #y = 2; get const() { return this.#y / 2; } }\nconst a = "/";',
    'label: for (const x of y) { let z; }\nlet a; var b = 1;',
    'const { a, b = 1 } = c, d = 2; const [e] = f, g = 3;',
    'x.const = 1; export default class { y = 1 }\nexport const a = 1',
    '#!/usr/bin/env node "\nconst a = 1; // "\n/* const b = 2; */ const c = 3;',
    'const a = "\\"", b = \'\\\\\', c = "\\\n", d = 1;',
    'const $ä = 1, 变量 = 2, _ = 3;',
    'export { a } from "./b.js"; export * from "c"; import d, { e } from "f"; const g = 1;',
    'const a = async () => {}, b = await 1; const c = typeof /"/;',
    '"use strict"; const a = 1; ;;; var b; do x(); while (1) /"/.test(c); const d = 1;',
  ])('is what a whole parser finds in %j', (source) => {
    expect(declared(source)).toEqual(parsed('a.js', source));
  });

  test.each([
    'const a: string = "x", b: { c: number; d?: [1, 2] } = { c: 1 }, e: (f: number) => void = () => {};',
    'export const a: Record<string, A<B>> | undefined = f<string>(1), b = 2;',
    'const a: A |\n B = 1, b: A\n | B = 2; let c!: string; let d: "a=b" = "a=b";',
    'const a = <T,>(x: T): x is T => { const inner = 1; return true; }; const b = x! / 2, c = "/";',
    'type A = { b: string };\ninterface C { d: () => void }\ndeclare const e: number;\nconst f = 1 as const, g = {} satisfies A, h = 1;',
    'const a = 1 as unknown as Map<string, [number, A]>, b = 2 as A\nconst c = 1',
    'abstract class A<T> extends B<T> { private readonly x: T = 1; y?(): void }\nexport const z = 1;',
    'function f(this: A, b?: string): asserts b is string {}\nexport const z = 1;',
    'let a: <T, U = 1>(x: T) => U, b: A<B, C>, c = 1;\nlet d: A<B, C>; let e = 1',
    'let a: typeof import("x"), b: keyof A[string] = 1, c: new () => A = 2',
  ])('is what a whole parser finds in the TypeScript %j', (source) => {
    expect(declared(source)).toEqual(parsed('a.ts', source));
  });

  test('has the imports that a whole parser finds, in every module of this repository', () => {
    for (const file of FILES) {
      const source = sourceOf(file);
      expect([file, imported(source)]).toEqual([file, parsedImports(file, source)]);
    }
  }, 120_000);

  test.each<[string, readonly string[]]>([
    [
      'import "a"; import b from \'b\'; import { c as d } from "./c.js"; import * as e from "../e.js";',
      ['a', 'b', './c.js', '../e.js'],
    ],
    ['export { a } from "a"\nexport * from "b"; export * as c from "c" with { type: "json" };', ['a', 'b', 'c']],
    ['import /* " */ { a, // x\n "b c" as b } /* from "z" */ from // y\n "a";', ['a']],
    ['if (x) { const { y } = await import( "./y.js" ); }', ['./y.js dynamic']],
    [
      "import('./a/' + n); import(`./b`); import('./c.js', { with: {} }); import('./d.js' /* d */);",
      ['./c.js dynamic', './d.js dynamic'],
    ],
    ["import type{A} from './a.ts'; export type {B} from './b.ts'; import type C, { D } from './c.ts';", []],
    [
      "import typed from './a.ts'; import type from './b.ts'; import type, { E } from './c.ts';",
      ['./a.ts', './b.ts', './c.ts'],
    ],
    ['const a = import.meta.url, b = { from: "x", import: "y" }; b.from; import(a); import(`b`);', []],
    ['// import "a"\nconst a = "import \'b\'"; `from "c"`; /from "d"/;', []],
    [
      'import type A from "a"; import type { B } from "b"; export type { C } from "c"; import type * as d from "d";',
      [],
    ],
    ['import type, { a } from "a"; import type from "b"; import { type C } from "c";', ['a', 'b', 'c']],
    ['export type A = 1; export { b } from "b"', ['b']],
  ])('has the imports of %j', (source, imports) => {
    expect(imported(source)).toEqual(imports);
  });

  test.each([
    ['export { a, b as c, };', { a: 'a', c: 'b' }],
    ['export { // one\n a /* two */ as b\n, }', { b: 'a' }],
    ['export { a as default }; export { b }; function c() { }', { default: 'a', b: 'b' }],
    ['export { a } from "x"; export { b as c } from "y"', {}],
    ['export {}; export * as a from "b";', {}],
    ['export { a as "b c" }; const d = {}', {}],
  ])('has the exports of %j', (source, exports) => {
    expect(Object.fromEntries(outlineJs(source).exports)).toEqual(exports);
  });
});
