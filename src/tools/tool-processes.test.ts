import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { ToolOutcome } from '../core/tool.ts';
import { createFileTool } from './file-tool.ts';
import { createToolBench, hasEnded, pidIn } from './fixtures/tool-bench.ts';

const ENDLESS = 'export function execute() { for (;;); }';

function failureOf(outcome: ToolOutcome): { message: string; detail: Readonly<Record<string, unknown>> } {
  if (outcome.ok) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`);
  expect(outcome.failure.code).toBe('tool_failed');
  return { message: outcome.failure.message, detail: outcome.failure.detail ?? {} };
}

describe('tools that run wild', () => {
  const INNOCENT = 'export const execute = async ({ n }) => (await new Promise((r) => setTimeout(r, 300)), n);';

  test.each([
    [
      'fills the memory',
      '.mjs',
      'const all = []; export function execute() { for (;;) all.push(Buffer.alloc(5e7, 1)); }',
    ],
    ['loops for ever', '.mjs', ENDLESS],
    ['calls process.exit', '.mjs', 'export const execute = () => process.exit(0);'],
    ['kills itself', '.sh', 'kill -9 $$'],
    ['kills its group', '.sh', 'kill -9 0'],
    [
      'forks a grandchild that loops',
      '.mjs',
      `import { spawn } from 'node:child_process';
       import { writeFileSync } from 'node:fs';
       export function execute() {
         const child = spawn(process.execPath, ['-e', 'for (;;);']);
         writeFileSync('pid', child.pid + '\\n');
         for (;;);
       }`,
    ],
  ])('one that %s ends alone', async (_, extension, source) => {
    using bench = createToolBench({ subprocess: { memory_mb: 64 } });
    const innocent = [1, 2, 3].map((n) => bench.run(INNOCENT, {}, { n }));
    const wild = await bench.run(source, { extension, timeoutSeconds: 1 });
    expect(failureOf(wild).detail['reason']).toMatch(/^(?:crashed|timeout)$/);
    expect(await Promise.all(innocent)).toEqual([1, 2, 3].map((value) => ({ ok: true, value })));
    const pid = pidIn(join(bench.projectPath, 'pid'));
    await vi.waitUntil(() => pid === undefined || hasEnded(pid), { timeout: 10_000 });
  });
});

describe('the processes of a call', () => {
  const LEAVES_A_CHILD = `
    import { spawn } from 'node:child_process';
    import { writeFileSync } from 'node:fs';
    const child = spawn('sleep', ['1000'], { stdio: 'inherit' });
    writeFileSync('pid', child.pid + '\\n');
  `;

  test.each([
    ['aborted', `${LEAVES_A_CHILD} export const execute = () => new Promise(() => {});`],
    ['aborted while it loops', `${LEAVES_A_CHILD} export const execute = () => { for (;;); };`],
  ])('end, grandchildren too, when it is %s, and nobody is told', async (_name, source) => {
    using bench = createToolBench();
    const done = vi.fn<(outcome: ToolOutcome) => void>();
    const running = bench.start(bench.item(source), {}, done);
    const pid = await vi.waitUntil(() => pidIn(join(bench.projectPath, 'pid')), { timeout: 10_000 });
    running?.abort();
    running?.abort();
    await vi.waitUntil(() => hasEnded(pid), { timeout: 10_000 });
    await bench.run('export const execute = () => 1;');
    expect(done).not.toHaveBeenCalled();
  });

  test('end with it when it gives its value', async () => {
    using bench = createToolBench();
    const outcome = await bench.run(`${LEAVES_A_CHILD} export const execute = () => child.pid;`);
    const pid = outcome.ok ? Number(outcome.value) : Number.NaN;
    expect(pid).toBeGreaterThan(0);
    await vi.waitUntil(() => hasEnded(pid), { timeout: 10_000 });
  });

  test('that left the group do not hold up the result', async () => {
    using bench = createToolBench();
    const source = LEAVES_A_CHILD.replace("{ stdio: 'inherit' }", "{ stdio: 'inherit', detached: true }");
    const outcome = await bench.run(`${source} child.unref(); export const execute = () => child.pid;`);
    const pid = outcome.ok ? Number(outcome.value) : Number.NaN;
    expect(hasEnded(pid)).toBe(false);
    process.kill(pid, 'SIGKILL');
  });

  test('end at once with killAll', async () => {
    using bench = createToolBench();
    const source = `${LEAVES_A_CHILD} process.on('SIGTERM', () => {}); export const execute = () => { for (;;); };`;
    bench.start(bench.item(source), {}, () => {});
    const pid = await vi.waitUntil(() => pidIn(join(bench.projectPath, 'pid')), { timeout: 10_000 });
    expect(hasEnded(pid)).toBe(false);
    bench.runtime.killAll();
    await vi.waitUntil(() => hasEnded(pid), { timeout: 10_000 });
  });
});

describe('processes at a time', () => {
  const MARKS = `
    import { appendFileSync, readFileSync } from 'node:fs';
    export async function execute({ name }) {
      appendFileSync('log', 'in ' + name + '\\n');
      await new Promise((resolve) => setTimeout(resolve, 50));
      appendFileSync('log', 'out ' + name + '\\n');
      return readFileSync('log', 'utf8');
    }`;

  test('are never more than the cap, and start in the order they were asked for', async () => {
    using bench = createToolBench({ maxProcesses: 1 });
    const outcomes = await Promise.all(['a', 'b', 'c'].map((name) => bench.run(MARKS, {}, { name })));
    const last = outcomes.at(-1);
    expect(last?.ok && last.value).toBe('in a\nout a\nin b\nout b\nin c\nout c\n');
  });

  test('do not include one that was aborted in the line', async () => {
    using bench = createToolBench({ maxProcesses: 1 });
    const tool = createFileTool(bench.item(MARKS), bench.services);
    const done = vi.fn<(outcome: ToolOutcome) => void>();
    const first = bench.run(MARKS, {}, { name: 'a' });
    tool.run({ name: 'b' }, bench.caller, done)?.abort();
    const third = await bench.run(MARKS, {}, { name: 'c' });
    await first;
    expect(third.ok && third.value).toBe('in a\nout a\nin c\nout c\n');
    expect(done).not.toHaveBeenCalled();
  });

  test('make room when one is aborted or could not be started', async () => {
    using bench = createToolBench({ maxProcesses: 1 });
    bench.start(bench.item(ENDLESS), {}, () => {})?.abort();
    const gone = { ...bench.caller, projectPath: join(bench.projectPath, 'gone') };
    createFileTool(bench.item(ENDLESS), bench.services).run({}, gone, () => {});
    expect(await bench.run('export const execute = () => 1;')).toEqual({ ok: true, value: 1 });
  });
});
