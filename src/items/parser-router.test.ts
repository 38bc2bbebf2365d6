import { describe, expect, test } from 'vitest';
import type { Extractors, FieldSpec } from '../config/extractors.ts';
import { everywhere, parseText, shippedExtractors, shippedRouter } from './fixtures/parse-text.ts';
import { validateFields } from './item-fields.ts';
import { createParserRouter } from './parser-router.ts';

const directive = (xml: string): string => `\`\`\`xml\n${xml}\n\`\`\`\nBody\n`;
const field = (id: string, more: Partial<FieldSpec>): FieldSpec => ({
  id,
  path: id,
  type: 'string',
  required: false,
  ...more,
});
const withField = (spec: FieldSpec): Extractors => {
  const add = (kind: keyof Extractors) => ({
    ...shippedExtractors[kind],
    fields: [...shippedExtractors[kind].fields, spec],
  });
  return { directive: add('directive'), tool: add('tool'), knowledge: add('knowledge') };
};

describe('a parsed item', () => {
  test('of a directive', () => {
    const source = directive(
      '<directive name="n" version="1"><metadata><title>T</title><description>D</description><tags>a, b</tags><author>me</author></metadata></directive>',
    );
    const { value, data, ...parsed } = parseText('directive', source, { id: 'a/b', file: '/x/b.md', space: 'user' });
    expect(parsed).toEqual({
      kind: 'directive',
      id: 'a/b',
      name: 'n',
      title: 'T',
      description: 'D',
      category: 'a',
      tags: ['a', 'b'],
      version: '1',
      space: 'user',
      file: '/x/b.md',
      extension: '.md',
      fields: { name: 'n', title: 'T', version: '1', description: 'D', tags: ['a', 'b'], author: 'me' },
      text: 'Body',
      warnings: [],
      declared: true,
    });
    expect([value.name, data['author']]).toEqual(['n', 'me']);
  });

  test('of a tool', () => {
    const source =
      '__tool_type__ = "python"\n__tool_description__ = "D"\n__tags__ = ["a", 2, None]\n__author__ = "me"\n';
    const parsed = parseText('tool', source, { id: 'a/b', extension: '.py' });
    expect(parsed).toMatchObject({
      kind: 'tool',
      name: 'b',
      title: 'b',
      description: 'D',
      tags: ['a', '2'],
      text: source,
      fields: { tool_type: 'python', author: 'me' },
      declared: true,
    });
  });

  test('of knowledge', () => {
    const source = '---\nname: N\ntags: [a, a, b]\ncategory: c/d\nversion: "1.10"\n---\nText\n';
    expect(parseText('knowledge', source, { id: 'k' })).toMatchObject({
      kind: 'knowledge',
      name: 'N',
      title: 'N',
      category: 'c/d',
      version: '1.10',
      tags: ['a', 'b'],
      text: 'Text',
      warnings: [],
    });
  });

  test('has the remarks on its file and on its fields', () => {
    const item = {
      ...({ kind: 'knowledge', id: 'k', extension: '.md', space: 'project', sha256: '' } as const),
      stamp: { file: 'k.md', size: 1, mtimeMs: 0, ctimeMs: 0, inode: 0 },
      text: '---\nversion: 1.10\nmood: good\n---\n',
      raw: '',
      warnings: ['found'],
    };
    expect(shippedRouter.parse(item).warnings).toEqual([
      'found',
      '"mood" in the front matter is not known and is ignored',
      'the field "version": it is 1.1; text (in quotes where it could be a number) is expected',
    ]);
  });

  test('of a directive carries them into the directive', () => {
    const parsed = parseText(
      'directive',
      directive('<directive name="n" version="1"><metadata><mood>x</mood></metadata></directive>'),
      {
        id: 'd',
      },
    );
    expect(parsed.value.warnings).toEqual(parsed.warnings);
    expect(parsed.warnings).toEqual([expect.stringContaining('<mood>')]);
  });

  test('shows nothing of a file that a terminal would obey', () => {
    const source = '---\n"\\e[31mred": 1\n"\\u009bm": 1\ntitle: ["\\e"]\n---\n';
    const { warnings } = parseText('knowledge', source, { id: 'k' });
    expect(warnings).toHaveLength(3);
    expect(warnings.join('')).toMatch(/^[\x20-\x7e]*$/);
  });

  test('has no file of another type', () => {
    expect(() => parseText('knowledge', '', { id: 'k', extension: '.txt' })).toThrow(
      /".txt" are no knowledge of the project space; .md are/,
    );
  });
});

describe('a field that a project adds', () => {
  const read = (spec: FieldSpec, source: string, kind: 'directive' | 'tool' | 'knowledge', extension = '.md') => {
    const { fields, warnings } = parseText(kind, source, {
      id: 'x',
      extension,
      router: createParserRouter(everywhere(withField(spec))),
    });
    return { value: fields[spec.id], warnings };
  };

  test.each([
    ['knowledge', '.md', field('audience', {}), '---\naudience: all\n---\n', 'all'],
    ['knowledge', '.md', field('city', { path: 'place.city' }), '---\nplace: {city: Rome}\n---\n', 'Rome'],
    ['knowledge', '.md', field('first', { path: 'list.0' }), '---\nlist: [a, b]\n---\n', 'a'],
    ['knowledge', '.md', field('audience', {}), '```yaml\naudience: all\n```\n', 'all'],
    ['directive', '.md', field('owner', {}), '<metadata><owner>me</owner></metadata>', 'me'],
    [
      'directive',
      '.md',
      field('n', { path: 'owner.age', type: 'integer' }),
      '<metadata><owner age="7">me</owner></metadata>',
      7,
    ],
    [
      'directive',
      '.md',
      field('o', { path: 'owners', type: 'array' }),
      '<metadata><owners><o>a</o><o>b</o></owners></metadata>',
      ['a', 'b'],
    ],
    [
      'directive',
      '.md',
      field('o', { path: 'owner', type: 'array' }),
      '<metadata><owner>a</owner><owner>b</owner></metadata>',
      ['a', 'b'],
    ],
    ['directive', '.md', field('tier', { path: 'model.tier' }), '<metadata><model tier="fast"/></metadata>', 'fast'],
    ['directive', '.md', field('t', { path: 'limits.turns', type: 'integer' }), '<limits turns="3"/>', 3],
    ['tool', '.py', field('owner', { path: '__owner__' }), '__tool_type__ = "x"\n__owner__ = "me"\n', 'me'],
    ['tool', '.js', field('owner', { path: '__owner__' }), 'export const __owner__ = "me";', 'me'],
    ['tool', '.sh', field('age', { path: '__age__', type: 'integer' }), '# __tool_type__: x\n# __age__: 7\n', 7],
    ['tool', '.yaml', field('owner', { path: '__owner__' }), 'tool_type: x\nowner: me\n', 'me'],
    ['tool', '.json', field('m', { path: 'config.method' }), '{"tool_type": "x", "config": {"method": "GET"}}', 'GET'],
    ['tool', '.json', field('c', { path: 'config.constructor' }), '{"tool_type": "x", "config": {}}', undefined],
  ] as const)('is found in %s (%s)', (kind, extension, spec, source, value) => {
    const text = kind === 'directive' ? directive(`<directive name="n">${source}</directive>`) : source;
    expect(read(spec, text, kind, extension)).toEqual({ value, warnings: [] });
  });

  test('as an attribute of <directive> is no surprise', () => {
    const spec = field('owner', {});
    const source = directive('<directive name="n" owner="me"/>');
    expect(read(spec, source, 'directive')).toEqual({ value: 'me', warnings: [] });
    expect(parseText('directive', source, { id: 'x' }).warnings).toEqual([expect.stringContaining('"owner"')]);
  });

  test.each([
    [field('a', { default: 'x' }), 'b: 1', 'x', 0],
    [field('a', { default: 'x' }), 'a: null', 'x', 0],
    [field('a', { type: 'integer', default: 1 }), 'a: 2', 2, 0],
    [field('a', { type: 'integer', default: 1 }), 'a: "2"', 2, 1],
    [field('a', { type: 'integer', default: 1 }), 'a: two', 1, 1],
    [field('a', { type: 'boolean' }), 'a: yes', true, 1],
    [field('a', { type: 'object' }), 'a: []', undefined, 1],
    [field('a', { type: 'array' }), 'a: "b, c"', ['b', 'c'], 1],
    [field('a', { enum: ['b', 'c'] }), 'a: b', 'b', 0],
    [field('a', { enum: ['b', 'c'] }), 'a: d', 'd', 1],
  ])('%j in %j is %j, with %d remarks', (spec, yaml, value, remarks) => {
    const read1 = read(spec, `---\n${yaml}\n---\n`, 'knowledge');
    const own = read1.warnings.filter((warning) => warning.includes('the field "a"'));
    expect([read1.value, own.length]).toEqual([value, remarks]);
  });
});

describe('a field or file type of one space', () => {
  const spaces = { ...everywhere(shippedExtractors), project: withField(field('port', { type: 'integer' })) };
  const router = createParserRouter(spaces);
  const EXAMPLE = '```yaml\nport: 80\n```\ntext';

  test.each([
    ['project', 'text', { port: 80 }],
    ['user', EXAMPLE, {}],
    ['system', EXAMPLE, {}],
  ] as const)('decides in the %s space what is front matter and what an example', (space, text, fields) => {
    expect(parseText('knowledge', EXAMPLE, { id: 'k', space, router })).toMatchObject({ text, fields });
  });

  test('is unknown in the others, and no default of it stands there', () => {
    const mood = withField(field('mood', { default: 'good' }));
    const read = (space: 'project' | 'user', text: string) =>
      parseText('knowledge', text, { id: 'k', space, router: createParserRouter({ ...spaces, project: mood }) });
    expect(read('project', 'text').fields).toEqual({ mood: 'good' });
    expect(read('user', 'text').fields).toEqual({});
    expect(read('user', '---\nmood: bad\n---\n').warnings).toEqual([expect.stringContaining('"mood"')]);
  });

  test('makes items of files there alone', () => {
    const files = [...shippedExtractors.tool.files, { id: '.awk', parser: 'static_bash', comment: '#' } as const];
    const tool = { ...shippedExtractors.tool, files };
    const awk = createParserRouter({ ...spaces, project: { ...shippedExtractors, tool } });
    expect(awk.extensionsOf('tool', 'project')).toContain('.awk');
    expect(awk.extensionsOf('tool', 'user')).not.toContain('.awk');
    const read = (space: 'project' | 'user') =>
      parseText('tool', '', { id: 't', extension: '.awk', space, router: awk });
    expect(read('project').extension).toBe('.awk');
    expect(() => read('user')).toThrow(/".awk" are no tool of the user space/);
  });
});

describe('what is checked before signing', () => {
  const problemsOf = (spec: FieldSpec, yaml: string) => {
    const extractors = withField(spec);
    const parsed = parseText('knowledge', `---\ntitle: T\n${yaml}\n---\n`, {
      id: 'x',
      router: createParserRouter(everywhere(extractors)),
    });
    return validateFields(parsed, extractors.knowledge).map(({ field: id, problem }) => `${id}: ${problem}`);
  };

  test.each([
    [field('a', { required: true }), 'a: b', []],
    [field('a', { required: true, default: 'b' }), 'c: 1', []],
    [field('a', { required: true }), 'c: 1', ['a: it is required, and "a" is not there']],
    [field('a', { required: true }), 'a: ""', ['a: it is required, and "a" is not there']],
    [field('a', { type: 'number' }), 'a: "1"', ['a: it is the text "1"; a number is expected']],
    [field('a', { type: 'integer', enum: [1, 2] }), 'a: 3', ['a: it is 3; allowed: 1, 2']],
    [
      field('a', { type: 'string' }),
      'a: [b]',
      ['a: it is a list; text (in quotes where it could be a number) is expected'],
    ],
  ])('%j in %j has %j', (spec, yaml, problems) => {
    expect(problemsOf(spec, yaml)).toEqual(problems);
  });

  test.each([
    ['directive', '.md', directive('<directive name="n" version="1"/>'), ['description']],
    ['directive', '.md', directive('<directive/>'), ['name', 'version', 'description']],
    [
      'directive',
      '.md',
      directive('<directive name="n" version="1" description="d"><limits turns="1"/></directive>'),
      [],
    ],
    ['tool', '.py', '__tool_type__ = "x"\n__version__ = get()\n', ['version', 'description']],
    [
      'tool',
      '.sh',
      '# __tool_type__: x\n# __version__: 1.0\n# __tool_description__: d\n# __timeout_seconds__: 5\n',
      [],
    ],
    ['tool', '.py', 'def helper(): pass\n', []],
    ['knowledge', '.md', 'text', ['title']],
  ] as const)('a %s (%s) of %j lacks %j', (kind, extension, source, lacking) => {
    const problems = validateFields(parseText(kind, source, { id: 'x', extension }), shippedExtractors[kind]);
    expect(problems.map(({ field: id }) => id)).toEqual(lacking);
  });
});
