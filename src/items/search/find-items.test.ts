import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { costOfAsync } from '../../../test/fixtures/cost-of.ts';
import { createItemFiles, type ItemFiles } from './fixtures/item-files.ts';
import { createItemIndex, type ItemIndex } from './item-index.ts';
import type { SearchQuery } from './search-query.ts';

let files: ItemFiles;
let index: ItemIndex;

beforeEach(() => {
  files = createItemFiles();
  index = createItemIndex({ file: ':memory:', ...files.source, now: () => 0 });
});
afterEach(() => {
  index.close();
  files.remove();
});

const find = async (query: string | SearchQuery): Promise<string[]> => {
  const { hits } = await index.search(typeof query === 'string' ? { text: query } : query);
  return hits.map(({ kind, space, id }) => `${kind}/${space}/${id}`);
};

describe('a hit', () => {
  test('shows the item and where its body says what was searched for', async () => {
    const body = `${'before '.repeat(30)}the  needle\n\nlies here ${'after '.repeat(30)}`;
    files.put(
      'knowledge/user/a/b',
      `name: B\ntitle: The B\ndescription: About b\ncategory: x/y\ntags: one two\n\n${body}`,
    );
    const { hits, total } = await index.search({ text: 'needle' });
    expect(total).toBe(1);
    expect(hits).toEqual([
      {
        kind: 'knowledge',
        id: 'a/b',
        space: 'user',
        name: 'B',
        title: 'The B',
        description: 'About b',
        category: 'x/y',
        tags: ['one', 'two'],
        score: expect.any(Number),
        snippet: expect.stringMatching(/^…before .*the needle lies here after.*…$/),
      },
    ]);
    expect(hits[0]?.score).toBeGreaterThan(0);
  });

  test('shows of a long description, title or list of tags the beginning, and finds the rest all the same', async () => {
    const long = 'word '.repeat(100_000);
    const tags = Array.from({ length: 40 }, (_, n) => `tag${n}`).join(' ');
    files.put(
      'knowledge/project/k',
      `title: ${long}\ncategory: ${long}\ndescription: ${long}needle\ntags: ${tags}\n\ntext`,
    );
    const { hits } = await index.search({ text: 'word', tags: ['tag39'] });
    expect(hits[0]?.description).toBe(`${'word '.repeat(80).slice(0, 399)}…`);
    expect([hits[0]?.title.length, hits[0]?.category.length]).toEqual([200, 200]);
    expect(hits[0]?.tags).toEqual([...tags.split(' ').slice(0, 32), '…']);
    expect(await find('tag39')).toEqual(['knowledge/project/k']);
  });

  test.each([
    ['of 400 characters is shown whole', 'x'.repeat(400), 'x'.repeat(400)],
    ['of 401 characters ends in an ellipsis', 'x'.repeat(401), `${'x'.repeat(399)}…`],
    ['is not cut inside a character', `${'x'.repeat(398)}👍👍`, `${'x'.repeat(398)}…`],
    ['has no space before the ellipsis', `${'x'.repeat(390)}          xx`, `${'x'.repeat(390)}…`],
  ])('with a description that %s', async (_, description, shown) => {
    files.put('tool/project/t', `description: ${description}\n\nneedle`);
    const { hits } = await index.search({ text: 'needle' });
    expect(hits[0]?.description).toBe(shown);
  });

  test('of everything has no score and no snippet; hits are in the order of their ids', async () => {
    for (const path of ['tool/project/b', 'knowledge/project/a', 'directive/project/c']) files.put(path, '\n\ntext');
    const { hits, total } = await index.search({ text: '*', limit: 2 });
    expect(hits).toMatchObject([
      { id: 'a', score: 0, snippet: '' },
      { id: 'b', score: 0, snippet: '' },
    ]);
    expect(total).toBe(3);
  });

  test('is one of at most as many as were asked for, ten by default', async () => {
    for (let n = 0; n < 12; n++) files.put(`tool/project/${n}`, '\n\ntext');
    expect(await index.search({ text: 'text' })).toMatchObject({ hits: { length: 10 }, total: 12 });
    expect(await index.search({ text: 'text', limit: 3 })).toMatchObject({ hits: { length: 3 }, total: 12 });
    expect(await index.search({ text: 'text', limit: 12 })).toMatchObject({ hits: { length: 12 }, total: 12 });
  });

  test.each([0, -1, 1.5, 1001, Number.NaN])('limit %s is refused', async (limit) => {
    await expect(index.search({ text: '', limit })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('a body that repeats a word a hundred thousand times', () => {
  test.each([
    ['one word', 'a'],
    ['the word again and again', 'a '.repeat(60)],
    ['the beginnings of words', 'a* OR b* OR c*'],
    ['a phrase', `"${'a '.repeat(60)}"`],
    ['phrases', '"a a" OR "a a a" OR "a a a a" OR "a a a a a" OR "a a a a a a" OR "a a a a a a a"'],
  ])('does not hold up a search for %s', async (_, text) => {
    files.put('knowledge/project/k', `title: K\n\n${'a '.repeat(500_000)}`);
    files.put('tool/project/t', `name: t\ndescription: ${'a '.repeat(500_000)}\n\nsome text`);
    await index.refresh();
    expect((await index.search({ text })).total).toBeGreaterThan(0);
    expect(await costOfAsync(() => index.search({ text }), 400)).toBeLessThan(400);
  });
});

describe('words', () => {
  beforeEach(() => {
    files.put('tool/system/rye/file-system/read', 'name: read\n\nReads a FILE.');
    files.put('tool/system/rye/file-system/write', 'name: write\n\nWrites a file.');
    files.put('knowledge/project/essen', 'title: Über Crème brûlée\n\nStraße und Käse, привет МИР, 東京');
  });

  test.each([
    ['read', ['tool/system/rye/file-system/read']],
    ['file-system -write', ['tool/system/rye/file-system/read']],
    ['rye/file-system/read', ['tool/system/rye/file-system/read']],
    ['file_system/read', ['tool/system/rye/file-system/read']],
    ['system/file', []],
    ['rye/file-system/*', ['tool/system/rye/file-system/read', 'tool/system/rye/file-system/write']],
    ['"reads a file"', ['tool/system/rye/file-system/read']],
    ['"file a reads"', []],
    ['"reads a fi"*', ['tool/system/rye/file-system/read']],
    ['READ', ['tool/system/rye/file-system/read']],
    ['uber creme', ['knowledge/project/essen']],
    ['ÜBER BRÛLÉE', ['knowledge/project/essen']],
    ['ПРИВЕТ мир', ['knowledge/project/essen']],
    ['kase', ['knowledge/project/essen']],
    ['東*', ['knowledge/project/essen']],
    ['c0', []],
  ])('%j find %j', async (text, expected) => {
    expect((await find(text)).toSorted()).toEqual(expected);
  });
});

describe('ranking', () => {
  test('goes by the weights of the fields', async () => {
    files.put('tool/project/in-text', 'name: x\ndescription: some words\n\nneedle');
    files.put('tool/project/in-description', 'name: x\ndescription: some needle\n\nwords');
    files.put('tool/project/in-name', 'name: needle\ndescription: some words\n\nwords');
    files.put('tool/project/needle', 'name: x\ndescription: some words\n\nwords');
    expect(await find('needle')).toEqual(
      ['needle', 'in-name', 'in-description', 'in-text'].map((id) => `tool/project/${id}`),
    );
  });

  test('weighs a field by the kind of its item', async () => {
    files.put('knowledge/project/k', 'title: needle\ntags: other\n\nwords');
    files.put('directive/project/d', 'description: other\ntags: needle\n\nwords');
    expect(await find('needle')).toEqual(['knowledge/project/k', 'directive/project/d']);
    index = createItemIndex({
      ...files.source,
      file: ':memory:',
      now: () => 0,
      weights: { directive: { tags: 5 }, tool: {}, knowledge: { title: 2 } },
    });
    expect(await find('needle')).toEqual(['directive/project/d', 'knowledge/project/k']);
  });

  test('finds a field that only a project has given a weight', async () => {
    files.put('knowledge/project/k', 'audience: beginners\n\nwords');
    files.put('tool/project/t', 'audience: beginners\n\nwords');
    expect(await find('beginners')).toEqual(['knowledge/project/k']);
  });

  test('puts the item with the very id before those that mention it', async () => {
    files.put('knowledge/project/guide', `title: Using read\n\n${'Call rye/file-system/read to read. '.repeat(20)}`);
    files.put('tool/project/rye/file-system/read', 'name: read\n\nReads.');
    expect((await find('rye/file-system/read'))[0]).toBe('tool/project/rye/file-system/read');
  });
});

describe('filters', () => {
  beforeEach(() => {
    files.put('tool/project/t', 'category: rye/agent\ntags: red\n\ntext');
    files.put('tool/system/s', 'category: rye/agent/threads\ntags: red blue\n\ntext');
    files.put('knowledge/user/k', 'category: rye/agency\ntags: blue Red\n\ntext');
    files.put('directive/project/d', 'category: other\n\ntext');
  });

  test.each<[Omit<SearchQuery, 'text'>, string[]]>([
    [{}, ['directive/project/d', 'knowledge/user/k', 'tool/project/t', 'tool/system/s']],
    [{ kinds: ['tool'] }, ['tool/project/t', 'tool/system/s']],
    [{ kinds: ['tool', 'directive'] }, ['directive/project/d', 'tool/project/t', 'tool/system/s']],
    [{ kinds: [] }, ['directive/project/d', 'knowledge/user/k', 'tool/project/t', 'tool/system/s']],
    [{ source: 'project' }, ['directive/project/d', 'tool/project/t']],
    [{ source: 'system' }, ['tool/system/s']],
    [{ category: 'other' }, ['directive/project/d']],
    [{ category: 'rye/agent' }, ['tool/project/t', 'tool/system/s']],
    [{ category: 'rye/agent/' }, ['tool/project/t', 'tool/system/s']],
    [{ category: 'rye/agent/threads' }, ['tool/system/s']],
    [{ category: 'rye/age' }, []],
    [{ category: '%' }, []],
    [{ tags: ['red'] }, ['tool/project/t', 'tool/system/s']],
    [{ tags: ['red', 'blue'] }, ['tool/system/s']],
    [{ tags: ['green'] }, []],
    [{ tags: [] }, ['directive/project/d', 'knowledge/user/k', 'tool/project/t', 'tool/system/s']],
    [{ kinds: ['tool'], source: 'project', category: 'rye', tags: ['red'] }, ['tool/project/t']],
  ])('%j lets through %j', async (filter, expected) => {
    expect((await find({ text: 'text', ...filter })).toSorted()).toEqual(expected);
    expect((await find({ text: '', ...filter })).toSorted()).toEqual(expected);
  });
});

describe('what a search allows', () => {
  test.each(['text', ''])('for %j is all it finds and counts, however deep in the hits', async (text) => {
    for (let n = 0; n < 30; n++) files.put(`tool/project/open/${n}`, '\n\ntext text');
    for (const id of ['x', 'y', 'z']) files.put(`knowledge/project/mine/${id}`, '\n\nother words and some text');
    const allows: SearchQuery['allows'] = (kind, id) => kind === 'knowledge' && id.startsWith('mine/');
    expect(await index.search({ text, allows, limit: 2 })).toMatchObject({
      hits: [{ id: 'mine/x' }, { id: 'mine/y' }],
      total: 3,
    });
  });

  test('is asked once about each item that fits everything else, and about no other', async () => {
    files.put('tool/project/a', 'tags: red\n\ntext');
    files.put('tool/system/b', 'tags: red\n\ntext');
    files.put('tool/project/c', '\n\ntext');
    files.put('tool/project/d', 'tags: red\n\nother');
    files.put('tool/project/e', 'tags: red\n\nbroken text');
    files.put('knowledge/project/f', 'tags: red\n\ntext');
    const asked: string[] = [];
    const allows = (kind: string, id: string): boolean => asked.push(`${kind} ${id}`) > 0;
    const query = { kinds: ['tool'], tags: ['red'], allows, limit: 1 } as const;
    expect(await index.search({ text: 'text', ...query })).toMatchObject({ hits: [{ id: 'a' }], total: 2 });
    expect(asked.splice(0).toSorted()).toEqual(['tool a', 'tool b']);
    expect(await index.search({ text: '', ...query })).toMatchObject({ hits: [{ id: 'a' }], total: 3 });
    expect(asked.toSorted()).toEqual(['tool a', 'tool b', 'tool d']);
  });

  test('may be nothing, and what it throws is thrown', async () => {
    files.put('tool/project/a', '\n\ntext');
    expect(await index.search({ text: 'text', allows: () => false })).toMatchObject({ hits: [], total: 0 });
    const allows = (): never => {
      throw new TypeError('a bug');
    };
    await expect(index.search({ text: 'text', allows })).rejects.toThrow(new TypeError('a bug'));
    expect(await find('text')).toEqual(['tool/project/a']);
  });
});

describe('a shadowed item', () => {
  test('is found, says by what it is shadowed, and comes after what is not', async () => {
    files.put('tool/system/x', 'name: needle\n\nneedle needle');
    files.put('tool/user/x', 'name: other\n\nneedle somewhere');
    files.put('tool/project/x', 'name: other\n\nneedle and many more words that make it a worse hit');
    files.put('knowledge/user/x', 'title: alone\n\nneedle among some words');
    const { hits } = await index.search({ text: 'needle' });
    expect(hits.map(({ kind, space, shadowedBy }) => [kind, space, shadowedBy])).toEqual([
      ['knowledge', 'user', undefined],
      ['tool', 'project', undefined],
      ['tool', 'system', 'project'],
      ['tool', 'user', 'project'],
    ]);
    expect(Object.keys(hits[0] ?? {})).not.toContain('shadowedBy');
  });

  test('is found where the winner does not match', async () => {
    files.put('tool/system/x', '\n\nneedle');
    files.put('tool/project/x', '\n\nother');
    expect((await index.search({ text: 'needle' })).hits).toMatchObject([{ space: 'system', shadowedBy: 'project' }]);
  });

  test('follows the files as they come and go', async () => {
    const shadows = async (): Promise<unknown[]> => {
      await index.refresh();
      return (await index.search({ text: '' })).hits.map(({ space, shadowedBy }) => [space, shadowedBy]);
    };
    files.put('tool/system/x', '\n\ntext');
    expect(await shadows()).toEqual([['system', undefined]]);
    files.put('tool/user/x', '\n\ntext');
    expect(await shadows()).toEqual([
      ['user', undefined],
      ['system', 'user'],
    ]);
    files.put('tool/project/x', '\n\ntext');
    expect(await shadows()).toEqual([
      ['project', undefined],
      ['system', 'project'],
      ['user', 'project'],
    ]);
    files.remove('tool/user/x');
    files.remove('tool/project/x');
    expect(await shadows()).toEqual([['system', undefined]]);
  });

  test('is shadowed by one that cannot be read as well: that is the one that would be taken', async () => {
    files.put('tool/system/x', '\n\ntext');
    files.put('tool/project/x', '\n\nbroken');
    expect((await index.search({ text: 'text' })).hits).toMatchObject([{ space: 'system', shadowedBy: 'project' }]);
  });
});
