import { once } from 'node:events';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  TOKEN_HEADER,
  type ApprovalsAnswer,
  type EventAnswer,
  type EventsAnswer,
  type FailuresAnswer,
  type LevelAnswer,
  type LiveMessage,
  type MachinesAnswer,
  type PathAnswer,
  type ProjectAnswer,
  type PromptAnswer,
  type SearchAnswer,
  type ThreadAnswer,
  type TimelineAnswer,
} from '../src/inspect/api.ts';
import { MAX_BODY_BYTES } from '../src/inspect/server/guard.ts';
import type { Runtime } from '../src/index.ts';
import { serve, type RawRequest, type Served } from './fixtures/dashboard.ts';
import { startSkein } from './fixtures/skein-command.ts';
import {
  call,
  give,
  NEVER,
  project,
  SPAWN,
  startOn,
  starterOf,
  THREAD_TOOLS,
  until,
  type Part,
  type Project,
} from './fixtures/scene.ts';

const PARTS: Readonly<Record<string, Part>> = {
  leaf: { outputs: ['n:integer'], says: [give({ n: 7 })] },
  endless: { body: 'Think about the purple heron.', says: [NEVER] },
  fan: starterOf(['leaf', 'leaf', 'endless'], NEVER),
  teller: { says: [{ text: 'wren '.repeat(1_000), chunks: 1_000, delay_ms: 100_000 }] },
  patient: { tools: THREAD_TOOLS, says: [call(SPAWN, { directive_name: 'endless' })] },
  waiting: {
    limits: { turns: 1 },

    says: [{ tool_calls: [{ name: SPAWN, input: { directive_name: 'leaf' } }] }],
  },
  guarded: {
    hooks:
      '<hook id="gate" event="before_tool">' +
      '<action primary="execute" item_type="tool" item_id="rye/agent/threads/internal/control">' +
      '<param name="action" value="escalate"/></action></hook>',
    says: [call('rye_file_system_ls')],
  },
};

/** Totals are counted once a second at most. */
const SOON = { timeout: 20_000 };

let own: Project;
let runtime: Runtime;
let served: Served;
let page: string;

beforeAll(async () => {
  own = project(PARTS);
  page = mkdtempSync(join(tmpdir(), 'skein-page-'));
  mkdirSync(join(page, 'assets'));
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>Skein</title>');
  writeFileSync(join(page, 'assets', 'main-1234.js'), 'export {};');
  runtime = await startOn(own, PARTS, {
    config: { resilience: { limits: { enforcement: { on_exceed: 'escalate' } } } },
  });
  served = await serve(own.path, page);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await runtime.close({ graceMs: 0 });
  own[Symbol.dispose]();
  rmSync(page, { recursive: true });
});

/** A thread of `fan` whose children are all there. */
async function fan(): Promise<string> {
  const handle = await runtime.spawn('fan');
  let started = 0;
  await until(handle, 'child_thread_started', () => ++started === 3);
  return handle.id;
}

function levelOf(parent: string, rest = ''): Promise<LevelAnswer> {
  return served.get<LevelAnswer>(`/threads?parent=${parent}${rest}`);
}

describe('What is asked from elsewhere', () => {
  const good = (): Readonly<Record<string, string>> => ({ [TOKEN_HEADER]: served.token });
  const json = { 'content-type': 'application/json' };
  const CHANGE = '/api/threads/thread-1/cancel';

  test.each<[string, () => RawRequest, number]>([
    ['with a wrong host', () => ({ path: '/api/project', headers: { ...good(), host: 'evil.example' } }), 403],
    ['with a host of another port', () => ({ path: '/api/project', headers: { ...good(), host: '127.0.0.1:1' } }), 403],
    ['for the page with a wrong host', () => ({ path: '/', headers: { host: 'evil.example' } }), 403],
    [
      'from a foreign origin',
      () => ({ path: '/api/project', headers: { ...good(), origin: 'http://evil.example' } }),
      403,
    ],
    ['from a page without an origin', () => ({ path: '/api/project', headers: { ...good(), origin: 'null' } }), 403],
    ['for the page from a foreign origin', () => ({ path: '/', headers: { origin: 'https://evil.example' } }), 403],
    ['without a token', () => ({ path: '/api/project' }), 403],
    ['with an empty token', () => ({ path: '/api/project', headers: { [TOKEN_HEADER]: '' } }), 403],
    ['with a wrong token', () => ({ path: '/api/project', headers: { [TOKEN_HEADER]: `${served.token}x` } }), 403],
    ['with the token in the address', () => ({ path: `/api/project?token=${served.token}` }), 403],
    ['for the live view without a token', () => ({ path: '/api/live' }), 403],
    ['for what there is not, without a token', () => ({ path: '/api/nothing' }), 403],
    // What is another spelling of /api/project to whoever reads the path.
    ['without a token, by way of another folder', () => ({ path: '/x/../api/project' }), 404],
    ['without a token, by way of an encoded folder', () => ({ path: '/x/%2e%2e/api/project' }), 404],
    ['without a token, with a point', () => ({ path: '/./api/project' }), 404],
    ['without a token, encoded', () => ({ path: '/%61pi/project' }), 404],
    ['without a token, with the whole address', () => ({ path: `${served.origin}/api/project` }), 404],
    ['without a token, with a foreign address', () => ({ path: 'http://evil.example/api/project' }), 404],
    ['to change something, without a token', () => ({ path: CHANGE, method: 'POST', headers: json, body: '{}' }), 403],
    [
      'from a foreign origin to change something',
      () => ({
        path: CHANGE,
        method: 'POST',
        headers: { ...good(), ...json, origin: 'http://localhost:1' },
        body: '{}',
      }),
      403,
    ],
    [
      'with a form',
      () => ({
        path: CHANGE,
        method: 'POST',
        headers: { ...good(), 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a=1',
      }),
      415,
    ],
    ['with a body of no type', () => ({ path: CHANGE, method: 'POST', headers: good(), body: '{}' }), 415],
    [
      'with a body that is too long',
      () => ({
        path: CHANGE,
        method: 'POST',
        headers: { ...good(), ...json, 'content-length': String(MAX_BODY_BYTES + 1) },
        body: ' '.repeat(MAX_BODY_BYTES + 1),
      }),
      413,
    ],
    [
      'with a long body that does not say so',
      () => ({
        path: CHANGE,
        method: 'POST',
        headers: { ...good(), ...json, 'transfer-encoding': 'chunked' },
        body: ' '.repeat(MAX_BODY_BYTES + 1),
      }),
      413,
    ],
    [
      'with a body that is no JSON',
      () => ({ path: CHANGE, method: 'POST', headers: { ...good(), ...json }, body: '{' }),
      400,
    ],
    [
      'with a body that has more than it should',
      () => ({ path: CHANGE, method: 'POST', headers: { ...good(), ...json }, body: '{"also":1}' }),
      400,
    ],
    ['with another method', () => ({ path: '/api/project', method: 'DELETE', headers: good() }), 405],
    [
      'with what a browser asks before it posts',
      () => ({ path: '/api/project', method: 'OPTIONS', headers: good() }),
      405,
    ],
    ['to post to the page', () => ({ path: '/', method: 'POST' }), 405],
    ['for what there is not', () => ({ path: '/api/nothing', headers: good() }), 404],
    ['for a thread that there is not', () => ({ path: '/api/threads/thread-1', headers: good() }), 404],
    ['for a file outside of the page', () => ({ path: '/../package.json' }), 404],
    ['for a file outside of the page, encoded', () => ({ path: '/%2e%2e%2fpackage.json' }), 404],
    ['with a query that has more than it should', () => ({ path: '/api/project?x=1', headers: good() }), 400],
    ['for a page of too many', () => ({ path: '/api/threads?limit=501', headers: good() }), 400],
  ])('%s is refused', async (_, asked, status) => {
    const answer = await served.raw(asked());
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
    expect(answer.headers).toMatchObject(SAFE);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each([
    ['/', 'text/html; charset=utf-8', 'no-store'],
    ['/index.html', 'text/html; charset=utf-8', 'no-store'],
    ['/assets/main-1234.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
  ])('The page is there without a token: %s', async (path, type, cache) => {
    const answer = await served.raw({ path });
    expect(answer).toMatchObject({ status: 200, headers: { ...SAFE, 'content-type': type, 'cache-control': cache } });
  });

  test('An answer of the API has the same headers, and is kept by nobody', async () => {
    const answer = await served.raw({ path: '/api/project', headers: good() });
    expect(answer).toMatchObject({ status: 200, headers: { ...SAFE, 'cache-control': 'no-store' } });
  });
});

/** Headers of every answer. */
const SAFE = {
  'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

describe('With a runtime', () => {
  test('the project, its tree and one thread are shown', async () => {
    const id = await fan();
    await expect.poll(async () => (await levelOf(id)).totals.counts, SOON).toEqual({ completed: 2, running: 1 });
    const about = await served.get<ProjectAnswer>('/project');
    expect(about).toMatchObject({
      name: 'demo',
      runtime: {
        running: expect.any(Number),
        workers: [
          {
            number: 0,
            threads: expect.any(Number),
            input_tokens: expect.any(Number),
            cache_read_tokens: expect.any(Number),
          },
        ],
      },
    });
    const roots = await levelOf('root');
    expect(roots.threads.find((thread) => thread.id === id)).toMatchObject({
      directive: 'fan',
      status: 'running',
      children: 3,
    });
    const level = await levelOf(id);
    expect(level.threads.map(({ directive, status, parent }) => [directive, status, parent])).toEqual([
      ['leaf', 'completed', id],
      ['leaf', 'completed', id],
      ['endless', 'running', id],
    ]);
    const child = level.threads[2]?.id ?? '';
    const thread = await served.get<ThreadAnswer>(`/threads/${child}`);
    expect(thread).toMatchObject({
      thread: { id: child, parent: id, directive: 'endless' },
      ancestors: [{ id }],
      machine: { state: 'running.calling', as_of: 'worker' },
      limits: { turns: expect.any(Number) },
      chain: [{ id: child, status: 'running' }],
      ending: null,
    });
    expect(thread.budget.map((account) => account.id)).toEqual([id, child]);
    for (const { max, reserved, spent, remaining } of thread.budget)
      expect(max - reserved - spent).toBeCloseTo(remaining);
    await runtime.orchestrator.killThread(id);
  });

  test('a level comes in pages, and of some states alone', async () => {
    const id = await fan();
    await expect.poll(async () => (await levelOf(id)).totals.counts, SOON).toEqual({ completed: 2, running: 1 });
    const first = await levelOf(id, '&limit=2');
    const second = await levelOf(id, `&limit=2&after=${first.next}`);
    expect([first.threads.length, second.threads.length, second.next]).toEqual([2, 1, undefined]);
    const ended = await levelOf(id, '&status=completed,error');
    expect(ended.threads.map(({ status }) => status)).toEqual(['completed', 'completed']);
    await runtime.orchestrator.killThread(id);
  });

  test('a log is read from its end, backwards, on, and event by event', async () => {
    const handle = await runtime.spawn('leaf');
    await handle.result;
    const at = `/threads/${handle.id}/events`;
    const last = await served.get<EventsAnswer>(`${at}?limit=2`);
    expect(last.events.at(-1)?.event_type).toBe('thread_completed');
    const rest = await served.get<EventsAnswer>(`${at}?before=${last.before}`);
    expect(rest.events[0]?.event_type).toBe('thread_started');
    expect(rest.before).toBeUndefined();
    const all = await served.get<EventsAnswer>(`${at}?after=0`);
    expect(all.events).toEqual([...rest.events, ...last.events]);
    expect(all).toMatchObject({ more: false, after: last.after });
    const { event } = await served.get<EventAnswer>(`${at}/1`);
    expect(event).toEqual(all.events[0]);
    const path = await served.get<PathAnswer>(`/threads/${handle.id}/path`);
    expect(path.steps.map(({ state }) => state)).toEqual(expect.arrayContaining(['running.starting', 'completed']));
    const { failures } = { failures: await served.get<FailuresAnswer>(`/threads/${handle.id}/failures`) };
    expect(failures).toEqual({ id: handle.id, events: [], up_to: expect.any(Number) });
  });

  test('a prompt is shown by where its parts are from', async () => {
    const handle = await runtime.spawn('endless');
    await until(handle, 'cognition_in');
    await expect
      .poll(async () => (await served.get<PromptAnswer>(`/threads/${handle.id}/prompt`)).parts)
      .toEqual([expect.objectContaining({ role: 'user', text: expect.stringContaining('purple heron') })]);
    await handle.cancel();
  });

  test('a text is found wherever it stands, and below one thread alone', async () => {
    const id = await fan();
    await expect
      .poll(async () => (await served.get<SearchAnswer>('/search?query=PURPLE%20heron&limit=1')).hits)
      .toEqual([expect.objectContaining({ directive: 'endless', snippet: expect.stringContaining('purple heron') })]);
    const below = await served.get<SearchAnswer>(`/search?query=purple%20heron&under=${id}`);
    const { threads } = await levelOf(id);
    expect(new Set(below.hits.map(({ thread_id: thread }) => thread))).toEqual(new Set([threads[2]?.id]));
    expect(below.next).toBeUndefined();
    const first = await served.get<SearchAnswer>('/search?query=leaf&limit=1');
    const second = await served.get<SearchAnswer>(`/search?query=leaf&limit=1&cursor=${first.next}`);
    expect(second.hits[0]).not.toEqual(first.hits[0]);
    await runtime.orchestrator.killThread(id);
  });

  test('a fan-out is shown in time, and what does not fit is summed up', async () => {
    const id = await fan();
    const all = await served.get<TimelineAnswer>(`/timeline?root=${id}`);
    expect(all.rows.map(({ depth }) => depth)).toEqual([0, 1, 1, 1]);
    for (const { spans, start_ms: start } of all.rows) expect(spans[0]?.from_ms).toBe(start);
    const few = await served.get<TimelineAnswer>(`/timeline?root=${id}&limit=2`);
    expect(few.rows).toHaveLength(2);
    expect(few.summaries).toMatchObject([{ parent: id, depth: 1, threads: 2 }]);
    await runtime.orchestrator.killThread(id);
  });

  test('a thread is suspended, resumed, forked and cancelled with its tree', async () => {
    const handle = await runtime.spawn('patient');
    const { id } = handle;
    await until(handle, 'child_thread_started');
    await expect.poll(async () => (await runtime.view()).workers[0]?.states['running.waitingForChildren']).toBe(1);
    expect(await served.post(`/threads/${id}/suspend`, {})).toEqual({ status: 200, body: { id, status: 'suspended' } });
    const thread = await served.get<ThreadAnswer>(`/threads/${id}`);
    expect(thread).toMatchObject({ thread: { suspend_reason: 'user' }, machine: { state: 'suspended' } });
    const resumed = await served.post(`/threads/${id}/resume`, { message: 'Go on.' });
    expect(resumed).toMatchObject({ status: 200, body: { id } });
    const forked = await served.post(`/threads/${id}/fork`, { at: 1 });
    expect(forked).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^thread-/) } });
    expect(await served.post(`/threads/${id}/cancel`, { tree: true })).toEqual({
      status: 200,
      body: { id, status: 'cancelled' },
    });
    // Once it was resumed it may have begun another one.
    const below = (await levelOf(id)).threads.map(({ status }) => status);
    expect(new Set(below)).toEqual(new Set(['cancelled']));
    expect(await served.post(`/threads/${id}/suspend`, {})).toMatchObject({
      status: 409,
      body: { error: { code: 'thread_ended' } },
    });
    await runtime.orchestrator.killThread((forked.body as { id: string }).id);
  });

  test('a thread that is in the middle of a step is suspended after it', async () => {
    const handle = await runtime.spawn('endless');
    await until(handle, 'thread_started');
    const answer = await served.post(`/threads/${handle.id}/suspend`, {});
    expect(answer).toEqual({ status: 200, body: { id: handle.id, status: 'running' } });
    await handle.cancel();
  });

  test('a question is listed and answered', async () => {
    const handle = await runtime.spawn('waiting');
    await until(handle, 'approval_requested');
    const list = () => served.get<ApprovalsAnswer>('/approvals');
    await expect
      .poll(async () => (await list()).approvals)
      .toMatchObject([{ thread_id: handle.id, limit_code: 'turns_exceeded' }]);
    const approval = (await list()).approvals[0]?.approval_id ?? '';
    expect(await served.get<ThreadAnswer>(`/threads/${handle.id}`)).toMatchObject({
      approval: { approval_id: approval },
    });
    const denied = await served.post(`/approvals/${approval}/deny`, { message: 'Enough.' });
    expect(denied).toMatchObject({ status: 200, body: { status: 'denied', decided_by: 'dashboard' } });
    expect((await handle.result).status).toBe('error');
    expect((await list()).approvals).toEqual([]);
    expect(await served.post(`/approvals/${approval}/grant`, { limits: { turns: 9 } })).toMatchObject({
      status: 409,
      body: { error: { code: 'approval_settled' } },
    });
    const { events } = await served.get<FailuresAnswer>(`/threads/${handle.id}/failures`);
    expect(events.map(({ event_type: type }) => type)).toEqual(
      expect.arrayContaining(['approval_requested', 'thread_error']),
    );
  });

  test('a question about a tool call has the call', async () => {
    const handle = await runtime.spawn('guarded');
    await until(handle, 'approval_requested');
    const asked = { thread_id: handle.id, call: 'rye/file-system/ls {}' };
    await expect
      .poll(async () => (await served.get<ApprovalsAnswer>('/approvals')).approvals)
      .toContainEqual(expect.objectContaining(asked));
    expect(await served.get<ThreadAnswer>(`/threads/${handle.id}`)).toMatchObject({ approval: asked });
    await handle.cancel();
  });

  test('the charts are those that run', async () => {
    const { thread, supervisor } = await served.get<MachinesAnswer>('/machines');
    expect([thread['id'], supervisor['id']]).toEqual(['thread', 'supervisor']);
  });
});

describe('The live view', () => {
  test('tells of new and changed threads of the levels that are shown', async () => {
    using live = served.live('level=root');
    await live.until(({ type }) => type === 'hello');
    const handle = await runtime.spawn('leaf');
    const message = await live.until(
      (one) =>
        one.type === 'threads' && one.changed.some(({ id, status }) => id === handle.id && status === 'completed'),
    );
    expect(message).toMatchObject({ at_ms: expect.any(Number), more: 0 });
  });

  test('begins with the totals, and tells of questions that come and go', async () => {
    using live = served.live('level=root');
    const isPending =
      (count: number) =>
      (one: LiveMessage): boolean =>
        one.type === 'threads' && one.pending_approvals === count;
    expect(await live.until(isPending(0))).toMatchObject({ totals: { threads: expect.any(Number) } });
    const handle = await runtime.spawn('waiting');
    await live.until(isPending(1));
    const { approvals } = await served.get<ApprovalsAnswer>('/approvals');
    await served.post(`/approvals/${approvals[0]?.approval_id}/deny`, {});
    await live.until(isPending(0));
    expect((await handle.result).status).toBe('error');
  });

  test('says nothing of a level that is not shown, but of those above what changes', async () => {
    const id = await fan();
    using live = served.live(`level=root&level=${id}`);
    await live.until(({ type }) => type === 'hello');
    const { threads } = await levelOf(id);
    const child = threads[2]?.id ?? '';
    await runtime.orchestrator.cancelThread(child);
    const message = await live.until(
      (one) => one.type === 'threads' && one.changed.some((thread) => thread.id === child),
    );
    expect(message.type === 'threads' && message.changed.map((thread) => thread.id)).toContain(id);
    await runtime.orchestrator.killThread(id);
  });

  test('follows the log of the thread that is open, from where it was read', async () => {
    const handle = await runtime.spawn('endless');
    await until(handle, 'cognition_in');
    await expect
      .poll(async () => (await served.get<EventsAnswer>(`/threads/${handle.id}/events`)).after)
      .toBeGreaterThan(0);
    using live = served.live(`thread=${handle.id}&after=0`);
    const first = await live.until(({ type }) => type === 'log');
    expect(first.type === 'log' && first.events[0]).toMatchObject({ event_type: 'thread_started', sequence: 1 });
    await handle.cancel();
    await live.until(
      (one) => one.type === 'log' && one.events.some(({ event_type: type }) => type === 'thread_cancelled'),
    );
  });

  test('tells what the model of the open thread says while it says it', async () => {
    const handle = await runtime.spawn('teller');
    using live = served.live(`thread=${handle.id}`);
    let heard = '';
    await live.until((one) => {
      if (one.type === 'words') heard = heard.slice(0, one.from) + one.text;
      return heard.length > 10;
    });
    expect('wren '.repeat(1_000).startsWith(heard)).toBe(true);
    const { events } = await served.get<EventsAnswer>(`/threads/${handle.id}/events`);
    expect(events.map(({ event_type: type }) => type)).not.toContain('cognition_out');
    await handle.cancel();
  });

  test('leaves out what is not there', async () => {
    using live = served.live('level=thread-1&level=root&thread=thread-2');
    const batch = await live.until((one) => one.type === 'threads');
    expect(batch).toMatchObject({ levels: [{ parent: 'root' }] });
  });

  test('is left alone by a viewer that leaves', async () => {
    const outgoing = request(`${served.origin}/api/live`, { headers: { [TOKEN_HEADER]: served.token } });
    outgoing.end();
    const incoming = await new Promise<{ destroy(): void }>((resolve) => outgoing.once('response', resolve));
    incoming.destroy();
    await (
      await runtime.spawn('leaf')
    ).result;
    expect(served.problems).toEqual([]);
  });
});

describe('Without a runtime', () => {
  test('what is stored is shown, nothing is changed, and a runtime that comes is seen', async () => {
    using left = project(PARTS);
    const first = await startOn(left, PARTS);
    const { id } = await first.spawn('endless');
    await until(first.thread(id), 'thread_started');
    await first.close({ graceMs: 0 });
    await using alone = await serve(left.path);
    expect(await alone.get<ProjectAnswer>('/project')).toMatchObject({
      runtime: null,
      totals: { counts: { suspended: 1 } },
    });
    const thread = await alone.get<ThreadAnswer>(`/threads/${id}`);
    expect(thread).toMatchObject({ thread: { status: 'suspended', suspend_reason: 'shutdown' } });
    const refused = await alone.post(`/threads/${id}/resume`, {});
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'runtime_closed' } } });
    using live = alone.live('level=root');
    expect(await live.until(({ type }) => type === 'hello')).toMatchObject({ is_run: false });
    await using _second = await startOn(left, PARTS);
    expect(await live.until(({ type }) => type === 'hello')).toMatchObject({ is_run: true });
    expect((await alone.post(`/threads/${id}/resume`, {})).status).toBe(200);
    expect(alone.problems).toEqual([]);
  });

  test('and before anything has run, that is said', async () => {
    using empty = project();
    await using alone = await serve(empty.path);
    const answer = await alone.raw({ path: '/api/project', headers: { [TOKEN_HEADER]: alone.token } });
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'store_failed' } });
  });
});

test('skein ui listens on the port that it is given, and says where to a person', async () => {
  const port = await freePort();
  const words = ['ui', '--port', String(port), '--no-open', '--project', own.path];
  const { child, printed, ended } = startSkein(words, {
    cwd: own.path,
    env: { PATH: process.env['PATH'], HOME: own.path },
  });
  await expect.poll(() => printed.stdout, SOON).toContain('\n');
  const [, origin = '', token = ''] = /^Dashboard: (\S+)\/#token=(\S+)\n$/.exec(printed.stdout) ?? [];
  expect(origin).toBe(`http://127.0.0.1:${port}`);
  expect((await fetch(`${origin}/api/project`, { headers: { [TOKEN_HEADER]: token } })).status).toBe(200);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

/** A port that nobody has, a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('skein ui prints an address with a token that opens the API, until it is interrupted', async () => {
  const { child, printed, ended } = startSkein(['ui', '--json', '--project', own.path], {
    cwd: own.path,
    env: { PATH: process.env['PATH'], HOME: own.path },
  });
  await expect.poll(() => printed.stdout, SOON).toContain('\n');
  const { url, origin, token } = JSON.parse(printed.stdout) as Readonly<Record<string, string>>;
  expect(url).toBe(`${origin}/#token=${token}`);
  expect(token).toMatch(/^[\w-]{43}$/);
  const answer = await fetch(`${origin}/api/project`, { headers: { [TOKEN_HEADER]: token ?? '' } });
  expect([answer.status, (await fetch(`${origin}/api/project`)).status]).toEqual([200, 403]);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});
