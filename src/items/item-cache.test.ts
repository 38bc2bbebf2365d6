import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { shippedRouter } from './fixtures/parse-text.ts';
import { TRUSTING } from './fixtures/trusting.ts';
import { createItemCache, type ItemCache, type ItemCacheOptions } from './item-cache.ts';
import { createSpaces, type FoundItem, type Spaces } from './spaces.ts';

let root: string;
let time: number;
let warnings: string[];
let cache: ItemCache;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-cache-'));
  time = 0;
  warnings = [];
  cache = makeCache();
});
afterEach(() => rmSync(root, { recursive: true }));

const makeCache = (options: Partial<ItemCacheOptions> = {}, stamped = (spaces: Spaces) => spaces): ItemCache => {
  const paths = { projectPath: join(root, 'p'), userSpace: join(root, 'u'), systemSpace: join(root, 's') };
  return createItemCache(stamped(createSpaces(paths, shippedRouter)), {
    router: shippedRouter,
    now: () => time,
    ...TRUSTING,
    onWarning: ({ message }) => warnings.push(message),
    ...options,
  });
};

/** As on a file system whose clock stands still. */
const inOneStep = (spaces: Spaces): Spaces => {
  const stamped = <Found extends FoundItem>(found: Found): Found => ({
    ...found,
    stamp: { ...found.stamp, mtimeMs: 0, ctimeMs: 0 },
  });
  return {
    ...spaces,
    find: (...asked) => {
      const found = spaces.find(...asked);
      return found && stamped(found);
    },
    read: (...asked) => stamped(spaces.read(...asked)),
  };
};

const put = (path: string, content: string): void => {
  writeBelow(root, path, content);
};
const directive = (name: string): string => `\`\`\`xml\n<directive name="${name}"/>\n\`\`\`\n`;

describe('the item cache', () => {
  test('gives the same object while the file is the same', () => {
    put('s/directives/d.md', directive('one'));
    const first = cache.directive('d');
    time = 5000;
    expect(cache.directive('d')).toBe(first);
  });

  test('looks at the file again after a second, not before', () => {
    put('s/directives/d.md', directive('one'));
    expect(cache.directive('d').name).toBe('one');
    put('s/directives/d.md', directive('three'));
    time = 999;
    expect(cache.directive('d').name).toBe('one');
    time = 1000;
    expect(cache.directive('d').name).toBe('three');
  });

  test('looks into a file again that had changed less than two seconds before, whatever its stamp, and then no more', () => {
    cache = makeCache({}, inOneStep);
    put('s/directives/d.md', directive('one'));
    time = 1999;
    expect(cache.directive('d').name).toBe('one');
    put('s/directives/d.md', directive('two'));
    time = 2999;
    const second = cache.directive('d');
    expect(second.name).toBe('two');
    put('s/directives/d.md', directive('six'));
    time = 3999;
    expect(cache.directive('d')).toBe(second);
  });

  test('gives the same object of a file that it has looked into again', () => {
    cache = makeCache({}, inOneStep);
    put('s/directives/d.md', '```xml\n<directive/>\n```\n');
    const first = cache.directive('d');
    time = 1000;
    expect(cache.directive('d')).toBe(first);
    expect(warnings).toHaveLength(1);
  });

  test('holds no more items than it may: the oldest goes first', () => {
    const ids = ['a', 'b', 'c'];
    cache = makeCache({ maxItems: 2 });
    for (const id of ids) {
      put(`s/knowledge/${id}.md`, 'one');
      cache.knowledge(id);
      put(`s/knowledge/${id}.md`, 'two');
    }
    expect(ids.toReversed().map((id) => cache.knowledge(id).content)).toEqual(['one', 'one', 'two']);
  });

  test('notices a file that newly stands in an earlier space, and one that is gone', () => {
    put('s/knowledge/k.md', 'system');
    expect(cache.knowledge('k').content).toBe('system');
    put('p/.ai/knowledge/k.md', 'project');
    time = 2000;
    expect(cache.knowledge('k')).toMatchObject({ content: 'project', space: 'project' });
    expect(cache.knowledge('k', 'system').content).toBe('system');
    rmSync(join(root, 'p'), { recursive: true });
    rmSync(join(root, 's'), { recursive: true });
    time = 4000;
    expect(() => cache.knowledge('k')).toThrow(expect.objectContaining({ code: 'item_not_found' }));
  });

  test('looks at once at the file of an item it is to forget, in all spaces, and at the list it is in', () => {
    put('s/tools/t.yaml', 'tool_type: x\ndescription: one\n');
    const seen = (): unknown[] => [
      ...[cache.tool('t'), cache.tool('t', 'system')].map(({ description }) => description),
      cache.listTools().map(({ space, description }) => `${space}: ${description}`),
    ];
    expect(seen()).toEqual(['one', 'one', ['system: one']]);
    put('s/tools/t.yaml', 'tool_type: x\ndescription: two\n');
    put('p/.ai/tools/t.yaml', 'tool_type: x\ndescription: three\n');
    cache.forget('knowledge', 't');
    expect(seen()).toEqual(['one', 'one', ['system: one']]);
    cache.forget('tool', 't');
    expect(seen()).toEqual(['three', 'two', ['project: three']]);
  });

  test('asks about an item again at once when other keys are trusted', () => {
    let keys = 1;
    let asked = 0;
    const verify = (): { state: 'unsigned' } => {
      asked += 1;
      return { state: 'unsigned' };
    };
    cache = makeCache({ verify, keysRevision: () => keys });
    put('p/.ai/tools/t.yaml', 'tool_type: x\n');
    for (const round of [1, 2, 3]) {
      keys = round;
      cache.listTools();
      cache.tool('t');
    }
    expect(asked).toBe(3);
  });

  test('a clock that went backwards does not keep an old item', () => {
    time = 10_000;
    put('s/directives/d.md', directive('one'));
    cache.directive('d');
    put('s/directives/d.md', directive('three'));
    time = 9_900;
    expect(cache.directive('d').name).toBe('three');
  });

  test.each([
    ['lib.sh', '# __version__: 1.0.0\necho "$0"\n'],
    ['lib.js', "export const __version__ = '1';\nexport const execute = () => 'ran';\n"],
    ['lib.yaml', 'description: notes\n'],
  ])('gives %s as no tool, since it states no contract', (name, text) => {
    put(`p/.ai/tools/${name}`, text);
    const message = `${name} says nothing that makes it a tool`;
    const refused = { code: 'invalid_item', message, where: { file: join(root, 'p/.ai/tools', name) } };
    expect(() => cache.tool('lib')).toThrow(expect.objectContaining(refused));
    expect(cache.parsed('tool', 'lib').declared).toBe(false);
  });

  test('a broken file is refused until it is mended', () => {
    put('s/directives/d.md', 'nothing');
    expect(() => cache.directive('d')).toThrow(expect.objectContaining({ code: 'invalid_item' }));
    put('s/directives/d.md', directive('one'));
    time = 1000;
    expect(cache.directive('d').name).toBe('one');
  });

  test("kinds with one id do not get in each other's way", () => {
    put('s/directives/x.md', directive('one'));
    put('s/knowledge/x.md', 'text');
    put('s/tools/x.sh', '# __tool_description__: runs\n');
    expect([cache.directive('x').name, cache.knowledge('x').content, cache.tool('x').description]).toEqual([
      'one',
      'text',
      'runs',
    ]);
  });

  test('lists declared tools of all spaces, and says why broken ones are left out', () => {
    put('s/tools/rye/fs/read.py', '__tool_description__ = "reads"\n');
    put('s/tools/rye/fs/helper.py', 'x = 1\n');
    put('p/.ai/tools/mine.js', 'export const CONFIG_SCHEMA = {};\n');
    put('p/.ai/tools/broken.js', 'export const CONFIG_SCHEMA = f();\n');
    expect(cache.listTools().map(({ id }) => id)).toEqual(['mine', 'rye/fs/read']);
    const broken = {
      id: 'broken',
      failure: { code: 'invalid_item', where: { file: join(root, 'p/.ai/tools/broken.js') } },
    };
    expect(cache.leftOutTools()).toMatchObject([broken]);
    rmSync(join(root, 'p/.ai/tools/broken.js'));
    expect(cache.leftOutTools()).toMatchObject([broken]);
    time = 3000;
    expect(cache.leftOutTools()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('leaves a tool with a wrong signature out of the list and says so', () => {
    put('s/tools/signed.js', 'export const CONFIG_SCHEMA = {};\n');
    cache = makeCache({ verify: () => ({ state: 'wrong', reason: 'it was changed', line: 1 }) });
    expect(cache.listTools()).toEqual([]);
    const failure = { code: 'signature_wrong', message: expect.stringContaining('it was changed') };
    expect(cache.leftOutTools()).toMatchObject([{ id: 'signed', failure }]);
  });

  test('gives an item with its fields', () => {
    put('s/knowledge/k.md', '---\ntitle: K\ntags: [one]\n---\ntext');
    const parsed = cache.parsed('knowledge', 'k');
    expect(parsed).toMatchObject({
      kind: 'knowledge',
      title: 'K',
      tags: ['one'],
      fields: { title: 'K' },
      text: 'text',
    });
    expect(parsed.value).toBe(cache.knowledge('k'));
    expect(cache.parsed('knowledge', 'k')).toBe(parsed);
  });

  test('lists no runtimes and primitives: they run tools and are none', () => {
    put('s/tools/r.yaml', 'tool_type: runtime\n');
    put('s/tools/p.json', '{"tool_type": "primitive"}');
    put('s/tools/t.yaml', 'tool_type: http\nexecutor_id: p\n');
    expect(cache.listTools().map(({ id }) => id)).toEqual(['t']);
    expect(cache.tool('r').toolType).toBe('runtime');
  });

  test('passes on what was ignored in an item', () => {
    put('s/directives/d.md', '```xml\n<directive/>\n```\n');
    put('s/tools/t.py', '__tool_type__ = "python"');
    put('s/tools/t.sh', '');
    cache.directive('d');
    cache.tool('t');
    expect(warnings).toEqual([expect.stringContaining('no name'), expect.stringContaining('t.sh')]);
  });
});

describe('the trust of an item', () => {
  const KEYED = { key: '0123456789abcdef', signedAt: '2026-01-01T00:00:00Z' };
  const STATES = {
    unsigned: { state: 'unsigned' },
    unknown: { state: 'unknown_key', ...KEYED },
    trusted: { state: 'trusted', ...KEYED },
    wrong: { state: 'wrong', reason: 'it was changed', line: 7 },
  } as const;
  const load = (state: keyof typeof STATES, options: Partial<ItemCacheOptions>): unknown => {
    put('s/tools/t.sh', '# __tool_type__: x\n');
    return makeCache({ verify: () => STATES[state], ...options }).tool('t');
  };

  test.each([
    ['unsigned', 'strict', 'item_unsigned', /is not signed, and trust.system is strict/],
    ['unknown', 'strict', 'item_unsigned', /key 0123456789abcdef, which is not trusted/],
    ['wrong', 'strict', 'signature_wrong', /it was changed/],
    ['wrong', 'warn', 'signature_wrong', /it was changed/],
    ['wrong', 'off', 'signature_wrong', /it was changed/],
  ] as const)('%s under %s is refused as %s', (state, rule, code, message) => {
    const policy = { project: 'off', user: 'off', system: rule } as const;
    const refused = { code, message: expect.stringMatching(message), where: expect.objectContaining({ file: file() }) };
    expect(() => load(state, { policy })).toThrow(expect.objectContaining(refused));
    expect(warnings).toEqual([]);
  });

  test.each([
    ['unsigned', 'warn', [/system space is not signed/]],
    ['unknown', 'warn', [/key 0123456789abcdef/]],
    ['trusted', 'warn', []],
    ['trusted', 'strict', []],
    ['unsigned', 'off', []],
    ['unknown', 'off', []],
  ] as const)('%s under %s is used, with the remarks %j for who asks', (state, rule, said) => {
    put('s/tools/t.sh', '# __tool_type__: x\n');
    const policy = { project: 'strict', user: 'strict', system: rule } as const;
    const trusting = makeCache({ verify: () => STATES[state], policy });
    expect(trusting.remarks('tool', 't')).toEqual(said.map((part) => expect.stringMatching(part)));
    expect(warnings).toEqual([]);
  });

  test('of listed tools is told once for each space, however many there are and however often they are listed', () => {
    for (const name of ['a', 'b', 'c']) put(`p/.ai/tools/${name}.sh`, '# __tool_type__: x\n');
    put('p/.ai/tools/helper.py', 'x = 1\n');
    put('u/tools/d.yaml', 'tool_type: runtime\n');
    put('s/tools/e.sh', '# __tool_type__: x\n');
    const trusting = makeCache({
      verify: ({ id }) => (id === 'c' ? STATES.trusted : id === 'b' ? STATES.unknown : STATES.unsigned),
      policy: { project: 'warn', user: 'warn', system: 'off' },
    });
    for (time = 0; time < 9000; time += 3000) {
      put('p/.ai/tools/a.sh', `# __tool_type__: x\n${'#'.repeat(time)}`);
      expect(trusting.listTools()).toHaveLength(4);
    }
    expect(warnings).toEqual([
      expect.stringMatching(/^2 of 3 tools of the project space are not signed/),
      expect.stringMatching(/^1 of 1 tools of the user space/),
    ]);
  });

  test('is asked for in project and user space, and demanded in the system space, if nothing else is said', () => {
    put('p/.ai/tools/p.sh', '# __tool_type__: x\n');
    expect(() => load('unsigned', {})).toThrow(expect.objectContaining({ code: 'item_unsigned' }));
    expect(makeCache({ verify: () => STATES.unsigned }).remarks('tool', 'p')).toEqual([
      expect.stringContaining('project space is not signed'),
    ]);
  });

  test('a wrong signature is found before the file is parsed', () => {
    put('s/directives/d.md', 'nothing');
    const wrong = makeCache({ verify: () => STATES.wrong });
    expect(() => wrong.directive('d')).toThrow(expect.objectContaining({ code: 'signature_wrong' }));
  });

  test('is checked once for a file, with its raw text', () => {
    put('s/knowledge/k.md', '\uFEFFtext');
    const seen: string[] = [];
    const checking = makeCache({ verify: ({ raw }) => (seen.push(raw), STATES.trusted) });
    for (time = 0; time < 5000; time += 500) checking.knowledge('k');
    expect(seen).toEqual(['\uFEFFtext']);
  });

  const file = (): string => expect.stringContaining('t.sh');
});
