import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import type { ToolItem } from '../core/item.ts';
import type { ToolOutcome } from '../core/tool.ts';
import { describeChain } from './describe-chain.ts';
import { createFileTool } from './file-tool.ts';
import { createToolBench, type ToolBench } from './fixtures/tool-bench.ts';

type Settings = Readonly<Record<string, unknown>>;

/** Writes a YAML tool that is run as `parts` say. */
function yamlItem(bench: ToolBench, parts: Settings, fields: Partial<ToolItem> = {}): ToolItem {
  const text = Object.entries({ tool_type: 'x', executor_id: 'rye/core/primitives/subprocess', ...parts })
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
  return bench.yaml(fields.id ?? 'my/tool', text, fields);
}

/** A runtime of the project. */
function runtimeItem(bench: ToolBench, parts: Settings, fields: Partial<ToolItem> = {}): ToolItem {
  return yamlItem(bench, { tool_type: 'runtime', ...parts }, { id: 'my/runtime', ...fields });
}

function failureOf(outcome: ToolOutcome): {
  readonly code: string;
  readonly message: string;
  readonly where?: unknown;
} {
  if (outcome.ok) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`);
  return outcome.failure;
}

const describeCall = (bench: ToolBench, item: ToolItem, params: Settings = {}) =>
  describeChain(item, bench.services, { params, caller: bench.caller });

const SH = { interpreter: { type: 'program', program: 'sh' } };

describe('a project adds a runtime with a YAML file', () => {
  test('that runs a script', async () => {
    using bench = createToolBench();
    runtimeItem(bench, { env_config: SH, config: { command: '${interpreter}', args: ['${file}', '${params.name}'] } });
    const source = 'read -r input; echo "$1|$input|$PWD"';
    const outcome = await bench.run(source, { extension: '.sh', executorId: 'my/runtime' }, { name: 'A B' });
    expect(outcome).toEqual({ ok: true, value: `A B|{"name":"A B"}|${bench.projectPath}` });
  });

  test('that brings its runner along', async () => {
    using bench = createToolBench();
    const runner =
      'const { file, params, project_path } = JSON.parse(require("fs").readFileSync(0));' +
      'const value = require("fs").readFileSync(file, "utf8").replace("NAME", params.name) + project_path;' +
      'console.log("noise"); require("fs").writeSync(3, JSON.stringify({ ok: true, value }));';
    runtimeItem(bench, {
      env_config: { interpreter: { type: 'node' } },
      config: {
        command: '${interpreter}',
        args: ['-e', runner],
        input: 'request',
        result: 'channel',
        memory_overhead_mb: 1024,
      },
    });
    const outcome = await bench.run('hi NAME in ', { extension: '.txt', executorId: 'my/runtime' }, { name: 'Ada' });
    expect(outcome).toEqual({ ok: true, value: `hi Ada in ${bench.projectPath}` });
  });

  test('over a runtime that ships', async () => {
    using bench = createToolBench();
    runtimeItem(bench, { executor_id: 'rye/core/runtimes/bash_runtime', env_config: { env: { GREETING: 'hello' } } });
    const outcome = await bench.run('echo "$GREETING $1"', { extension: '.sh', executorId: 'my/runtime' });
    expect(outcome).toEqual({ ok: true, value: `hello ${bench.projectPath}` });
  });
});

describe('a tool that is a program', () => {
  const words = ['a b', '$(touch pwned) `id`', '; rm -rf *', '"\'\\', '', '-n', 'ü\n'];

  test.each(words)('gets the param %j as one word, as it is', async (text) => {
    using bench = createToolBench();
    const config = { command: 'printf', args: ['[%s]', '${params.text}', 'x${params.text}y'], input: 'none' };
    const outcome = await bench.call(yamlItem(bench, { config }), { text });
    expect(outcome).toEqual({ ok: true, value: `[${text}][x${text}y]` });
  });

  test.each([
    ['${params}', '{"list":[1,{"a":true}],"n":1.5,"b":false}'],
    ['${params.list}', '[1,{"a":true}]'],
    ['${params.list.1.a}', 'true'],
    ['${params.n}/${params.b}', '1.5/false'],
    ['${params.none}${params.__proto__}${params.list.length}', ''],
    ['$${params.n}', '${params.n}'],
  ])('gets %s as text', async (word, text) => {
    using bench = createToolBench();
    const item = yamlItem(bench, { config: { command: 'printf', args: ['<%s>', word], input: 'none' } });
    const outcome = await bench.call(item, { list: [1, { a: true }], n: 1.5, b: false });
    expect(outcome).toEqual({ ok: true, value: `<${text}>` });
  });

  test.each([
    ['params', '{"a":1}'],
    ['none', ''],
  ])('with input %s gets %j on stdin', async (input, text) => {
    using bench = createToolBench();
    const config = { command: 'sh', args: ['-c', 'cat; echo .'], input };
    expect(await bench.call(yamlItem(bench, { config }), { a: 1 })).toEqual({ ok: true, value: `${text}.` });
  });

  test.each([
    ['a variable there is not', { command: 'printf', args: ['${home}'] }, 'invalid_item', '${home}'],
    ['a param as its command', { command: '${params.x}' }, 'invalid_item', '${params.x}'],
    ['no interpreter to put in', { command: '${interpreter}' }, 'invalid_item', 'env_config.interpreter'],
    ['no command', {}, 'invalid_item', 'config.command'],
    ['a setting there is not', { command: 'printf', shell: true }, 'invalid_item', 'shell'],
    ['a relative command', { command: './printf' }, 'tool_failed', './printf'],
    ['a command that is not there', { command: 'no-such-program' }, 'tool_failed', '/no-such-program'],
    ['an input there is not', { command: 'printf', input: 'argv' }, 'invalid_item', 'config.input'],
    ['args that are no list', { command: 'printf', args: 'x' }, 'invalid_item', 'config.args'],
    ['a list for settings', [], 'invalid_item', 'a map'],
  ])('with %s is refused', async (_, config, code, text) => {
    using bench = createToolBench();
    const item = yamlItem(bench, { config });
    const failure = failureOf(await bench.call(item, { x: 'sh' }));
    expect(failure.code).toBe(code);
    expect(JSON.stringify(failure)).toContain(text);
  });

  test.each([
    [{ timeout_seconds: -1 }, 'config.timeout_seconds'],
    [{ shell: true }, 'config'],
    [{ args: [7] }, 'config.args[0]'],
  ])('whose runtime has the wrong setting %j names the file of the runtime', async (config, path) => {
    using bench = createToolBench();
    const runtime = runtimeItem(bench, { config: { command: 'sh', ...config } });
    const failure = failureOf(await bench.run('', { extension: '.sh', executorId: 'my/runtime' }));
    expect(failure.where).toEqual({ file: runtime.file, path });
  });
});

describe('the setting nearest to the tool wins', () => {
  test.each([
    ['the primitive', {}, {}, {}, 60],
    ['the runtime', { timeout_seconds: 5 }, {}, {}, 5],
    ['the tool', { timeout_seconds: 5 }, { timeout_seconds: 7 }, {}, 7],
    ['the tool’s contract', { timeout_seconds: 5 }, { timeout_seconds: 7 }, { timeoutSeconds: 9 }, 9],
    ['the tool’s contract, over its runtime', { timeout_seconds: 5 }, {}, { timeoutSeconds: 9 }, 9],
  ])('%s', (_, ofRuntime, ofTool, fields, timeout) => {
    using bench = createToolBench();
    runtimeItem(bench, { config: { command: 'sh', ...ofRuntime } });
    const tool = yamlItem(bench, { executor_id: 'my/runtime', config: ofTool }, fields);
    expect(describeCall(bench, tool).would_run).toMatchObject({ timeout_seconds: timeout });
  });

  test('word by word: maps are merged, lists replaced', () => {
    using bench = createToolBench();
    runtimeItem(bench, {
      env_config: { ...SH, env: { A: '1', B: '2' } },
      config: { command: '${interpreter}', args: ['-x', '${file}'], memory_mb: 100, memory_overhead_mb: 7 },
    });
    const tool = yamlItem(bench, {
      executor_id: 'my/runtime',
      env_config: { env: { B: '3' } },
      config: { args: ['-c', 'true'] },
    });
    const { would_run: run } = describeCall(bench, tool);
    expect(run).toMatchObject({ command: [expect.stringMatching(/\/sh$/), '-c', 'true'], memory_limit_mb: 107 });
    expect(run).toMatchObject({ env: expect.arrayContaining(['A', 'B', 'PATH']) });
  });
});

test('an interpreter of another type replaces that of the runtime below', () => {
  using bench = createToolBench();
  runtimeItem(bench, { executor_id: 'rye/core/runtimes/python_runtime', env_config: SH });
  const tool = yamlItem(bench, { executor_id: 'my/runtime' });
  expect(describeCall(bench, tool).would_run).toMatchObject({
    command: [expect.stringMatching(/\/sh$/), '-B', expect.stringContaining('runner')],
  });
});

describe('the environment of a tool', () => {
  const env = { PATH: process.env['PATH'], SECRET: 'sesame', OTHER: 'other' };
  const config = { command: 'sh', args: ['-c', 'echo "[$SECRET$OTHER]"'], env: ['SECRET'] };

  test.each([
    ['a file of the user names', { space: 'user' } as const, [], 'sesame'],
    ['a file of the system names', { space: 'system' } as const, [], 'sesame'],
    ['a file of the project names and the user allows', {}, ['SECRET'], 'sesame'],
    ['the user gives to all tools', { space: 'user' } as const, ['OTHER'], 'sesameother'],
  ])('has what %s', async (_, fields, envNames, shown) => {
    using bench = createToolBench({ env, envNames });
    expect(await bench.call(yamlItem(bench, { config }, fields))).toEqual({ ok: true, value: `[${shown}]` });
  });

  test('does not have what only a file of the project names: the call is refused', async () => {
    using bench = createToolBench({ env, envNames: ['OTHER'] });
    const failure = failureOf(await bench.call(yamlItem(bench, { config })));
    expect(failure).toMatchObject({
      code: 'permission_denied',
      message: expect.stringMatching(/my\/tool of the project asks for SECRET .* tools\.env/),
    });
  });

  test('nor what a runtime of the project names for a tool of the user', async () => {
    using bench = createToolBench({ env });
    runtimeItem(bench, { config });
    const tool = yamlItem(bench, { executor_id: 'my/runtime' }, { space: 'user' });
    expect(failureOf(await bench.call(tool)).code).toBe('permission_denied');
  });

  const seenByProject = {
    code: 'permission_denied',
    message: expect.stringMatching(/SECRET.* of the project would see/),
  };

  test('nor what a tool of the user names, where a runtime of the project would see it', async () => {
    using bench = createToolBench({ env });
    runtimeItem(bench, { config: { ...config, env: [] } });
    const fields = { space: 'user' } as const;
    const tool = yamlItem(bench, { executor_id: 'my/runtime', config: { env: ['SECRET'] } }, fields);
    expect(failureOf(await bench.call(tool))).toMatchObject(seenByProject);
  });

  test('nor what a runtime of the user names, where a tool of the project would see it', async () => {
    using bench = createToolBench({ env });
    runtimeItem(bench, { config }, { space: 'user' });
    expect(failureOf(await bench.call(yamlItem(bench, { executor_id: 'my/runtime' })))).toMatchObject(seenByProject);
  });

  test('nor what a tool of the user names, where the interpreter is one of the project', async () => {
    using bench = createToolBench({ env });
    const bin = join(bench.projectPath, '.venv', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'python'), '#!/bin/sh\necho "$SECRET"\n', { mode: 0o755 });
    const interpreter = { type: 'venv_python', venv_path: '.venv', program: 'python3' };
    const settings = { config: { ...config, command: '${interpreter}' }, env_config: { interpreter } };
    expect(failureOf(await bench.call(yamlItem(bench, settings, { space: 'user' })))).toMatchObject(seenByProject);
  });

  test.each(['project', 'program'] as const)('also where it is reached by a link to the %s', async (linked) => {
    using bench = createToolBench({ env });
    const bin = join(bench.projectPath, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'show'), '#!/bin/sh\necho "$SECRET"\n', { mode: 0o755 });
    const link = `${bench.projectPath}-link`;
    symlinkSync(bench.projectPath, link);
    try {
      const program = join(linked === 'program' ? link : bench.projectPath, 'bin', 'show');
      const caller = { ...bench.caller, projectPath: linked === 'project' ? link : bench.projectPath };
      const tool = yamlItem(bench, { config: { ...config, command: program } }, { space: 'user' });
      const outcome = new Promise<ToolOutcome>(
        (done) => void createFileTool(tool, bench.services).run({}, caller, done),
      );
      expect(failureOf(await outcome)).toMatchObject(seenByProject);
    } finally {
      rmSync(link);
    }
  });
});

describe('a dry run', () => {
  test('tells the chain and the words, starts nothing and shows no secret', () => {
    using bench = createToolBench({ env: { PATH: process.env['PATH'], TOKEN: 'sesame' }, envNames: ['TOKEN'] });
    const tool = yamlItem(bench, {
      env_config: { env: { PASSWORD: 'open' } },
      config: { command: 'sh', args: ['-c', 'touch ran', '${params.x}'] },
    });
    const described = describeCall(bench, tool, { x: 'y' });
    expect(described).toEqual({
      chain: [
        { item_id: 'my/tool', tool_type: 'x', space: 'project' },
        { item_id: 'rye/core/primitives/subprocess', tool_type: 'primitive', space: 'system' },
      ],
      primitive: 'subprocess',
      would_run: {
        command: [expect.stringMatching(/^\/.*\/sh$/), '-c', 'touch ran', 'y'],
        env: ['PASSWORD', 'PATH', 'TOKEN'],
        timeout_seconds: 60,
        memory_limit_mb: 1024,
      },
    });
    expect(JSON.stringify(described)).not.toMatch(/sesame|open/);
  });

  test('tells the request', () => {
    using bench = createToolBench({ env: { TOKEN: 'sesame' }, envNames: ['TOKEN'] });
    const tool = yamlItem(bench, {
      executor_id: 'rye/core/primitives/http_client',
      config: { url: 'https://api.example/${params.id}', headers: { Authorization: '${env.TOKEN}' } },
    });
    const described = describeCall(bench, tool, { id: 'a b' });
    expect(described).toMatchObject({
      primitive: 'http_client',
      would_run: { method: 'GET', url: 'https://api.example/a%20b', headers: ['authorization'], timeout_seconds: 30 },
    });
    expect(JSON.stringify(described)).not.toContain('sesame');
  });

  test('of a tool that Skein carries out itself tells so', () => {
    using bench = createToolBench();
    const tool = yamlItem(bench, { executor_id: 'rye/core/primitives/thread' }, { space: 'system' });
    expect(describeCall(bench, tool)).toMatchObject({ primitive: 'thread', would_run: { in: 'thread' } });
  });

  test('of a call that could not be made says why', () => {
    using bench = createToolBench();
    const tool = yamlItem(bench, { executor_id: 'my/gone' });
    expect(thrownBy(() => describeCall(bench, tool)).message).toContain('my/gone');
  });
});

test('a file that names the primitive of the thread tools is not run, and a dry run says so', async () => {
  using bench = createToolBench();
  const tool = yamlItem(bench, { executor_id: 'rye/core/primitives/thread' });
  expect(failureOf(await bench.call(tool)).code).toBe('not_available');
  expect(thrownBy(() => describeCall(bench, tool))).toMatchObject({ code: 'not_available' });
});
