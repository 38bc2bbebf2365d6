import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Finished } from '../src/cli/fixtures/carry-out.ts';
import type { Runtime } from '../src/index.ts';
import { call, project, SCRIPTED, scriptOf, starterOf, startOn, type Part, type Project } from './fixtures/scene.ts';
import { COMPILED, skeinHere } from './fixtures/skein-command.ts';

const PROCESS = fileURLToPath(new URL('fixtures/runtime-process.ts', import.meta.url));

/** A cent for each answer of 100 tokens; before a call the worst case of 10 cents is reserved. */
const MODELS = {
  main: {
    provider: 'scripted',
    context_window: 200_000,
    max_output_tokens: 1_000,
    price: { input: 0, output: 100, cache_read: 0, cache_write: 0 },
  },
};
const USAGE = { input_tokens: 100, output_tokens: 100 };
const ASKS =
  '<action primary="execute" item_type="tool" item_id="rye/agent/threads/internal/control">' +
  '<param name="action" value="escalate"/><param name="suspend_reason" value="May it\u202e go on?"/></action>';

const PARTS: Readonly<Record<string, Part>> = {
  costly: {
    limits: { spend: 0.105 },
    says: [
      { ...call('nothing'), usage: USAGE },
      { text: 'all done', usage: USAGE },
    ],
  },
  looks: { hooks: `<hook id="gate" event="before_tool">${ASKS}</hook>`, says: [call('rye_file_system_ls')] },
  quick: { hooks: `<hook id="gate" event="before_step">${ASKS}</hook>`, says: [{ text: 'done' }] },
};

/** What goes on once the thread that asked has ended: of two children that nobody waits for, the first fails. */
const LEAVES: Readonly<Record<string, Part>> = {
  costly: { says: [call('nothing'), ...starterOf(['fails', 'lasts'], { text: 'all done' }).says] },
  fails: { says: [{ delay_ms: 500, error: { status_code: 400, message: 'broken' } }] },
  lasts: { says: [{ delay_ms: 2_000, text: 'lasted' }] },
};

let own: Project;

beforeEach(() => {
  own = project(PARTS);
  // The command line reads the settings of its user.
  mkdirSync(join(own.path, 'home', '.ai', 'config'), { recursive: true });
  own.write('home/.ai/config/agent.yaml', JSON.stringify({ trust: { project: 'off' }, models: MODELS }));
  own.write('rest.yaml', JSON.stringify({ rules: [{ text: 'all done', usage: USAGE }] }));
});
afterEach(() => own[Symbol.dispose]());

/** Runs `skein approvals …` in the project. */
function approvals(...args: readonly string[]): Promise<Finished> {
  const env = { PATH: process.env['PATH'], HOME: join(own.path, 'home'), USER: 'ann' };
  return skeinHere(['approvals', ...args], { cwd: own.path, env });
}

function start(): Promise<Runtime> {
  return startOn(own, PARTS, { config: { agent: { models: MODELS } } });
}

/** A thread at its spend limit, and the id of what it asks. */
async function atItsLimit(runtime: Runtime): Promise<{ readonly thread: string; readonly approval: string }> {
  const handle = await runtime.spawn('costly');
  await runtime.waitAll([handle.id]);
  const [request] = await runtime.approvals.list({ thread: handle.id });
  return { thread: handle.id, approval: request?.approvalId ?? '' };
}

async function listed(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { stdout } = await approvals('list', '--json', '--status', 'all');
  return (JSON.parse(stdout) as { approvals: Readonly<Record<string, unknown>>[] }).approvals;
}

describe('With a runtime that holds the project', () => {
  let runtime: Runtime;
  beforeEach(async () => {
    runtime = await start();
  });
  afterEach(() => runtime.close({ graceMs: 0 }));

  test('a thread that is suspended at its spend limit finishes with skein approvals grant ID --spend 2', async () => {
    const { thread, approval } = await atItsLimit(runtime);
    const list = await approvals('list');
    expect(list.code).toBe(0);
    for (const part of [
      approval,
      thread,
      'costly, hook default_escalate_limit',
      'spend_exceeded',
      '$0.105',
      '--spend 0.21',
    ])
      expect(list.stdout).toContain(part);
    const granted = await approvals('grant', approval, '--spend', '2', '--message', 'but hurry');
    expect(granted).toEqual({ code: 0, stdout: `${approval}  granted by ann: ${thread}\n`, stderr: '' });
    expect(await runtime.thread(thread).result).toMatchObject({ status: 'completed', text: 'all done' });
    const log = own.log(thread);
    expect(log.find(({ event_type }) => event_type === 'approval_resolved')?.payload).toEqual({
      approval_id: approval,
      granted: true,
      by: 'ann',
      message: 'but hurry',
      limits: { spend: 2 },
    });
    expect(await listed()).toMatchObject([{ approval_id: approval, status: 'granted', decided_by: 'ann' }]);
  });

  test('deny ends the thread with the code of its limit', async () => {
    const { thread, approval } = await atItsLimit(runtime);
    const denied = await approvals('deny', approval, '--by', 'bob', '--message', 'too much', '--json');
    expect([denied.code, JSON.parse(denied.stdout)]).toMatchObject([0, { status: 'denied', decided_by: 'bob' }]);
    expect(await runtime.thread(thread).result).toMatchObject({
      status: 'error',
      error: { code: 'spend_exceeded', message: expect.stringContaining('denied by bob: too much') },
    });
  });

  test.each<[string, (id: string) => string[], number, string]>([
    ['an unknown id', () => ['grant', 'approval-nobody', '--spend', '2'], 3, 'approval_not_found'],
    ['a grant of nothing', (id) => ['grant', id], 3, 'invalid_argument'],
    ['a grant of another limit', (id) => ['grant', id, '--turns', '50'], 3, 'invalid_argument'],
    ['a grant that is too small', (id) => ['grant', id, '--spend', '0.1'], 3, 'invalid_argument'],
    ['no amount', (id) => ['grant', id, '--spend', '-1'], 2, 'invalid_argument'],
    ['an unknown thread', () => ['list', '--thread', 'thread-x'], 3, 'thread_not_found'],
    ['no verb', () => [], 2, 'invalid_argument'],
    ['two ids', (id) => ['deny', id, id], 2, 'invalid_argument'],
  ])('%s is refused, and nothing changes', async (_, args, code, why) => {
    const { thread, approval } = await atItsLimit(runtime);
    const answer = await approvals(...args(approval));
    expect([answer.code, answer.stdout]).toEqual([code, '']);
    expect(answer.stderr).toContain(`[${why}]`);
    expect(own.row(thread)?.status).toBe('suspended');
    expect(await listed()).toMatchObject([{ status: 'pending' }]);
  });
});

describe('Without a runtime', () => {
  test('the thread goes on here, and how it ends is the exit code', async () => {
    const runtime = await start();
    const { thread, approval } = await atItsLimit(runtime);
    await runtime.close({ graceMs: 0 });
    expect((await approvals('list')).stdout).toContain(approval);
    const granted = await approvals('grant', approval, '--spend', '2', '--script', 'main=rest.yaml');
    expect(granted).toMatchObject({
      code: 0,
      stdout: `${approval}  granted by ann: ${thread}\n${thread}  completed  all done\n`,
    });
    expect(own.row(thread)?.status).toBe('completed');
    expect((await approvals('grant', approval, '--spend', '2')).stderr).toContain('[approval_settled]');
  });

  test('threads that are waited for beside it take no others along, as those of one wait may', async () => {
    const runtime = await start();
    const { approval } = await atItsLimit(runtime);
    await runtime.close({ graceMs: 0 });
    own.directives({ fails: {}, lasts: {} });
    own.write('home/.ai/config/agent.yaml', JSON.stringify({ ...SCRIPTED, models: MODELS }));
    own.write('leaves.yaml', JSON.stringify(scriptOf(LEAVES)));
    own.write(
      '.ai/config/resilience.yaml',
      "schema_version: '1.0.0'\ncoordination: { cancel_siblings_on_failure: true }\n",
    );
    const granted = await approvals('grant', approval, '--spend', '2', '--script', 'main=leaves.yaml');
    expect(granted).toMatchObject({ code: 0, stdout: expect.stringContaining('completed  all done') });
    expect(granted.stderr).toMatch(/ error +fails/);
    expect(granted.stderr).toMatch(/ completed +lasts/);
  });

  test('a tool call that is denied is refused to the model, and the thread goes on here', async () => {
    const runtime = await start();
    const handle = await runtime.spawn('looks');
    await runtime.waitAll([handle.id]);
    await runtime.close({ graceMs: 0 });
    const [request] = await listed();
    const id = String(request?.['approval_id']);
    expect((await approvals('list')).stdout).toContain('\n  call: rye/file-system/ls {}\n');
    const denied = await approvals('deny', id, '--message', 'not here', '--script', 'main=rest.yaml');
    expect(denied.stderr).toMatch(/ running {4}looks {2}resumed\n/);
    expect(denied).toMatchObject({
      code: 0,
      stdout: `${id}  denied by ann: ${handle.id}\n${handle.id}  completed  all done\n`,
    });
    const results = own.log(handle.id).filter(({ event_type }) => event_type === 'tool_call_result');
    expect(results.map(({ payload }) => payload)).toMatchObject([
      { error: expect.stringContaining('Denied by ann: not here') },
    ]);
  });

  test('a request outlives a runtime that is killed, and its grant is of use to the next one', async () => {
    const child = spawn(process.execPath, [PROCESS, own.path, 'quick', 'stay'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...COMPILED, PATH: process.env['PATH'], HOME: join(own.path, 'home') },
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const thread = await vi.waitUntil(() => said.split(' ')[0], { timeout: 20_000 });
    await vi.waitUntil(() => own.row(thread)?.status === 'suspended', { timeout: 20_000 });
    child.kill('SIGKILL');
    await once(child, 'close');
    const [request] = await listed();
    expect(request).toMatchObject({ thread_id: thread, reason: 'approval', asked_by: 'quick, hook gate' });
    expect((await approvals('list')).stdout).toContain('May it\\u202e go on?');
    const id = String(request?.['approval_id']);
    const granted = await approvals('grant', id, '--json', '--script', 'main=rest.yaml');
    expect(granted.code).toBe(0);
    expect(JSON.parse(granted.stdout)).toMatchObject({ status: 'granted', outcome: { status: 'completed' } });
  }, 60_000);
});
