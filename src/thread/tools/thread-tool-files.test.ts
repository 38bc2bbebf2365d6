import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { parseYaml } from '../../config/yaml.ts';
import { OPERATIONS } from '../../core/operations.ts';
import { controlSchema } from '../hooks/control.ts';

const TOOLS = fileURLToPath(new URL('../../../config/space/tools', import.meta.url));
const THREADS = 'rye/agent/threads';
const { threadTools, internalTools } = createThreadBench().services;
const all = [...threadTools.granted, threadTools.directiveReturn];

// How many bytes of a transcript a model gets is not for itself to say, nor what limits a thread has.
const forThreads = Object.entries(OPERATIONS).filter(([, { reach }]) => reach !== 'none');
const inputKeys = forThreads.map(([, operation]) => operation).flatMap(({ input }) => Object.keys(input.shape));
const ORCHESTRATED = [...new Set(inputKeys)].filter((key) => key !== 'max_bytes' && key !== 'limits');

type Schema = {
  readonly properties: Readonly<Record<string, { readonly enum?: unknown; readonly default?: unknown }>>;
};
type File = { readonly description: string; readonly idempotent: boolean; readonly config_schema: Schema };

function fileOf(id: string): File {
  const file = join(TOOLS, `${id}.yaml`);
  return parseYaml(readFileSync(file, 'utf8'), { file }) as File;
}

function idsIn(folder: string): string[] {
  const names = readdirSync(join(TOOLS, folder)).filter((name) => name.endsWith('.yaml'));
  return names.map((name) => `${folder}/${name.replace('.yaml', '')}`);
}

describe('The files of the thread tools', () => {
  test('are one for each tool that there is', () => {
    expect([...idsIn(THREADS), ...idsIn(`${THREADS}/context`)].toSorted()).toEqual(all.map(({ id }) => id).toSorted());
    expect(idsIn(`${THREADS}/internal`).toSorted()).toEqual([...internalTools.keys()].toSorted());
  });

  test.each(all.map((tool) => [tool.id, tool] as const))('%s is what a model is told', (id, tool) => {
    const { description, idempotent, config_schema: inputSchema } = fileOf(id);
    expect(tool).toMatchObject({ description, idempotent, inputSchema });
  });

  test.each([
    ['thread_directive', ['directive_name', 'async_exec', 'inputs', 'model', 'limit_overrides', 'parent_thread_id']],
    ['orchestrator', ['operation', 'action', ...ORCHESTRATED]],
    ['internal/emitter', ['event_type', 'payload', 'criticality']],
    ['internal/classifier', ['error', 'status_code', 'headers']],
    ['internal/limit_checker', ['limit_type', 'current_value', 'max_value']],
    ['internal/budget_ops', ['operation', 'thread_id', 'parent_thread_id', 'amount', 'key', 'reservation']],
    ['internal/state_persister', []],
    ['internal/cancel_checker', []],
    ['internal/cost_tracker', []],
  ])('%s declares what the code reads', (name, names) => {
    expect(Object.keys(fileOf(`${THREADS}/${name}`).config_schema.properties).toSorted()).toEqual(names.toSorted());
  });

  test.each([
    ['thread_directive', { async_exec: false, inputs: {} }],
    ['internal/emitter', { payload: {} }],
  ])('%s has defaults for what the code takes for granted', (name, defaults) => {
    const { properties } = fileOf(`${THREADS}/${name}`).config_schema;
    const found = Object.entries(properties).flatMap(([key, { default: value }]) =>
      value === undefined ? [] : [[key, value]],
    );
    expect(Object.fromEntries(found)).toEqual(defaults);
  });

  test('orchestrator names the operations that there are', () => {
    const { properties } = fileOf(`${THREADS}/orchestrator`).config_schema;
    expect(properties['operation']?.enum).toEqual(forThreads.map(([name]) => name));
  });

  test('control takes what a hook may decide', () => {
    const { properties } = fileOf(`${THREADS}/internal/control`).config_schema;
    expect(Object.keys(properties).toSorted()).toEqual(Object.keys(controlSchema.shape).toSorted());
    expect(properties['action']?.enum).toEqual(controlSchema.shape.action.options);
  });
});
