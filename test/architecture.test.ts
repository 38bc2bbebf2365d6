import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { allFiles, codeFiles, importsOf, isTestFile, sourceOf } from './fixtures/source-files.ts';

const INSIDE =
  'src/core machines src/config src/items src/prompt src/symbols src/providers src/tools src/thread src/store src/host';

/** The floor: which folder may import which (beside itself). `types:` = as types only. */
const FLOOR: Readonly<Record<string, string>> = {
  'src/core': '',
  machines: 'src/core',
  config: '',
  'src/config': 'src/core',
  'src/items': 'src/core src/config',
  'src/prompt': 'src/core types:src/items',
  'src/symbols': 'src/core',
  'src/providers': 'src/core src/config',
  'src/tools': 'src/core src/config src/items',
  'src/thread': 'src/core src/config src/items src/prompt src/symbols src/providers src/tools machines',
  'src/store': 'src/core src/config',
  'src/host': 'src/core src/config src/store machines',
  'src/index.ts': 'src/core src/host src/thread src/symbols src/inspect',
  'src/testing.ts': 'src/core src/host src/providers',
  'src/prompty.ts': 'src/core src/host src/prompt src/items',
  'src/assembly.ts': 'src/core src/host src/prompt src/symbols',
  'src/machines.ts': 'src/core src/host machines',
  'src/inspect': 'src/core src/index.ts',
  'src/cli': 'src/core src/index.ts src/inspect src/items src/config src/prompt src/tools src/providers machines',
  workers: INSIDE,
};

const FILES = codeFiles('src', 'machines', 'workers', 'config');

describe('The dependency floor', () => {
  test('knows every folder that holds code', () => {
    expect(FILES.filter((file) => unitOf(file) === undefined)).toEqual([]);
    expect(FILES.length).toBeGreaterThan(150);
  });

  test('is kept by every import', () => {
    expect(FILES.flatMap((file) => breachesOf(file))).toEqual([]);
  });

  test.each([
    ['src/core/a.ts', "import { x } from '../config/merge.ts';", ['src/core/a.ts imports src/config/merge.ts']],
    ['src/core/a.ts', "import type { x } from '../config/merge.ts';", ['src/core/a.ts imports src/config/merge.ts']],
    ['src/core/a.ts', "export * from '../config/merge.ts';", ['src/core/a.ts imports src/config/merge.ts']],
    ['src/core/a.ts', "const x = import('../config/merge.ts');", ['src/core/a.ts imports src/config/merge.ts']],
    ['src/prompt/a.ts', "import { x } from '../items/a.ts';", ['src/prompt/a.ts imports src/items/a.ts']],
    ['src/prompt/a.ts', "import type { x } from '../items/a.ts';", []],
    [
      'src/host/a.ts',
      "import { x } from '#workers/thread.worker.js';",
      ['src/host/a.ts imports workers/thread.worker.ts'],
    ],
    ['src/host/a.ts', "import { x } from 'skein';", ['src/host/a.ts imports src/index.ts']],
    ['src/thread/a.ts', "import x from 'node:fs'; import { y } from '../tools/b.ts'; import z from 'zod';", []],
    ['workers/a.ts', "import { x } from '../src/thread/a.ts';", []],
  ])('judges %s: %s', (file, source, breaches) => {
    expect(breachesOf(file, source)).toEqual(breaches);
  });

  test('lets no code import a test or a test helper', () => {
    const breaches = FILES.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target !== undefined && isTestFile(target))
        .map(({ target }) => `${file} imports ${target}`),
    );
    expect(breaches).toEqual([]);
  });

  test('has relative imports that name their file in full', () => {
    const breaches = FILES.filter((file) => /\.tsx?$/.test(file)).flatMap((file) =>
      importsOf(file)
        .filter(({ request }) => request?.startsWith('.') && !/\.(?:tsx?|json)$/.test(request))
        .map(({ request }) => `${file} imports ${request}`),
    );
    expect(breaches).toEqual([]);
  });
});

describe('Imports between files', () => {
  test('have no cycle', () => {
    const graph = new Map(
      FILES.map((file) => [
        file,
        importsOf(file).flatMap(({ target, typeOnly }) => (target !== undefined && !typeOnly ? [target] : [])),
      ]),
    );
    expect(findCycle(graph)).toBeUndefined();
  });

  test.each([
    [{ a: ['b'], b: ['c'], c: ['a'] }, ['a', 'b', 'c', 'a']],
    [{ a: ['a'] }, ['a', 'a']],
    [{ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, undefined],
  ])('are searched for cycles: %j', (graph, cycle) => {
    expect(findCycle(new Map(Object.entries<string[]>(graph)))).toEqual(cycle);
  });
});

describe('The page of the dashboard', () => {
  const page = FILES.filter((file) => file.startsWith('src/inspect/ui/'));

  test('runs in a browser: beside itself it imports nothing of ours but the names of its API and the drawing of charts', () => {
    const others = page
      .flatMap((file) => importsOf(file))
      .flatMap(({ target }) => (target === undefined || target.startsWith('src/inspect/ui/') ? [] : [target]));
    const outside = new Set(others);
    expect([...outside].filter((file) => file !== 'src/inspect/api.ts' && !isChart(file))).toEqual([]);
    expect(
      FILES.filter(isChart).filter((file) =>
        importsOf(file).some(({ target = '' }) => target !== '' && !isChart(target)),
      ),
    ).toEqual([]);
  });

  test('gets nothing of the server with that API, which is made of its own parts alone', () => {
    const parts = FILES.filter((file) => file.startsWith('src/inspect/api'));
    const foreign = parts.flatMap((file) => importsOf(file)).filter(({ target }) => !parts.includes(target ?? ''));
    expect(parts.length).toBeGreaterThan(1);
    expect(foreign).toEqual([]);
  });

  test('writes no HTML of its own: what models say is text', () => {
    const writes = /innerHTML|outerHTML|insertAdjacentHTML|document\.write/i;
    expect(page.filter((file) => writes.test(sourceOf(file)))).toEqual([]);
  });
});

describe('A link in a docstring', () => {
  test.each(codeFiles('src', 'machines', 'workers').filter((file) => sourceOf(file).includes('{@link ')))(
    'of %s leads to something that is imported or declared there',
    (file) => {
      expect(deadLinks(file, sourceOf(file))).toEqual([]);
    },
  );

  test.each([
    ["import { one as two } from './a.ts'; /** {@link one} {@link two} */ export const {x} = two;", ['one']],
    ['/** {@link a} {@link b.c} {@link d} {@link e} */ function a() {} export type b = {}; class d { e() {} }', ['e']],
    ["/** {@link a} */ export { a } from './a.ts';", ['a']],
  ])('is seen in %s', (source, dead) => {
    expect(deadLinks('sample.ts', source)).toEqual(dead);
  });
});

describe('A worker file', () => {
  test.each(codeFiles('workers'))('%s only composes: it has at most 40 lines', (file) => {
    expect(sourceOf(file).trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });
});

describe('The machines', () => {
  test.each(codeFiles('machines'))('%s are pure: no clock, no randomness, no I/O', (file) => {
    expect(impurities(file, sourceOf(file))).toEqual([]);
  });

  test.each([
    ['const t = Date.now();', ['Date']],
    ['const t = new Date();', ['Date']],
    ['const r = Math.random();', ['Math.random']],
    ["const r = Math['random']();", ['Math.random']],
    ['setTimeout(() => 1, 2);', ['setTimeout']],
    ['globalThis.setTimeout(() => 1, 2);', ['globalThis']],
    ["import { readFile } from 'node:fs';", ['node:fs']],
    ["const x = await import('./other.ts');", ['import()']],
    ['const type = { Date: 1 }.Date; const m = Math.max(1, 2);', []],
  ])('would be caught at: %s', (source, found) => {
    expect(impurities('machines/sample.ts', source)).toEqual(found);
  });
});

describe('The text of the repository', () => {
  // Written in parts, so that this file does not find itself.
  const workplace = new RegExp(['(?<![\\w.-])/w', 'ork(?![\\w-])|\\.\\./sha', 'red/'].join(''));
  const only = new RegExp(['\\b(?:test|it|describe)(?:\\.\\w+)*\\.on', 'ly\\b'].join(''));
  const folders = ['src', 'machines', 'workers', 'config', 'test', 'bench', 'examples', 'docs', 'scripts'];
  const texts = allFiles(...folders).filter((file) => /\.(?:tsx?|js|mjs|py|sh|md|ya?ml|json|html|css)$/.test(file));

  test('names no path of the machine it was written on', () => {
    expect(texts.filter((file) => workplace.test(sourceOf(file)))).toEqual([]);
  });

  test('leaves no test alone in its file', () => {
    expect(texts.filter((file) => file.endsWith('.test.ts') && only.test(sourceOf(file)))).toEqual([]);
  });

  test('has file names in kebab-case that say what is in the file', () => {
    const names = codeFiles('src', 'machines', 'workers').map((file) => file.split('/').at(-1) ?? '');
    const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:machine|chart|worker|test))?(?:\.d)?\.tsx?$/;
    expect(names.filter((name) => !kebab.test(name))).toEqual([]);
    expect(names.filter((name) => /^(?:utils?|helpers?|types|manager|misc|common)\./.test(name))).toEqual([]);
  });
});

/** Charts as graphs and pictures: for the page and for the command line. */
function isChart(file: string): boolean {
  return file.startsWith('src/inspect/chart/');
}

/** What links of docstrings name that is not in the scope of the file. */
function deadLinks(file: string, source: string): string[] {
  const { module, program } = parseSync(file, source);
  const names = new Set(module.staticImports.flatMap(({ entries }) => entries.map(({ localName }) => localName.value)));
  for (const statement of program.body) {
    const declared = 'declaration' in statement ? statement.declaration : statement;
    if (declared && 'id' in declared && declared.id && 'name' in declared.id) names.add(declared.id.name);
    if (declared?.type !== 'VariableDeclaration') continue;
    for (const { id } of declared.declarations) if (id.type === 'Identifier') names.add(id.name);
  }
  const linked = source.matchAll(/\{@link (\w+)/g).map(([, name = '']) => name);
  return [...linked].filter((name) => !names.has(name));
}

/** The row of the floor a file belongs to: the file itself for an entry, else its folder. */
function unitOf(file: string): string | undefined {
  const segments = file.split('/');
  const candidates = [file, segments.slice(0, 2).join('/'), segments[0] ?? ''];
  return candidates.find((candidate) => Object.hasOwn(FLOOR, candidate));
}

function breachesOf(file: string, source?: string): string[] {
  const unit = unitOf(file);
  const allowed = new Set((FLOOR[unit ?? ''] ?? '').split(' '));
  return importsOf(file, source).flatMap(({ target, typeOnly }) => {
    if (target === undefined) return [];
    const other = unitOf(target);
    const isAllowed =
      other !== undefined && (other === unit || allowed.has(other) || (typeOnly && allowed.has(`types:${other}`)));
    return isAllowed ? [] : [`${file} imports ${target}`];
  });
}

/** A cycle of the graph, its first file repeated at the end; undefined if there is none. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (file: string): string[] | undefined => {
    const at = trail.indexOf(file);
    if (at !== -1) return [...trail.slice(at), file];
    if (done.has(file)) return undefined;
    trail.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    trail.pop();
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return undefined;
}

const IMPURE = new Set(
  'Date setTimeout setInterval setImmediate queueMicrotask performance crypto process globalThis fetch'.split(' '),
);

/** Uses of clock, randomness, timers and modules of Node in a machine. */
function impurities(file: string, source: string): string[] {
  const { program, module } = parseSync(file, source);
  const found = module.staticImports
    .map(({ moduleRequest }) => moduleRequest.value)
    .filter((name) => name.startsWith('node:'));
  const named = new Set<object>();
  new Visitor({
    ImportExpression: () => void found.push('import()'),
    MemberExpression(node) {
      const name = 'name' in node.property ? node.property.name : 'value' in node.property ? node.property.value : '';
      if (!node.computed) named.add(node.property);
      if (node.object.type === 'Identifier' && node.object.name === 'Math' && name === 'random')
        found.push('Math.random');
    },
    Property: (node) => void (node.computed || named.add(node.key)),
    Identifier(node) {
      if (!named.has(node) && IMPURE.has(node.name)) found.push(node.name);
    },
  }).visit(program);
  return found;
}
