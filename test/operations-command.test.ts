import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Around, Finished } from '../src/cli/fixtures/carry-out.ts';
import type { Runtime } from '../src/index.ts';
import { give, NEVER, project, SPAWN, startOn, until, type Part, type Project } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { skeinHere, startSkein, type Started } from './fixtures/skein-command.ts';

const HARMFUL = 'red \u001b[31m\n# Forged\n\u202edone';
const NOTHING = { tool_calls: [{ name: 'nothing', input: {} }] };
const PARTS: Readonly<Record<string, Part>> = {
  leaf: { outputs: ['text'], says: [give({ text: HARMFUL })] },
  endless: { says: [NEVER] },
  loops: { limits: { turns: 2 }, says: [NOTHING, NOTHING, { text: 'out' }] },
  parent: {
    tools: ['rye/agent/threads/*'],
    says: [{ tool_calls: [{ name: SPAWN, input: { directive_name: 'endless', async_exec: true } }] }, NEVER],
  },
};

let own: Project;

beforeAll(() => {
  own = project(PARTS);
  mkdirSync(join(own.path, 'home', '.ai', 'config'), { recursive: true });
  own.write('home/.ai/config/agent.yaml', 'trust: { project: "off" }\n');
});
afterAll(() => own[Symbol.dispose]());

function around(): Around {
  return { cwd: own.path, env: { PATH: process.env['PATH'], HOME: join(own.path, 'home') } };
}

function skein(...args: readonly string[]): Promise<Finished> {
  return skeinHere(args, around());
}

/** JSON of each line. */
function parsed({ stdout }: Finished): readonly unknown[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** A `skein tail` in a process of its own, once it has shown something. */
async function tailOf(id: string, shown: string): Promise<Pick<Started, 'ended'>> {
  const { child, printed, ended } = startSkein(['tail', id], around());
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (printed.stdout.includes(shown)) resolve();
    };
    child.stdout.on('data', look);
    child.once('close', () => resolve());
  });
  return { ended };
}

describe('With a runtime', () => {
  let runtime: Runtime;
  let leaf: string;
  beforeAll(async () => {
    runtime = await startOn(own, PARTS, { workers: 2 });
    const handle = await runtime.spawn('leaf');
    leaf = handle.id;
    await handle.result;
  });
  afterAll(() => runtime.close({ graceMs: 0 }));

  test('transcript gives every event of the log, as lines, as JSON and as Markdown', async () => {
    const log = own.log(leaf);
    const json = await skein('transcript', leaf, '--json');
    expect(parsed(json)).toMatchObject(
      log.map(({ sequence, event_type, payload }) => ({ sequence, event_type, payload })),
    );
    const text = await skein('transcript', leaf);
    expect(text.stdout.trimEnd().split('\n')).toHaveLength(log.length);
    const md = await skein('transcript', leaf, '--format', 'md');
    expect(md.stdout).toMatch(/^# leaf\n\n- thread: `thread-\w+`\n- status: completed\n/);
    expect(md.stdout).toMatch(/\n## Said to the model \(user\)\n\n> /);
    for (const { stdout, code } of [json, text, md]) {
      expect(code).toBe(0);
      // oxlint-disable-next-line no-control-regex
      expect(stdout).not.toMatch(/[\u001b\u202e]/);
      expect(stdout).not.toMatch(/^# Forged/m);
    }
  });

  test('transcript shows events of some types alone', async () => {
    const { stdout } = await skein(
      'transcript',
      leaf,
      '--types',
      'thread_started,directive_return',
      '--format',
      'jsonl',
    );
    expect(stdout.match(/"event_type":"\w+"/g)).toEqual([
      '"event_type":"thread_started"',
      '"event_type":"directive_return"',
    ]);
  });

  test('export gives each thread with its record first', async () => {
    const all = parsed(await skein('export', '--all')) as { thread?: { thread_id: string } }[];
    const one = parsed(await skein('export', leaf));
    expect(one[0]).toMatchObject({ thread: { thread_id: leaf, status: 'completed', directive: 'leaf' } });
    expect(one).toHaveLength(own.log(leaf).length + 1);
    const exported = all.flatMap(({ thread }) => (thread ? [thread.thread_id] : []));
    expect(exported).toEqual(runtime.list({ limit: 1_000 }).map(({ id }) => id));
    expect((await skein('export', leaf, leaf, '--format', 'md')).stdout.match(/^# leaf$/gm)).toHaveLength(2);
  });

  test('export of a thread that is not there writes none of the others', async () => {
    expect(await skein('export', leaf, 'nobody')).toMatchObject({ code: 3, stdout: '' });
  });

  test('list filters and pages, newest first', async () => {
    const handle = await runtime.spawn('leaf');
    await handle.result;
    const [first] = parsed(await skein('list', '--directive', 'leaf', '--limit', '1', '--json'));
    expect(first).toMatchObject({ threads: [{ thread_id: handle.id }], more: true, next: handle.id });
    const [second] = parsed(await skein('list', '--directive', 'leaf', '--after', handle.id, '--json'));
    expect(second).toMatchObject({ threads: [{ thread_id: leaf }], more: false });
    expect((await skein('list', '--status', 'error')).stdout).toBe('No threads\n');
  });

  test('tail follows a thread until it is cancelled with its tree; status sees both', async () => {
    const top = await runtime.spawn('parent');
    const { payload } = await until(top, 'child_thread_started');
    await until(runtime.thread(payload.child_thread_id), 'thread_started');
    const [status] = parsed(await skein('status', '--json'));
    const worker = { input_tokens: expect.any(Number), cache_read_tokens: expect.any(Number) };
    expect(status).toMatchObject({
      threads: { running: 2 },
      archived: 0,
      runtime: { pid: process.pid, running: 2, queued: 0, workers: [worker, worker] },
    });
    expect(JSON.stringify(status)).not.toMatch(/[a-z][A-Z]\w*":/);
    const followed = await tailOf(top.id, 'child_thread_started');
    expect(await skein('cancel', top.id, '--tree')).toMatchObject({
      code: 0,
      stdout: `Killed: ${top.id}, 2 threads\n`,
    });
    const { code, stdout } = await followed.ended;
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, expect.stringContaining('thread_cancelled')]);
    expect(stdout.match(/^#\d+/gm)).toEqual([...new Set(stdout.match(/^#\d+/gm))]);
  });

  test('resume raises limits and says something', async () => {
    const handle = await runtime.spawn('loops');
    await runtime.waitAll([handle.id]);
    expect(await handle.status()).toMatchObject({ status: 'suspended', suspendReason: 'limit' });
    const resumed = await skein('resume', handle.id, '--message', 'go on', '--limits', 'turns=5,spend=2');
    expect(resumed).toMatchObject({ code: 0, stdout: `Resumed: ${handle.id}\n` });
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'out' });
    const said = own.log(handle.id).find(({ event_type }) => event_type === 'approval_resolved');
    expect(said?.payload).toMatchObject({ granted: true, limits: { turns: 5, spend: 2 } });
  });

  test('gc leaves the project to the runtime that holds it', async () => {
    expect(await skein('gc')).toMatchObject({ code: 3, stderr: expect.stringContaining('[project_locked]') });
  });

  test('tail sees a runtime close, and says what it said last', async () => {
    const handle = await runtime.spawn('endless');
    await until(handle, 'thread_started');
    const followed = await tailOf(handle.id, 'cognition_in');
    await runtime.close({ graceMs: 0 });
    const { code, stdout } = await followed.ended;
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, expect.stringContaining('"shutdown"')]);
  });
});

describe('Without a runtime', () => {
  test('status and tail read what is stored', async () => {
    const { stdout } = await skein('status');
    // The log file is there as well if the tail before still read as its runtime closed.
    expect(stdout).toMatch(/^threads: 1 suspended, .*\nspend: \$0\.00\ndatabase: [\d.]+ [kM]B\nruntime: none\n$/);
    const [status] = parsed(await skein('status', '--json'));
    const database = join(own.path, '.ai', 'threads', 'threads.db');
    const bytes = [database, `${database}-wal`].reduce(
      (sum, file) => sum + (existsSync(file) ? statSync(file).size : 0),
      0,
    );
    expect(status).toMatchObject({ database: { bytes }, runtime: null });
    const [suspended] = parsed(await skein('list', '--status', 'suspended', '--json')) as [
      { threads: [{ thread_id: string }] },
    ];
    const tail = await skein('tail', suspended.threads[0].thread_id, '--lines', '1', '--json');
    expect(parsed(tail)).toMatchObject([{ event_type: 'thread_suspended' }]);
  });

  test('gc archives what cleanup says, and frees the space; its threads are still found', async () => {
    own.write(
      'home/.ai/config/resilience.yaml',
      "schema_version: '1.0.0'\ncleanup: { archive_after_days: 0.0000001 }\n",
    );
    const before = parsed(await skein('list', '--status', 'completed', '--limit', '1', '--json')) as [
      { threads: [{ thread_id: string }] },
    ];
    const [collected] = parsed(await skein('gc', '--json'));
    expect(collected).toMatchObject({ archived: expect.any(Number), freed_bytes: expect.any(Number) });
    expect((collected as { archived: number }).archived).toBeGreaterThan(3);
    expect((await skein('list', '--status', 'completed')).stdout).toBe('No threads\n');
    const [{ thread_id: archived }] = before[0].threads;
    expect((await skein('transcript', archived)).stdout).toContain('thread_completed');
    expect((await skein('list', '--archived')).stdout).toContain(`${archived}  completed`);
    expect((await skein('export', '--all')).stdout).toContain(`{"thread":{"thread_id":"${archived}"`);
    expect((await skein('gc')).stdout).toBe('Archived: 0 threads\nFreed: 0 B\n');
    expect((await skein('status')).stdout).toMatch(/^threads: 1 suspended, \d+ archived\n/);
    expect(existsSync(join(own.path, '.ai', 'threads', 'runtime.pid'))).toBe(false);
  });

  test('the same is there in code', async () => {
    const { projectStatus, collectGarbage } = await importSkein();
    const options = { project: own.path, userSpace: false } as const;
    expect(await projectStatus(options)).toMatchObject({ threads: { suspended: 1 }, runtime: undefined });
    expect(await collectGarbage(options)).toEqual({ archived: 0, freedBytes: 0 });
  });
});

test.each([
  ['tail', 'nobody'],
  ['transcript', 'nobody'],
  ['export', 'nobody'],
  ['cancel', 'nobody'],
  ['resume', 'nobody'],
])('skein %s of an unknown thread is refused with one line', async (...args) => {
  expect(await skein(...args)).toEqual({
    code: 3,
    stdout: '',
    stderr: 'skein: Thread not found: nobody [thread_not_found]\n',
  });
});

test.each<[string, readonly string[], RegExp?]>([
  ['tail without an id', ['tail']],
  ['tail with a number of lines that is none', ['tail', 'a', '--lines', 'few']],
  ['transcript in a format that there is not', ['transcript', 'a', '--format', 'xml']],
  ['transcript in two formats', ['transcript', 'a', '--format', 'md', '--json']],
  ['export of nothing', ['export']],
  ['export of all and of one', ['export', 'a', '--all']],
  ['export as text', ['export', 'a', '--format', 'text']],
  ['resume with limits that are none', ['resume', 'a', '--limits', 'turns']],
  ['tail with a number below 0', ['tail', 'a', '--lines', '-3']],
  ['resume with an unknown limit', ['resume', 'a', '--limits', 'patience=3']],
  ['list of an unknown status', ['list', '--status', 'asleep']],
  ['status of a thread, which another command has', ['status', 'a'], /get-status ID/],
  ['gc of something', ['gc', 'a']],
])('%s is a usage error', async (_, args, hint = /./) => {
  const run = await skein(...args);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(/\[invalid_argument\]\n$/) });
  expect(run.stderr).toMatch(hint);
  expect(run.stdout).toMatch(
    args.includes('--json') ? /^{"error":{"code":"invalid_argument","message":".+"}}\n$/ : /^$/,
  );
});
