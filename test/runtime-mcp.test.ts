import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { hasEnded, pidIn } from '../src/tools/fixtures/tool-bench.ts';
import { call, give, NEVER, refusal, scene, startOn, until, type Part, type Scene } from './fixtures/scene.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/mcp-server.mjs', import.meta.url));
const ROGUE = fileURLToPath(new URL('fixtures/mcp-rogue.mjs', import.meta.url));

/** Where the server of the fixture leaves its pid, and its tool `slow` its marks. */
let marks: string;
beforeEach(() => {
  marks = mkdtempSync(join(tmpdir(), 'skein-marks-'));
});
afterEach(() => rmSync(marks, { recursive: true, force: true }));

const marked = (name: string): boolean => existsSync(join(marks, name));

type Settings = { readonly args?: readonly string[]; readonly timeout_seconds?: number };

const withServer = ({ args = [FIXTURE, marks], ...more }: Settings = {}) => ({
  config: { mcp: { servers: { fixture: { command: process.execPath, args, ...more } } } },
});

const ECHO = call('mcp_fixture_echo', { text: 'hello' });

/** A thread that is granted these tools, makes one call and gives back what it heard. */
const asks = (
  tools: readonly string[],
  first: Pick<Part['says'][number], 'tool_calls'> = ECHO,
): { readonly ask: Part } => ({
  ask: { tools, outputs: ['heard'], says: [first, give({ heard: '${last.text}' })] },
});

async function run({ runtime, project }: Scene) {
  const thread = await runtime.spawn('ask');
  const ending = await thread.result;
  return { ending, log: project.log(thread.id) };
}

describe('A thread that is granted a tool of an MCP server', () => {
  test('calls it like any other, and the server ends with the runtime', async () => {
    const own = await scene(asks(['mcp/fixture/echo']), withServer());
    const { ending, log } = await run(own);
    expect(ending).toMatchObject({ status: 'completed', outputs: { heard: 'hello' } });
    const calls = log.flatMap(({ event_type: type, payload }) => (type.startsWith('tool_call') ? [payload] : []));
    expect(calls).toMatchObject([
      { tool: 'mcp_fixture_echo', input: { text: 'hello' } },
      { output: 'hello' },
      { tool: expect.stringContaining('directive_return') },
      {},
    ]);
    const pid = pidIn(join(marks, 'pid')) ?? 0;
    expect(hasEnded(pid)).toBe(false);
    await own[Symbol.asyncDispose]();
    // It had time to put away what it has.
    expect(marked('ended')).toBe(true);
    await vi.waitUntil(() => hasEnded(pid), { timeout: 10_000 });
  });

  test('by a wildcard, with everything or by its id calls it too', async () => {
    const byId = call('rye_execute', { item_id: 'mcp/fixture/echo', parameters: { text: 'hello' } });
    const parts = {
      wildcard: asks(['mcp/fixture/*']).ask,
      everything: asks(['*']).ask,
      by_id: asks(['mcp/*'], byId).ask,
    };
    await using own = await scene(parts, withServer());
    const threads = await Promise.all(Object.keys(parts).map((directive) => own.runtime.spawn(directive)));
    const heard = { status: 'completed', outputs: { heard: expect.stringContaining('hello') } };
    expect(await Promise.all(threads.map(({ result }) => result))).toMatchObject([heard, heard, heard]);
  });

  test('calls it after it was read back in another runtime', async () => {
    const slow: Record<string, Part> = { ask: { tools: ['mcp/fixture/echo'], outputs: ['heard'], says: [NEVER] } };
    await using own = await scene(slow, withServer());
    const thread = await own.runtime.spawn('ask');
    await until(thread, 'cognition_in');
    await own.runtime.close({ graceMs: 0 });
    await using next = await startOn(own.project, asks(['mcp/fixture/echo']), withServer());
    const handle = next.thread(thread.id);
    await handle.resume();
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { heard: 'hello' } });
  });

  test('has the call cancelled with itself', async () => {
    await using own = await scene(asks(['mcp/fixture/slow'], call('mcp_fixture_slow')), withServer());
    const thread = await own.runtime.spawn('ask');
    await vi.waitUntil(() => marked('started'), { timeout: 10_000 });
    await thread.cancel();
    expect(await thread.result).toMatchObject({ status: 'cancelled' });
    await vi.waitUntil(() => marked('cancelled'), { timeout: 10_000 });
  });

  test('hears of a crash of the server, and calls it again', async () => {
    const parts: Record<string, Part> = {
      ask: {
        tools: ['mcp/fixture/*'],
        outputs: ['heard'],
        says: [call('mcp_fixture_crash'), ECHO, give({ heard: '${last.text}' })],
      },
    };
    await using own = await scene(parts, withServer());
    const { ending, log } = await run(own);
    expect(ending).toMatchObject({ status: 'completed', outputs: { heard: 'hello' } });
    expect(log.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({ error: expect.stringMatching(/\[tool_failed\].*the MCP server fixture ended/) }),
    );
  });
});

describe('A thread that is not', () => {
  test('does not see it, and the server is not started', async () => {
    await using own = await scene(asks(['rye/file-system/*', 'mcp/other/*']), withServer());
    const { log } = await run(own);
    expect(log.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({ error: expect.stringMatching(/tool_unknown|permission_denied/) }),
    );
    expect(marked('pid')).toBe(false);
  });

  test('gets no file of the project in its place', async () => {
    const executes = call('rye_execute', { item_id: 'mcp/other/echo', source: 'project' });
    await using own = await scene(asks(['mcp/other/*'], executes));
    own.project.write(
      '.ai/tools/mcp/other/echo.js',
      "export const __tool_type__ = 'node';\nexport const execute = () => 'mine';\n",
    );
    const { log } = await run(own);
    const payloads = log.map(({ payload }) => payload);
    expect(payloads).toContainEqual(expect.objectContaining({ error: expect.stringContaining('item_id_refused') }));
    expect(JSON.stringify(payloads)).not.toContain('"mine"');
    const tool = { id: 'mcp/other/echo', description: 'Mine', input: z.object({}), run: () => 'mine' };
    expect(await refusal(() => own.runtime.registerTool(tool))).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('A server that can not be used', () => {
  test('is named in the log of a thread that is granted its tools, which starts without them', async () => {
    await using own = await scene(asks(['mcp/fixture/*']), withServer({ args: [ROGUE, 'gone'] }));
    const { log } = await run(own);
    const warnings = log.flatMap(({ event_type: type, payload }) => (type === 'warning' ? [payload] : []));
    expect(warnings).toContainEqual({
      code: 'not_available',
      message: expect.stringMatching(/^the MCP server fixture /),
    });
  });

  test('holds up neither a cancellation nor the end of the runtime', async () => {
    await using own = await scene(
      asks(['mcp/fixture/*']),
      withServer({ args: [ROGUE, 'silent'], timeout_seconds: 600 }),
    );
    const first = await own.runtime.spawn('ask');
    const second = await own.runtime.spawn('ask');
    await first.cancel();
    expect(await first.result).toMatchObject({ status: 'cancelled' });
    await own.runtime.close({ graceMs: 0 });
    expect(await second.result).toMatchObject({ status: 'suspended' });
  });
});
