import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ToolOutcome } from '../core/tool.ts';
import { createFileTool } from './file-tool.ts';
import { createFileTools, type FileToolsOptions } from './file-tools.ts';
import { createToolBench } from './fixtures/tool-bench.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasBash = spawnSync('bash', ['--version']).status === 0;

const ENDLESS = 'export function execute() { for (;;); }';

function failureOf(outcome: ToolOutcome): { message: string; detail: Readonly<Record<string, unknown>> } {
  if (outcome.ok) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`);
  expect(outcome.failure.code).toBe('tool_failed');
  return { message: outcome.failure.message, detail: outcome.failure.detail ?? {} };
}

describe('a node tool', () => {
  test.each([
    ['sync', 'export function execute(params) { return { twice: params.n * 2 }; }'],
    ['async', 'export async function execute(params) { await null; return { twice: params.n * 2 }; }'],
    ['printing', 'export function execute(p) { console.log("{}"); console.error("x"); return { twice: p.n * 2 }; }'],
    ['default', 'export default { execute: (params) => ({ twice: params.n * 2 }) };'],
    ['open timer', 'export function execute(p) { setInterval(() => {}, 1e6); return { twice: p.n * 2 }; }'],
    ['open stdin', 'export function execute(p) { process.stdin.resume(); return { twice: p.n * 2 }; }'],
  ])('that is %s gives its value', async (_name, source) => {
    using bench = createToolBench();
    expect(await bench.run(source, {}, { n: 21 })).toEqual({ ok: true, value: { twice: 42 } });
  });

  test('gets the project path as its second argument and as its working folder', async () => {
    using bench = createToolBench();
    const outcome = await bench.run('export const execute = (params, path) => [path, process.cwd()];');
    expect(outcome).toEqual({ ok: true, value: [bench.projectPath, bench.projectPath] });
  });

  test('that returns nothing gives null', async () => {
    using bench = createToolBench();
    expect(await bench.run('export function execute() {}')).toEqual({ ok: true, value: null });
  });

  test('that returns a megabyte less a bit gives all of it', async () => {
    using bench = createToolBench();
    const outcome = await bench.run('export const execute = () => "x".repeat(1024 * 1024 - 100);');
    expect(outcome.ok && String(outcome.value).length).toBe(1024 * 1024 - 100);
  });

  test.each([
    ['throws', 'export function execute() { throw new RangeError("too far"); }', 'threw', /RangeError: too far/],
    ['rejects', 'export async function execute() { throw new Error("later"); }', 'threw', /later/],
    ['throws no error', 'export function execute() { throw null; }', 'threw', /null/],
    ['has no execute', 'export const run = 1;', 'threw', /function named execute/],
    ['does not parse', 'export function (', 'threw', /SyntaxError/],
    ['returns a cycle', 'export function execute() { const a = {}; a.a = a; return a; }', 'threw', /circular/],
    ['returns a BigInt', 'export const execute = () => 1n;', 'threw', /BigInt/],
    ['exits', 'export function execute() { process.exit(0); }', 'crashed', /exit code 0 before it gave a result/],
    ['exits with 3', 'export function execute() { process.exit(3); }', 'crashed', /exit code 3/],
    ['aborts', 'export function execute() { process.abort(); }', 'crashed', /SIGABRT/],
    ['never settles', 'export const execute = () => new Promise(() => {});', 'crashed', /exit code 13/],
    [
      'throws in a timer',
      'export const execute = () => new Promise(() => setTimeout(() => { throw new Error("stray"); }));',
      'crashed',
      /stray/,
    ],
    ['closes the channel', 'import fs from "node:fs"; export const execute = () => fs.closeSync(3);', 'crashed', /./],
  ])('that %s fails its call alone', async (_name, source, reason, message) => {
    using bench = createToolBench();
    const failure = failureOf(await bench.run(source));
    expect(failure.detail['reason']).toBe(reason);
    expect(failure.message).toMatch(message);
  });

  test('that loops endlessly is ended at its timeout', async () => {
    using bench = createToolBench();
    const failure = failureOf(await bench.run(ENDLESS, { timeoutSeconds: 0.3 }));
    expect(failure.message).toContain('did not finish within 0.3 s');
    expect(failure.detail['reason']).toBe('timeout');
  });

  test('that ignores SIGTERM is killed after the grace time', async () => {
    using bench = createToolBench({ graceMs: 100, subprocess: { timeout_seconds: 0.5 } });
    const source =
      'process.on("SIGTERM", () => {}); export const execute = () => new Promise(() => setInterval(() => {}, 1e6));';
    expect(failureOf(await bench.run(source)).detail['reason']).toBe('timeout');
  });

  test.each([
    ['objects', 'const all = []; export function execute() { for (;;) all.push(new Array(1e5).fill({})); }'],
    ['buffers', 'const all = []; export function execute() { for (;;) all.push(Buffer.alloc(5e7, 1)); }'],
  ])('that fills the memory with %s fails its call alone', async (_name, source) => {
    using bench = createToolBench({ subprocess: { memory_mb: 64 } });
    expect(failureOf(await bench.run(source)).message).toMatch(/out of memory|allocation failed/i);
  });

  test.each(['fs.writeSync(1, x)', 'console.log(x)', 'console.error(x)'])(
    'that floods its output by %s is ended',
    async (print) => {
      using bench = createToolBench({ subprocess: { max_output_bytes: 64 * 1024, timeout_seconds: 20 } });
      const source = `import fs from "node:fs"; const x = "x".repeat(65536); export function execute() { for (;;) ${print}; }`;
      expect(failureOf(await bench.run(source)).detail['reason']).toBe('output_too_large');
    },
  );

  test('that prints more than a result may be long, but not endlessly, still gives its value', async () => {
    using bench = createToolBench({ subprocess: { max_output_bytes: 64 * 1024 } });
    const source =
      'export function execute() { for (let i = 0; i < 5; i++) console.log("x".repeat(65536)); return "fine"; }';
    expect(await bench.run(source)).toEqual({ ok: true, value: 'fine' });
  });

  test('whose result is too long fails', async () => {
    using bench = createToolBench({ subprocess: { max_output_bytes: 1000 } });
    const failure = failureOf(await bench.run('export const execute = () => "x".repeat(2000);'));
    expect(failure.message).toContain('1000 bytes');
  });

  test('sees only the allowed part of the environment', async () => {
    const env = { PATH: '/bin', HOME: '/h', LC_ALL: 'C', API_KEY: 'secret', EXTRA: 'yes', NODE_OPTIONS: '--bad' };
    using bench = createToolBench({ env, envNames: ['EXTRA'] });
    const outcome = await bench.run('export const execute = () => process.env;');
    // PWD is the shell's own, which sets the memory limit.
    const value = { PATH: '/bin', HOME: '/h', LC_ALL: 'C', EXTRA: 'yes', PWD: bench.projectPath };
    expect(outcome).toEqual({ ok: true, value });
  });

  test('is not started when its input does not fit', async () => {
    using bench = createToolBench();
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const outcome = await bench.run(ENDLESS, { inputSchema }, { n: 'x' });
    expect(outcome.ok ? undefined : outcome.failure.code).toBe('tool_input_invalid');
  });

  test('never gets a thread context from its caller', async () => {
    using bench = createToolBench();
    const tool = bench.item('export const execute = (params) => params;', { inputSchema: { type: 'object' } });
    const outcome = await bench.call(tool, { deep: [{ _thread_context: { thread_id: 'thread-1' } }] });
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'permission_denied' } });
  });

  test('gets the defaults of its schema', async () => {
    using bench = createToolBench();
    const inputSchema = { type: 'object', properties: { n: { type: 'integer', default: 7 } } };
    const outcome = await bench.run('export const execute = (params) => params;', { inputSchema });
    expect(outcome).toEqual({ ok: true, value: { n: 7 } });
  });

  test('in a project folder that does not exist fails', async () => {
    using bench = createToolBench();
    const tool = createFileTool(bench.item('export const execute = () => 1;'), bench.services);
    const caller = { ...bench.caller, projectPath: join(bench.projectPath, 'gone') };
    const outcome = await new Promise<ToolOutcome>((done) => void tool.run({}, caller, done));
    expect(failureOf(outcome).detail['reason']).toBe('not_started');
  });

  test('in a project folder with a NUL in its name fails', async () => {
    using bench = createToolBench();
    const tool = createFileTool(bench.item('export const execute = () => 1;'), bench.services);
    const outcome = await new Promise<ToolOutcome>(
      (done) => void tool.run({}, { ...bench.caller, projectPath: '/tmp/\0' }, done),
    );
    expect(failureOf(outcome).detail['reason']).toBe('not_started');
  });
});

// Skipped where there is no python3 to run.
describe.skipIf(!hasPython)('a python tool', () => {
  test.each([
    ['sync', 'def execute(params, project_path):\n    return {"twice": params["n"] * 2}'],
    ['async', 'async def execute(params, project_path):\n    return {"twice": params["n"] * 2}'],
    ['printing', 'def execute(params, project_path):\n    print("{}")\n    return {"twice": params["n"] * 2}'],
    [
      'running a thread',
      'import threading\ndef execute(params, p):\n    threading.Thread(target=lambda: threading.Event().wait()).start()\n    return {"twice": params["n"] * 2}',
    ],
  ])('that is %s gives its value', async (_name, source) => {
    using bench = createToolBench();
    expect(await bench.run(source, { extension: '.py' }, { n: 21 })).toEqual({ ok: true, value: { twice: 42 } });
  });

  test.each([
    ['raises', 'def execute(params, p):\n    raise ValueError("bad")', 'threw', /ValueError: bad/],
    ['has no execute', 'x = 1', 'threw', /function named execute/],
    ['does not parse', 'def (', 'threw', /SyntaxError/],
    ['returns NaN', 'def execute(params, p):\n    return float("nan")', 'threw', /JSON/],
    ['exits', 'import sys\ndef execute(params, p):\n    sys.exit(4)', 'crashed', /exit code 4/],
    ['dies', 'import os\ndef execute(params, p):\n    os.kill(os.getpid(), 9)', 'crashed', /SIGKILL/],
  ])('that %s fails its call alone', async (_name, source, reason, message) => {
    using bench = createToolBench();
    const failure = failureOf(await bench.run(source, { extension: '.py' }));
    expect(failure.detail['reason']).toBe(reason);
    expect(failure.message).toMatch(message);
  });

  test('that fills the memory fails its call alone', async () => {
    using bench = createToolBench({ subprocess: { memory_mb: 64 } });
    const source = 'def execute(params, p):\n    a = []\n    while True: a.append(b"x" * 10**7)';
    expect(failureOf(await bench.run(source, { extension: '.py' })).message).toContain('out of memory');
  });

  test('runs with the virtual environment of the project', async () => {
    using bench = createToolBench();
    mkdirSync(join(bench.projectPath, '.venv', 'bin'), { recursive: true });
    const real = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout.trim();
    symlinkSync(real, join(bench.projectPath, '.venv', 'bin', 'python'));
    const outcome = await bench.run('import sys\ndef execute(params, p):\n    return sys.executable', {
      extension: '.py',
    });
    expect(outcome).toEqual({ ok: true, value: join(bench.projectPath, '.venv', 'bin', 'python') });
  });
});

describe('a tool whose interpreter is missing', () => {
  test('fails, saying where was looked', async () => {
    using bench = createToolBench({ env: { PATH: '/nowhere', RYE_PYTHON: undefined } });
    const failure = failureOf(await bench.run('', { extension: '.py' }));
    expect(failure.message).toContain('/nowhere/python3');
    expect(failure.message).toContain(join(bench.projectPath, '.venv', 'bin', 'python'));
  });

  test('is not run by another when RYE_PYTHON names nothing', async () => {
    using bench = createToolBench({ env: { PATH: process.env['PATH'], RYE_PYTHON: '/nowhere/py' } });
    expect(failureOf(await bench.run('', { extension: '.py' })).message).toMatch(/looked for \/nowhere\/py$/);
  });
});

// Skipped where there is no bash to run.
describe.skipIf(!hasBash)('a bash tool', () => {
  test.each([
    ['text', 'echo hello', 'hello'],
    ['JSON', 'echo \'{"a": [1, true]}\'', { a: [1, true] }],
    ['its input', 'cat', { n: 21 }],
    ['its project path', 'test "$1" = "$(pwd -P)" && echo same', 'same'],
    ['nothing', ':', ''],
    ['text beside errors', 'echo hello; echo oops >&2', 'hello'],
  ])('gives %s', async (_name, source, value) => {
    using bench = createToolBench();
    expect(await bench.run(source, { extension: '.sh' }, { n: 21 })).toEqual({ ok: true, value });
  });

  test('that ends with a code other than 0 fails with what it printed', async () => {
    using bench = createToolBench();
    const failure = failureOf(await bench.run('echo partial; echo reason >&2; exit 7', { extension: '.sh' }));
    expect(failure.message).toMatch(/exit code 7[\s\S]*reason/);
    expect(failure.detail).toMatchObject({ exit_code: 7, printed: 'partial\nreason\n' });
  });

  test('that writes endlessly is ended', async () => {
    using bench = createToolBench();
    expect(failureOf(await bench.run('yes', { extension: '.sh' })).detail['reason']).toBe('output_too_large');
  });
});

describe('a tool whose file has changed', () => {
  const SAYS_OLD = 'export const execute = () => "old";';
  const SAYS_NEW = SAYS_OLD.replace('old', 'new');

  /** Changes a file so that its size and times stay what they were. */
  function replace(file: string, source: string): void {
    const { atime, mtime } = statSync(file);
    writeFileSync(file, source);
    utimesSync(file, atime, mtime);
  }

  test.each([
    ['is not run', (file: string) => replace(file, SAYS_NEW)],
    ['is not run when it is gone', (file: string) => rmSync(file)],
    ['is not run when a folder is in its place', (file: string) => (rmSync(file), mkdirSync(file))],
    ['is not run when a pipe is in its place', (file: string) => (rmSync(file), spawnSync('mkfifo', [file]))],
    ['is not run when it is much larger', (file: string) => writeFileSync(file, Buffer.alloc(2 * 1024 * 1024, 32))],
  ])('%s', async (_, change) => {
    using bench = createToolBench();
    const item = bench.item(SAYS_OLD);
    const tool = createFileTool(item, bench.services);
    change(item.file);
    const outcome = await new Promise<ToolOutcome>((done) => void tool.run({}, bench.caller, done));
    expect(failureOf(outcome)).toMatchObject({ detail: { reason: 'file_changed' } });
  });

  test('while it waited in the line is not run', async () => {
    using bench = createToolBench({ maxProcesses: 1 });
    const item = bench.item(SAYS_OLD);
    const changer = `import { writeFileSync } from 'node:fs';
      export function execute() { writeFileSync(${JSON.stringify(item.file)}, ${JSON.stringify(SAYS_NEW)}); }`;
    const first = bench.run(changer);
    const tool = createFileTool(item, bench.services);
    const second = await new Promise<ToolOutcome>((done) => void tool.run({}, bench.caller, done));
    expect(await first).toEqual({ ok: true, value: null });
    expect(failureOf(second).detail['reason']).toBe('file_changed');
  });

  test('and was read again is run as it is now, with its new schema', async () => {
    using bench = createToolBench();
    const item = bench.item(SAYS_OLD);
    const tool = createFileTool(item, bench.services);
    const call = (params: Record<string, unknown>): Promise<ToolOutcome> =>
      new Promise((done) => void tool.run(params, bench.caller, done));
    expect(await call({})).toEqual({ ok: true, value: 'old' });
    writeFileSync(item.file, SAYS_NEW);
    bench.read({ ...item, inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } });
    expect(await call({ n: 1 })).toEqual({ ok: true, value: 'new' });
    expect(await call({})).toMatchObject({ failure: { code: 'tool_input_invalid' } });
  });

  test('so that it is no tool any more fails with the reason', async () => {
    using bench = createToolBench();
    const item = bench.item(SAYS_OLD);
    const tool = createFileTool(item, bench.services);
    bench.read({ ...item, toolType: 'runtime' });
    const outcome = await new Promise<ToolOutcome>((done) => void tool.run({}, bench.caller, done));
    expect(outcome).toMatchObject({ failure: { code: 'invalid_item' } });
  });
});

test('a tool of a certain space is looked for in that space again', async () => {
  using bench = createToolBench();
  const [shadowing, shipped] = ['"project"', '"system"'].map((text) =>
    bench.item(`export const execute = () => ${text};`),
  );
  const places = { project: shadowing, system: shipped, user: undefined };
  const items: FileToolsOptions['items'] = {
    tool: (id, source) => (id === shipped?.id ? places[source ?? 'project'] : undefined) ?? bench.services.lookup(id),
    listTools: () => [],
    leftOutTools: () => [],
    forget: () => undefined,
  };
  const tools = createFileTools({ items, primitives: bench.services });
  const run = (source?: 'system'): Promise<ToolOutcome> =>
    new Promise((done) => void tools.find(shipped?.id ?? '', source).run({}, bench.caller, done));
  expect(await run('system')).toEqual({ ok: true, value: 'system' });
  expect(await run()).toEqual({ ok: true, value: 'project' });
});
