import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shippedRouter } from '../items/fixtures/parse-text.ts';
import { TRUSTING } from '../items/fixtures/trusting.ts';
import { createItemCache } from '../items/item-cache.ts';
import { createSpaces } from '../items/spaces.ts';
import { DIRECTIVE_INSTRUCTION } from '../prompt/directive-instruction.ts';
import { SYSTEM_SPACE } from './fixtures/standard-tool.ts';
import { compileInputCheck } from './input-check.ts';
import { definitionTokens } from './palette.ts';

const CORE = 'rye/agent/core';
const warnings: string[] = [];
const paths = { projectPath: join(SYSTEM_SPACE, 'nothing-here'), systemSpace: SYSTEM_SPACE };
const spaces = createSpaces(paths, shippedRouter);
const items = createItemCache(spaces, {
  router: shippedRouter,
  ...TRUSTING,
  now: () => 0,
  onWarning: ({ message, where }) => void warnings.push(`${where.file ?? where.path ?? ''}: ${message}`),
});

describe('The system space', () => {
  test('is read without a warning', () => {
    for (const id of spaces.list('directive')) items.directive(id);
    for (const id of spaces.list('knowledge')) items.knowledge(id);
    expect(items.leftOutTools()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('has the items that the seeds name, and its own directives', () => {
    expect(spaces.list('knowledge')).toEqual(
      ['Behavior', 'DirectiveInstruction', 'Environment', 'Identity']
        .concat(['protocol/execute', 'protocol/fetch', 'protocol/sign'])
        .map((name) => `${CORE}/${name}`),
    );
    expect(spaces.list('directive')).toEqual([
      'rye/agent/commit_message',
      ...['base', 'base_execute_only', 'base_review'].map((name) => `${CORE}/${name}`),
      'rye/agent/threads/default_compaction',
    ]);
    expect(items.listTools().map(({ id }) => id)).toEqual(expect.arrayContaining(TOOLS));
  });

  test('lists no module that only helps a tool', () => {
    const ids = new Set(items.listTools().map(({ id }) => id));
    const files = readdirSync(join(SYSTEM_SPACE, 'tools/rye/file-system')).map((name) => name.replace('.js', ''));
    const helping = files.filter((name) => !ids.has(`rye/file-system/${name}`));
    expect(helping).toEqual(['find-files', 'project-path', 'text-file']);
  });
});

const TOOLS = [
  'rye/agent/threads/directive_return',
  ...['budget_ops', 'cancel_checker', 'classifier', 'control', 'cost_tracker', 'emitter', 'limit_checker']
    .concat('state_persister')
    .map((name) => `rye/agent/threads/internal/${name}`),
  'rye/agent/threads/orchestrator',
  'rye/agent/threads/thread_directive',
  'rye/bash',
  ...['edit', 'glob', 'grep', 'ls', 'read', 'write'].map((name) => `rye/file-system/${name}`),
];

describe('The standard tools', () => {
  test.each(TOOLS)('%s states a contract that can be used', (id) => {
    const tool = items.tool(id);
    expect(tool.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(tool.description).toMatch(/^[A-Z][^\n]*[.]$/);
    expect(tool.category).toBe(id.slice(0, id.lastIndexOf('/')));
    expect(tool.inputSchema).not.toHaveProperty('properties._thread_context');
    expect(() => compileInputCheck(tool.inputSchema)).not.toThrow();
  });

  test('that a model may be offered fit into the default budget of definitions together', () => {
    const offered = TOOLS.filter((id) => !/internal|directive_return/.test(id)).map((id) => items.tool(id));
    const tokens = offered.reduce((sum, tool) => sum + definitionTokens(tool), 0);
    expect(tokens).toBeLessThan(1800);
  });
});

describe('The bases', () => {
  const IDENTITY = [`${CORE}/Identity`, `${CORE}/Behavior`];
  const READING = ['read', 'ls', 'glob', 'grep'].map((name) => `rye.execute.tool.rye.file-system.${name}`);

  test.each([
    ['base', ['rye.execute.*', 'rye.fetch.*', 'rye.sign.*'], ['execute', 'fetch', 'sign']],
    ['base_execute_only', ['rye.execute.*'], ['execute']],
    ['base_review', [...READING, 'rye.fetch.*'], ['execute', 'fetch']],
  ])('%s grants what its protocol items explain, and no more', (name, permissions, protocol) => {
    const base = items.directive(`${CORE}/${name}`);
    expect(base.permissions).toEqual(permissions);
    expect(base.context).toEqual({
      system: IDENTITY,
      before: protocol.map((action) => `${CORE}/protocol/${action}`),
      after: [],
      suppress: [],
    });
    expect([base.extends, base.inputs, base.outputs, base.hooks, base.actions]).toEqual([undefined, [], [], [], []]);
  });
});

describe('default_compaction', () => {
  const directive = items.directive('rye/agent/threads/default_compaction');

  test('takes what the hook that calls it passes', () => {
    const required = directive.inputs.filter((input) => input.required).map(({ name }) => name);
    expect(required).toEqual(['pressure_ratio', 'tokens_used']);
    expect(directive.outputs.map(({ name, required }) => [name, required])).toEqual([['summary', true]]);
  });

  test('may do nothing but answer', () => {
    expect(directive.permissions).toEqual([]);
    expect(directive.limits).toMatchObject({ spawns: 0 });
  });

  test('is told nothing of the project, even where prompts stand in tiers', () => {
    expect(directive.context).toMatchObject({ assembly: 'flat', system: [], before: [], after: [] });
  });
});

describe('The knowledge', () => {
  const tokensOf = (...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + items.knowledge(`${CORE}/${name}`).content.length / 4, 0);

  test.each([
    [['Environment', 'DirectiveInstruction'], 200],
    [['Identity', 'Behavior'], 400],
    [['protocol/execute', 'protocol/fetch', 'protocol/sign'], 400],
  ])('%j costs about %i tokens (S3)', (names, tokens) => {
    expect(tokensOf(...names)).toBeGreaterThan(tokens * 0.75);
    expect(tokensOf(...names)).toBeLessThan(tokens * 1.25);
  });

  test('reads the directive instruction as the prompt has it without the hook', () => {
    expect(items.knowledge(`${CORE}/DirectiveInstruction`).content).toBe(DIRECTIVE_INSTRUCTION);
  });

  test.each(['execute', 'fetch', 'sign'])('on %s names the call it explains', (action) => {
    expect(items.knowledge(`${CORE}/protocol/${action}`).content).toContain(`\`rye_${action}`);
  });
});
