import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { SPACE_NAMES } from '../core/item.ts';
import type { Config } from './config.ts';
import { loadConfig } from './load.ts';

const systemDir = fileURLToPath(new URL('../../config/', import.meta.url));

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-extractors-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (name: string, text: string): string => {
  return writeBelow(root, name, text);
};
const load = (overrides?: Record<string, unknown>): Config =>
  loadConfig({
    systemDir,
    userDir: join(root, 'user'),
    projectDir: join(root, 'project'),
    ...(overrides && { overrides }),
  }).config;

const TOOL = 'project/.ai/config/extractors/tool_extractor.yaml';
const KNOWLEDGE = 'project/.ai/config/extractors/knowledge_extractor.yaml';

describe('The extractors', () => {
  test('that ship have the file types in their order', () => {
    const { directive, tool, knowledge } = load().extractors.project;
    expect(directive.files).toEqual([
      { id: '.md', parser: 'markdown_xml', comment: 'html' },
      { id: '.prompty', parser: 'prompty', comment: 'html' },
    ]);
    expect(knowledge.files).toEqual([{ id: '.md', parser: 'markdown_frontmatter', comment: 'html' }]);
    expect(tool.files.map(({ id }) => id).join(' ')).toBe('.py .yaml .yml .json .js .mjs .ts .sh');
    expect(tool.files[0]).toEqual({
      id: '.py',
      parser: 'static_python',
      comment: '#',
      executor: 'rye/core/runtimes/python_runtime',
    });
  });

  test('are frozen and merged by id: agent/ over config/, project over user over package', () => {
    write('user/config/extractors/knowledge_extractor.yaml', 'fields: [{id: title, weight: 9, required: false}]');
    write(KNOWLEDGE, 'fields: [{id: audience, path: audience, type: string, enum: [all, few], default: all}]');
    write(KNOWLEDGE.replace('config/', 'config/agent/'), 'fields: [{id: audience, weight: 2}]');
    const { fields } = load().extractors.project.knowledge;
    expect(Object.isFrozen(fields)).toBe(true);
    expect(fields.find(({ id }) => id === 'title')).toMatchObject({ path: 'title', weight: 9, required: false });
    expect(fields.at(-1)).toEqual({
      id: 'audience',
      path: 'audience',
      type: 'string',
      required: false,
      enum: ['all', 'few'],
      default: 'all',
      weight: 2,
    });
  });

  test('may be given in code', () => {
    const files = [{ id: '.rb', parser: 'static_bash', comment: '#', executor: 'my/ruby_runtime' }];
    expect(load({ 'extractors/tool_extractor': { files } }).extractors.project.tool.files.at(-1)?.id).toBe('.rb');
  });

  test('of a project are for its own items, the user’s for both, those in code for all but what ships', () => {
    write('user/config/extractors/knowledge_extractor.yaml', 'fields: [{id: mood, path: mood, type: string}]');
    write(KNOWLEDGE, 'fields: [{id: audience, path: audience, type: string}]');
    const { extractors } = load({
      'extractors/knowledge_extractor': { fields: [{ id: 'city', path: 'city', type: 'string' }] },
    });
    const added = SPACE_NAMES.map((space) => extractors[space].knowledge.fields.slice(13).map(({ id }) => id));
    expect(added).toEqual([['mood', 'audience', 'city'], ['mood', 'city'], []]);
  });

  test.each([
    [TOOL, 'files: [{id: .rb, parser: static_ruby, comment: "#"}]', 'files[.rb].parser', 'static_python'],
    [TOOL, 'files: [{id: .rb, parser: markdown_xml, comment: html}]', 'files[.rb].parser', 'yaml, json, static_python'],
    [TOOL, 'files: [{id: .rb, parser: static_bash, comment: "--"}]', 'files[.rb].comment', '"#"'],
    [TOOL, 'files: [{id: .rb, parser: static_bash, comment: "//"}]', 'files[.rb].comment', 'the form "#"'],
    [TOOL, 'files: [{id: rb, parser: static_bash, comment: "#"}]', 'files[rb].id', 'extension'],
    [TOOL, 'files: [{id: .rb, parser: static_bash}]', 'files[.rb].comment', ''],
    [TOOL, 'files: [{id: .rb, parser: static_bash, comment: "#", executor: ../x}]', 'files[.rb].executor', 'item id'],
    [TOOL, 'files: [{id: .rb, parser: static_bash, comment: "#", runs: x}]', 'files[.rb]', 'runs'],
    [TOOL, 'item_type: knowledge', 'item_type', '"tool" belongs here'],
    [TOOL, 'schema_version: "2"', 'schema_version', '1.0.0'],
    [KNOWLEDGE, 'files: [{id: .md, executor: a/b}]', 'files[.md].executor', 'only tools'],
    [KNOWLEDGE, 'fields: [{id: a, path: a, type: text}]', 'fields[a].type', 'string'],
    [KNOWLEDGE, 'fields: [{id: a, type: string}]', 'fields[a].path', ''],
    [KNOWLEDGE, 'fields: [{id: a, path: a..b, type: string}]', 'fields[a].path', 'keys joined by dots'],
    [KNOWLEDGE, 'fields: [{id: a, path: a.__proto__, type: string}]', 'fields[a].path', 'keys joined by dots'],
    [KNOWLEDGE, 'fields: [{id: a b, path: a, type: string}]', 'fields[a b].id', 'snake_case'],
    [KNOWLEDGE, 'fields: [{id: a, path: a, type: integer, enum: [1, x]}]', 'fields[a].enum', '"x" is no integer'],
    [KNOWLEDGE, 'fields: [{id: a, path: a, type: integer, default: 1.5}]', 'fields[a].default', '1.5 is no integer'],
    [KNOWLEDGE, 'fields: [{id: a, path: a, type: string, enum: [x], default: y}]', 'fields[a].default', 'not in the'],
    [KNOWLEDGE, 'fields: [{id: a, path: a, type: string, weight: -1}]', 'fields[a].weight', ''],
    [KNOWLEDGE, 'fields: [{path: a, type: string}]', 'fields', 'needs an id'],
  ])('of %s are refused with %j: %s', (name, yaml, path, message) => {
    const file = write(name, yaml);
    const error = thrownBy(() => load());
    expect(error).toMatchObject({ code: 'invalid_config', where: { file, path } });
    expect(error.message).toContain(message);
  });

  test('of a project add file types and read none of the known ones in another way', () => {
    const files = 'files: [{id: .py, parser: static_js, comment: "//"}]';
    const file = write(TOOL, files);
    expect(thrownBy(() => load()).where).toEqual({ file, path: 'files[.py].parser' });
    rmSync(file);
    write('user/config/extractors/tool_extractor.yaml', files);
    expect(load().extractors.user.tool.files[0]).toMatchObject({ id: '.py', parser: 'static_js' });
  });

  test('of a project run none of the known file types by another executor', () => {
    const executor = 'executor: rye/core/runtimes/bash_runtime';
    const file = write(TOOL, `files: [{id: .py, parser: static_python, comment: "#", ${executor}}]`);
    expect(thrownBy(() => load()).where).toEqual({ file, path: 'files[.py].executor' });
    write(TOOL, `files: [{id: .awk, parser: static_bash, comment: "#", ${executor}}]`);
    const awk = load().extractors.project.tool.files.find(({ id }) => id === '.awk');
    expect(awk).toMatchObject({ parser: 'static_bash' });
  });
});

describe('A field that is known already', () => {
  const FIELD = 'fields: [{id: level, path: level, type: string, required: true, enum: [a, b]}]';
  const USER = 'user/config/extractors/knowledge_extractor.yaml';

  test.each([
    ['{id: title, path: subtitle}', 'fields[title].path'],
    ['{id: tags, type: string}', 'fields[tags].type'],
    ['{id: description, default: approved}', 'fields[description].default'],
    ['{id: title, required: false}', 'fields[title].required'],
    ['{id: level, enum: [a, b, c]}', 'fields[level].enum'],
  ])('is not read in another way because a project says %s', (field, path) => {
    write(USER, FIELD);
    const file = write(KNOWLEDGE, `fields: [${field}]`);
    expect(thrownBy(() => load())).toMatchObject({ code: 'invalid_config', where: { file, path } });
  });

  test.each(['{id: title, weight: 0}', '{id: author, required: true}', '{id: level, enum: [b]}'])(
    'may weigh something else or be asked for more strictly: %s',
    (field) => {
      write(USER, FIELD);
      write(KNOWLEDGE, `fields: [${field}]`);
      expect(() => load()).not.toThrow();
    },
  );
});

describe('The environment in prompts', () => {
  test('is empty as it ships, and set by the user', () => {
    expect(load().agent.inputEnv).toEqual([]);
    write('user/config/agent.yaml', 'input_env: [CITY, LANG]');
    expect(load().agent.inputEnv).toEqual(['CITY', 'LANG']);
  });

  test('can be narrowed by a project and not widened', () => {
    write('user/config/agent.yaml', 'input_env: [CITY, LANG]');
    const file = write('project/.ai/config/agent.yaml', 'input_env: [LANG]');
    expect(load().agent.inputEnv).toEqual(['LANG']);
    write('project/.ai/config/agent.yaml', 'input_env: [LANG, AWS_SECRET_ACCESS_KEY]');
    expect(thrownBy(() => load())).toMatchObject({ code: 'invalid_config', where: { file, path: 'input_env' } });
  });

  test('takes names of variables only', () => {
    expect(thrownBy(() => load({ agent: { input_env: ['A B'] } })).where?.path).toBe('input_env[0]');
  });
});
