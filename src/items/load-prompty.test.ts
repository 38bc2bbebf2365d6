import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { loadPrompty } from './load-prompty.ts';
import { readPrompty } from './prompty-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-prompty-'));
const outside = mkdtempSync(join(tmpdir(), 'skein-outside-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(outside, { recursive: true });
});
writeFileSync(join(outside, 'secret.txt'), 'not yours');
symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
symlinkSync(outside, join(folder, 'away'));
mkdirSync(join(folder, 'parts'));
writeFileSync(join(folder, 'parts', 'a.json'), '{"a":[1,"${env:X}"]}');
writeFileSync(join(folder, 'parts', 'b.yaml'), 'b: true');
writeFileSync(join(folder, 'parts', 'c.txt'), 'plain\n');
writeFileSync(join(folder, 'bad.json'), '{');
symlinkSync('circle.prompty', join(folder, 'circle.prompty'));

const ENV = { HOST: 'host.test', EMPTY: '', KEY: 'from-env' };

function load(text: string): ReturnType<typeof loadPrompty> {
  const file = join(folder, 'sample.prompty');
  writeFileSync(file, text);
  return loadPrompty(file, { env: ENV });
}

const PLAIN = { format: { kind: 'jinja2' }, parser: { kind: 'prompty' } };

describe('A .prompty file', () => {
  test('is read with everything it says', () => {
    const agent = load(`---
name: Orders
description: answers questions
model:
  id: gpt-5
  provider: openai
  options: { temperature: 0.2 }
inputs:
  question: { kind: string, required: true, example: "Where is it?", description: What is asked }
  past: { kind: thread }
template:
  format: { kind: mustache, escape: false }
  parser: prompty
authors: [ada]
---

system:
{{question}}
`);
    expect(agent).toEqual({
      origin: { file: expect.stringMatching(/sample.prompty$/), line: 17 },
      name: 'Orders',
      description: 'answers questions',
      model: { id: 'gpt-5', provider: 'openai', options: { temperature: 0.2 } },
      inputs: [
        { name: 'question', kind: 'string', required: true, example: 'Where is it?', description: 'What is asked' },
        { name: 'past', kind: 'thread', required: false },
      ],
      template: { format: { kind: 'mustache', escape: false }, parser: { kind: 'prompty' } },
      instructions: 'system:\n{{question}}\n',
      metadata: { authors: ['ada'] },
    });
  });

  test('without front matter is all template, named after the file', () => {
    const agent = load('user:\nHi');
    expect(agent).toEqual({
      origin: { file: expect.stringMatching(/sample.prompty$/), line: 1 },
      name: 'sample',
      description: '',
      model: {},
      inputs: [],
      template: PLAIN,
      instructions: 'user:\nHi',
      metadata: {},
    });
  });

  test.each<[title: string, front: string, part: object]>([
    ['a model by its name', 'model: gpt-5', { model: { id: 'gpt-5' } }],
    ['a template by its format', 'template: mustache', { template: { ...PLAIN, format: { kind: 'mustache' } } }],
    [
      'a format by its name',
      'template: { format: mustache }',
      { template: { ...PLAIN, format: { kind: 'mustache' } } },
    ],
    [
      'a text as a default',
      'inputs: { a: Jane }',
      { inputs: [{ name: 'a', kind: 'string', required: false, default: 'Jane' }] },
    ],
    ['a whole number', 'inputs: { a: 42 }', { inputs: [{ name: 'a', kind: 'integer', required: false, default: 42 }] }],
    ['a number', 'inputs: { a: 3.14 }', { inputs: [{ name: 'a', kind: 'float', required: false, default: 3.14 }] }],
    ['a boolean', 'inputs: { a: true }', { inputs: [{ name: 'a', kind: 'boolean', required: false, default: true }] }],
    ['a list', 'inputs: { a: [1, 2] }', { inputs: [{ name: 'a', kind: 'array', required: false, default: [1, 2] }] }],
    [
      'a map',
      'inputs: { a: { b: 1 } }',
      { inputs: [{ name: 'a', kind: 'object', required: false, default: { b: 1 } }] },
    ],
    [
      'inputs as a list',
      'inputs: [{ name: a, kind: image }]',
      { inputs: [{ name: 'a', kind: 'image', required: false }] },
    ],
    [
      'what is in an object',
      'inputs: [{ name: a, kind: object, required: true, properties: [{ name: b }] }]',
      { inputs: [{ name: 'a', kind: 'object', required: true }] },
    ],
    [
      'a default that has keys of its own',
      'inputs: { a: { name: Ada, age: 36 } }',
      { inputs: [{ name: 'a', kind: 'object', required: false, default: { name: 'Ada', age: 36 } }] },
    ],
    [
      'a kind that its default shows',
      'inputs: { a: { default: 1 } }',
      { inputs: [{ name: 'a', kind: 'integer', required: false, default: 1 }] },
    ],
  ])('may say in short: %s', (_title, front, part) => {
    expect(load(`---\n${front}\n---\nx`)).toMatchObject(part);
  });

  test.each(['--- # what it is for', '--- \t#\r', '---\t'])('has front matter below %j', (opening) => {
    expect(load(`${opening}\nname: Orders\n---\nuser:\nHi`)).toMatchObject({
      name: 'Orders',
      instructions: 'user:\nHi',
    });
  });

  test.each(['-----\n{{ a }}', '--- {{ a }}', '---', '---# a\nname: x\n---\n', '--- {{ a }} # b\nname: x\n---\n'])(
    'begins with its template where %j begins no front matter',
    (text) => {
      expect(load(text)).toMatchObject({ inputs: [], instructions: text });
    },
  );

  test.each<[title: string, text: string, line: number, message: string]>([
    ['front matter that does not end', '---\nname: x\n', 1, 'no closing line'],
    ['such with a comment', '--- # note\nname: x\n', 1, 'no closing line'],
    ['front matter that is no YAML', '---\nname: x\nmodel: [\n---\nx', 4, 'not valid YAML'],
    ['front matter that is no map', '---\n- a\n---\nx', 2, 'no mapping'],
    ['a name that is no text', '---\nmodel: m\nname: [1]\n---\nx', 3, 'name: '],
    ['a kind nobody knows', '---\ninputs:\n  b: x\n  a:\n    kind: picture\n---\nx', 5, 'inputs.a.kind: one of string'],
    ['an input with an impossible name', '---\ninputs:\n  "a b": x\n---\nx', 3, 'inputs.a b'],
    [
      'a key that no input has',
      '---\ninputs:\n  - name: a\n    requried: true\n---\nx',
      4,
      'inputs.a.requried: an input has name',
    ],
    [
      'such a key in a map',
      '---\ninputs:\n  a:\n    kind: string\n    sample: x\n---\nx',
      5,
      'inputs.a.sample: an input has name',
    ],
    [
      'a key that no template has',
      '---\nname: x\ntemplate:\n  type: mustache\n---\nx',
      4,
      'template.type: a template has format, parser',
    ],
    [
      'such a key beside the others',
      '---\ntemplate:\n  format: mustache\n  parsr: prompty\n---\nx',
      4,
      'template.parsr: a template has format, parser',
    ],
    ['a template that is neither', '---\ntemplate: 5\n---\nx', 2, 'template: '],
    ['an input that is declared twice', '---\ninputs:\n  - name: a\n  - name: a\n---\nx', 3, 'twice'],
    ['a variable that is not set', '---\nname: x\ndescription: ${env:NOT_SET}\n---\nx', 3, '"NOT_SET" is not set'],
  ])('is refused with file and line for %s', (_title, text, line, message) => {
    expect(() => load(text)).toThrow(
      expect.objectContaining({
        code: 'invalid_item',
        message: expect.stringContaining(message),
        where: { file: join(folder, 'sample.prompty'), line },
      }),
    );
  });

  test.each([
    ['none.prompty', 'item_not_found', 'There is no such file'],
    ['bad.json/x.prompty', 'item_not_found', 'There is no such file'],
    [`${'x'.repeat(300)}.prompty`, 'item_not_found', 'There is no such file'],
    ['circle.prompty', 'invalid_item', 'ELOOP'],
  ])('that can’t be found says why: %s', (name, code, message) => {
    const file = join(folder, name);
    expect(() => loadPrompty(file)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message), where: { file } }),
    );
  });

  test('has no signature lines in its template', () => {
    const mark = '<!-- rye:unsigned -->';
    expect(
      readPrompty(`${mark}\n---\nname: x\n---\n${mark}\nuser:\n`, { file: 'f', name: 'n' }).agent.instructions,
    ).toBe('user:\n');
  });
});

describe('A reference', () => {
  test.each<[written: string, value: unknown]>([
    ['${env:KEY}', 'from-env'],
    ['${ENV:KEY}', 'from-env'],
    ['https://${env:HOST}/v1/${env:KEY}', 'https://host.test/v1/from-env'],
    ['${env:EMPTY}', ''],
    ['${env:NOT_SET:http://a:1}', 'http://a:1'],
    ['${env:NOT_SET:}', ''],
    ['${env:KEY:fallback}', 'from-env'],
    ['${env:toString:no}', 'no'],
    ['${file:parts/a.json}', { a: [1, '${env:X}'] }],
    ['${file:parts/b.yaml}', { b: true }],
    ['${file:parts/c.txt}', 'plain\n'],
    ['<${file:parts/b.yaml}>', '<{"b":true}>'],
    ['${vault:x}', '${vault:x}'],
    ['$ {env:KEY} ${env', '$ {env:KEY} ${env'],
  ])('%s is %j', (written, value) => {
    expect(load(`---\nnote: ${JSON.stringify(written)}\n---\nx`).metadata['note']).toEqual(value);
  });

  test('is resolved wherever in the front matter it stands, and never in the template', () => {
    const agent = load('---\nmodel: { connection: { keys: ["${env:KEY}"] } }\n---\n${env:KEY}');
    expect(agent.model['connection']).toEqual({ keys: ['from-env'] });
    expect(agent.instructions).toBe('${env:KEY}');
  });

  test('stays as it is written where nobody resolves it', () => {
    const { agent } = readPrompty('---\nname: ${env:KEY}\n---\nx', { file: 'f', name: 'n' });
    expect(agent.name).toBe('${env:KEY}');
  });

  test.each([
    ['../x.txt', 'item_id_refused'],
    ['parts/../../x.txt', 'item_id_refused'],
    ['..\\\\x.txt', 'item_id_refused'],
    ['/etc/passwd', 'item_id_refused'],
    ['link.txt', 'item_id_refused'],
    ['away/secret.txt', 'item_id_refused'],
    ['none.txt', 'item_not_found'],
    ['parts', 'invalid_item'],
    ['bad.json', 'invalid_item'],
  ])('to the file %s is refused: %s', (path, code) => {
    expect(() => load(`---\nnote: "\${file:${path}}"\n---\nx`)).toThrow(expect.objectContaining({ code }));
  });

  test('is found in a long text at once', () => {
    const text = '${env:'.repeat(10_000);
    const read = (): unknown => load(`---\nnote: '${text}'\n---\nx`).metadata['note'];
    expect(read()).toBe(text);
    expect(costOf(read)).toBeLessThan(200);
  });
});
