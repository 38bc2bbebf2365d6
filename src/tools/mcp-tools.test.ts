import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { systemClock } from '../core/clock.ts';
import type { ToolOutcome } from '../core/tool.ts';
import { createMcpBench, rogueServer, stdioServer, type McpBench } from './fixtures/mcp-bench.ts';
import { hasEnded } from './fixtures/tool-bench.ts';

const EVERYTHING = [['rye.execute.tool.mcp.*']];

describe('The tools of an MCP server', () => {
  test('are there once a server was asked for them, made fit for a palette', async () => {
    await using bench = createMcpBench({ fixture: stdioServer() });
    expect(bench.tools.all()).toEqual([]);
    await bench.tools.ready([['rye.execute.tool.mcp.fixture.echo']]);
    const tools = new Map(bench.tools.all().map((tool) => [tool.id, tool]));
    expect(tools.get('mcp/fixture/echo')).toMatchObject({
      description: '(MCP server fixture) Gives back what it is told',
      inputSchema: { required: ['text'], additionalProperties: false },
      idempotent: false,
    });
    const hostile = tools.get('mcp/fixture/___ev_il_tool');
    expect(hostile?.inputSchema).toEqual({ type: 'object' });
    expect(hostile?.description).toMatch(
      /^\(MCP server fixture\) Harmless x+…\nIts parameters, .*"description":"hidden"/,
    );
    expect(hostile?.description.length).toBeLessThan(3_000);
    expect([...tools.keys()]).not.toContain('mcp/fixture/deep');
    expect(bench.problems.map(({ message }) => message)).toEqual([
      'MCP server fixture: the tool "deep" is left out: its input schema is too large',
    ]);
  });

  test.each<[string, Readonly<Record<string, unknown>>, object]>([
    ['echo', { text: 'ab' }, { ok: true, value: 'ab' }],
    ['echo', { text: 'ab', times: 2 }, { ok: true, value: 'abab' }],
    [
      'echo',
      { times: 2 },
      { ok: false, failure: { code: 'tool_input_invalid', message: expect.stringMatching(/text is required/) } },
    ],
    ['sum', { numbers: [1, 2.5] }, { ok: true, value: { sum: 3.5 } }],
    ['___ev_il_tool', { any: [1] }, { ok: true, value: '{"any":[1]}' }],
    ['fail', {}, failed('threw', /^tool mcp\/fixture\/fail failed: there is no more paper$/)],
    ['big', {}, failed('output_too_large', /more than 1048576 characters/)],
    [
      'sum',
      { numbers: 'x' },
      { ok: false, failure: { code: 'tool_input_invalid', message: expect.stringMatching(/numbers must be array/) } },
    ],
  ])('%s with %j gives its result', async (name, input, expected) => {
    await using bench = createMcpBench({ fixture: stdioServer() });
    expect(await bench.call(`mcp/fixture/${name}`, input)).toMatchObject(expected);
  });

  test('describe what is no text in its place', async () => {
    await using bench = createMcpBench({ fixture: stdioServer() });
    expect(await bench.call('mcp/fixture/pictures')).toEqual({
      ok: true,
      value: [
        'Look:',
        '[image image/png, 3 bytes, not shown]',
        '[audio audio/wav, 2 bytes, not shown]',
        '[resource file:///a.txt text/plain]',
        'inside',
        '[resource file:///b.bin, 1 bytes, not shown]',
        '[resource file:///c: C the third]',
      ].join('\n'),
    });
  });

  test('keep the digits of ids that they give, and numbers in their schemas', async () => {
    await using bench = createMcpBench({ rogue: rogueServer('manyDigits') });
    expect(await bench.call('mcp/rogue/go')).toEqual({
      ok: true,
      value: { structured_content: { id: '1765432109876543211' }, content: 'Found' },
    });
    expect(bench.tools.find('mcp/rogue/go')?.inputSchema).toMatchObject({ properties: { id: { maximum: 2 ** 63 } } });
  });

  test('are asked for again after the server said that they have changed', async () => {
    await using bench = createMcpBench({ fixture: stdioServer() });
    await bench.tools.ready(EVERYTHING);
    expect(bench.tools.ready(EVERYTHING)).toBeUndefined();
    const before = bench.tools.version();
    expect(await bench.call('mcp/fixture/grow')).toEqual({ ok: true, value: 'grown' });
    await bench.tools.ready(EVERYTHING);
    expect(bench.tools.version()).toBeGreaterThan(before);
    expect(bench.tools.all().map(({ id }) => id)).toContain('mcp/fixture/late');
  });

  test('belong to their server, whether it has them or not', async () => {
    await using bench = createMcpBench({ fixture: stdioServer(), off: stdioServer({ enabled: false }) });
    const ids = ['mcp/fixture/echo', 'mcp/fixture/other', 'mcp/off/echo', 'mcp/fixture', 'mcp/fixture/a/b', 'rye/bash'];
    expect(ids.filter((id) => bench.tools.find(id))).toEqual(['mcp/fixture/echo', 'mcp/fixture/other']);
    expect(await bench.call('mcp/fixture/other')).toMatchObject({ failure: { code: 'tool_unknown' } });
  });
});

describe('A server is asked', () => {
  test.each([
    ['a tool by its name', [['rye.execute.tool.mcp.rogue.go']], true],
    ['all of the server', [['rye.execute.tool.mcp.rogue.*']], true],
    ['everything', [['*']], true],
    ['every tool, below a parent with this one', [['rye.execute.tool.*'], ['rye.execute.tool.mcp.rogue.go']], true],
    ['every tool, below a parent without it', [['rye.execute.tool.*'], ['rye.execute.tool.rye.*']], false],
    ['another server', [['rye.execute.tool.mcp.rogue2.*']], false],
    ['a directive of its name', [['rye.execute.directive.mcp.rogue.*']], false],
    ['nothing', [], false],
  ])('for a thread that is granted %s: %j', async (_, capabilities, asked) => {
    await using bench = createMcpBench({ rogue: rogueServer('noisy') });
    await bench.tools.ready(capabilities);
    expect(bench.tools.all().map(({ id }) => id)).toEqual(asked ? ['mcp/rogue/go'] : []);
    expect(bench.tools.troubles(capabilities)).toEqual([]);
  });

  test('once for all that wait', async () => {
    await using bench = createMcpBench({ fixture: stdioServer() });
    const pids = await Promise.all(
      Array.from({ length: 5 }, async () => {
        await bench.tools.ready(EVERYTHING);
        return placeOf(await bench.call('mcp/fixture/where')).pid;
      }),
    );
    expect(new Set(pids).size).toBe(1);
  });
});

describe('The process of a server', () => {
  test('sees what is allowed of the environment, works in the project, and ends with all it started', async () => {
    const env = { SECRET: 'hidden', GIVEN: 'shown' };
    const bench = createMcpBench({ fixture: stdioServer({ env: ['GIVEN', 'ABSENT'] }) }, { env });
    const { folder } = bench;
    const place = placeOf(await bench.call('mcp/fixture/where'));
    expect(place.env.toSorted()).toEqual(['GIVEN', 'HOME', 'PATH']);
    expect(place.cwd).toBe(folder);
    expect([place.pid, place.child].map(hasEnded)).toEqual([false, false]);
    await bench[Symbol.asyncDispose]();
    await vi.waitUntil(() => hasEnded(place.pid) && hasEnded(place.child), { timeout: 10_000 });
  });

  test('is killed with the worker, without a word', async () => {
    await using bench = createMcpBench({ fixture: stdioServer() });
    const place = placeOf(await bench.call('mcp/fixture/where'));
    bench.tools.killAll();
    await vi.waitUntil(() => hasEnded(place.pid) && hasEnded(place.child), { timeout: 10_000 });
    expect(await bench.call('mcp/fixture/echo', { text: 'a' })).toMatchObject({ failure: { code: 'runtime_closed' } });
  });

  test.each<[string, (bench: McpBench) => Promise<void> | void]>([
    ['closed in good order', ({ tools }) => tools.close()],
    ['killed with the worker', ({ tools }) => tools.killAll()],
  ])('has a guard that ends when it is %s', async (_, end) => {
    const others = guards();
    await using bench = createMcpBench({ fixture: stdioServer() });
    await bench.tools.ready(EVERYTHING);
    const guard = guards().find((pid) => !others.includes(pid));
    expect(guard).toBeDefined();
    await end(bench);
    await vi.waitUntil(() => !guards().includes(guard ?? ''), { timeout: 10_000 });
  });

  test('is not waited for when it is still being started', async () => {
    await using bench = createMcpBench({ rogue: rogueServer('silent') });
    const ready = bench.tools.ready([['*']]);
    await bench.tools.close();
    await ready;
    expect(bench.tools.all()).toEqual([]);
  });

  test('is not waited for when it says nothing of its tools', async () => {
    await using bench = createMcpBench({ rogue: rogueServer('closedList', 600) });
    const ready = bench.tools.ready([['*']]);
    await vi.waitUntil(() => existsSync(join(bench.folder, 'asked')), { timeout: 10_000 });
    await bench.tools.close();
    await ready;
    expect(bench.tools.all()).toEqual([]);
  });
});

describe('A call', () => {
  test('that is aborted is cancelled at the server, and not heard of again', async () => {
    await using bench = createMcpBench({ fixture: stdioServer() });
    const done = vi.fn<(outcome: ToolOutcome) => void>();
    const running = bench.start('mcp/fixture/slow', done);
    await vi.waitUntil(() => existsSync(join(bench.folder, 'started')), { timeout: 10_000 });
    running?.abort();
    await vi.waitUntil(() => existsSync(join(bench.folder, 'cancelled')), { timeout: 10_000 });
    expect(await bench.call('mcp/fixture/echo', { text: 'still there' })).toEqual({ ok: true, value: 'still there' });
    expect(done).not.toHaveBeenCalled();
  });

  test.each([
    ['is answered late', 'late'],
    ['is answered twice', 'twice'],
    ['tells of its progress', 'progress'],
  ])('that is cancelled, or %s, has nobody doubt the server', async (_, how) => {
    await using bench = createMcpBench({ rogue: rogueServer(how) });
    await bench.tools.ready(EVERYTHING);
    bench.start('mcp/rogue/go', () => undefined)?.abort();
    const first = bench.start('mcp/rogue/go', () => undefined);
    await bench.call('mcp/rogue/go');
    first?.abort();
    await bench.call('mcp/rogue/go');
    expect(await bench.call('mcp/rogue/go')).toEqual({ ok: true, value: 'pinged 0 times' });
  });

  test('that crashes the server fails alone with what it printed; the next one connects again', async () => {
    await using bench = createMcpBench({ fixture: stdioServer() });
    const crash = await bench.call('mcp/fixture/crash');
    expect(crash).toMatchObject(failed('crashed', /^the MCP server fixture ended: .*Something terrible/s));
    expect(await bench.call('mcp/fixture/echo', { text: 'again' })).toEqual({ ok: true, value: 'again' });
  });

  test('finds a server that fails again and again ever more rarely tried, until a call has succeeded', async () => {
    const hand = createHandClock();
    const clock = { ...systemClock, now: hand.now, stopwatch: hand.stopwatch };
    await using bench = createMcpBench({ fixture: stdioServer() }, { clock });
    const crash = async (): Promise<unknown> => reasonOf(await bench.call('mcp/fixture/crash'));
    expect([await crash(), await crash(), await crash()]).toEqual(['crashed', 'crashed', 'not_connected']);
    // Whoever sets the clock back changes nothing.
    hand.set(-5 * 3_600_000);
    hand.advance(1_000);
    expect([await crash(), await crash()]).toEqual(['crashed', 'not_connected']);
    hand.advance(1_000);
    expect(await crash()).toBe('not_connected');
    hand.advance(1_000);
    expect(await bench.call('mcp/fixture/echo', { text: 'a' })).toMatchObject({ ok: true });
    expect([await crash(), await crash()]).toEqual(['crashed', 'crashed']);
  });
});

// They wait at the same time.
describe.concurrent('A call that takes too long', () => {
  test('is given up, and the server stays', async () => {
    await using bench = createMcpBench({ fixture: stdioServer({ timeoutSeconds: 8 }) });
    const { pid } = placeOf(await bench.call('mcp/fixture/where'));
    expect(await bench.call('mcp/fixture/slow')).toMatchObject(failed('timeout', /within 8 s/));
    expect(placeOf(await bench.call('mcp/fixture/where')).pid).toBe(pid);
  });

  test('harms nobody who still waits for a server that works', async () => {
    await using bench = createMcpBench({ rogue: rogueServer('sequential', 8) });
    await bench.tools.ready(EVERYTHING);
    const first = bench.call('mcp/rogue/go');
    const late = bench.call('mcp/rogue/go');
    expect(await first).toEqual({ ok: true, value: 'fine' });
    const beside = bench.call('mcp/rogue/go');
    expect(reasonOf(await late)).toBe('timeout');
    expect(await beside).toEqual({ ok: true, value: 'fine' });
  });

  test('has a server ended that it blocks, and those beside it are told', async () => {
    await using bench = createMcpBench({ fixture: stdioServer({ timeoutSeconds: 8 }) });
    const { pid } = placeOf(await bench.call('mcp/fixture/where'));
    expect(await bench.call('mcp/fixture/block')).toMatchObject({ failure: { detail: { reason: 'timeout' } } });
    const beside = await bench.call('mcp/fixture/echo', { text: 'a' });
    expect(['crashed', 'timeout']).toContain(reasonOf(beside));
    await vi.waitUntil(() => hasEnded(pid), { timeout: 10_000 });
    expect(await bench.call('mcp/fixture/echo', { text: 'a' })).toEqual({ ok: true, value: 'a' });
  });
});

describe('A server that can not be used', () => {
  test.each([
    ['is no program', stdioServer({ command: 'skein-no-such-program' }), /skein-no-such-program/],
    ['is a path that leads nowhere', stdioServer({ command: '/no/such/program' }), /\/no\/such\/program/],
    ['ends at once', rogueServer('gone'), /the MCP server it ended/],
    ['does not answer', rogueServer('silent', 0.5), /did not answer within 0\.5 s/],
    ['is at its list for too long', rogueServer('slowList', 0.8), /did not answer within 0\.8 s/],
    ['lists nothing that makes sense', rogueServer('noList'), /gave an answer that is none by the protocol/],
  ])('because it %s leaves its tools out and says why', async (_, server, message) => {
    await using bench = createMcpBench({ it: server });
    await bench.tools.ready([['*']]);
    expect(bench.tools.all()).toEqual([]);
    expect(bench.tools.troubles([['*']])).toEqual([expect.stringMatching(message)]);
    expect(bench.problems).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })]);
    expect(await bench.call('mcp/it/go')).toMatchObject({ ok: false, failure: { code: 'tool_failed' } });
  });

  test.each([
    ['prints to stdout what is no message', 'noisy', { ok: true, value: 'fine' }],
    ['never ends its list', 'endlessList', { ok: true, value: 'fine' }],
    ['lists what is no tool, one twice, and far too many', 'oddList', { ok: true, value: 'fine' }],
    [
      'gives content of its own kind',
      'oddResult',
      { ok: true, value: expect.stringMatching(/^(\[content of the type \w+, .*\n?){3}$/) },
    ],
    ['answers what nobody has asked, nested deep', 'deepAnswer', { ok: true, value: 'fine' }],
    ['fails with data nested deep', 'deepError', failed('refused', /refused the request: .*no/)],
    ['gives no content', 'noResult', failed('refused', /none by the protocol/)],
    ['writes a line without an end', 'babbling', failed('crashed', /a message of more than 4194304 bytes/)],
    ['writes messages without an end', 'flooding', failed('crashed', /does not stop writing/)],
  ])('or that %s harms nobody', async (_, how, expected) => {
    await using bench = createMcpBench({ it: rogueServer(how) });
    expect(await bench.call('mcp/it/go')).toMatchObject(expected);
    expect(bench.tools.all().length).toBeLessThanOrEqual(128);
  });
});

type Place = { readonly pid: number; readonly child: number; readonly cwd: string; readonly env: readonly string[] };

/** What the tool `where` says. */
function placeOf(outcome: ToolOutcome): Place {
  expect(outcome).toMatchObject({ ok: true, value: expect.any(String) });
  // Made by the fixture.
  return JSON.parse(String((outcome as { value?: unknown }).value)) as Place;
}

/** Pids of the guards that this process has started. */
function guards(): readonly string[] {
  const processes = execFileSync('ps', ['-A', '-ww', '-o', 'ppid=,pid=,args='], { encoding: 'utf8' }).split('\n');
  return processes.flatMap((line) => {
    const [parent, pid = ''] = line.trim().split(/\s+/);
    return parent === String(process.pid) && line.endsWith('skein-orphan-guard') ? [pid] : [];
  });
}

function reasonOf(outcome: ToolOutcome): unknown {
  return outcome.ok ? 'succeeded' : outcome.failure.detail?.['reason'];
}

function failed(reason: string, message: RegExp): object {
  return { ok: false, failure: { code: 'tool_failed', message: expect.stringMatching(message), detail: { reason } } };
}
