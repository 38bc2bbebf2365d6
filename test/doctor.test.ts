import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DoctorOptions, Finding, ReplayedThread } from '../src/index.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import { call, give, project, SPAWN, startOn, starterOf, type Part, type Project } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { skeinHere } from './fixtures/skein-command.ts';
import { pricedModel } from './fixtures/priced-model.ts';

const echo = (text: string, tokens = 100): Part['says'][number] => ({
  ...call('app_echo', { text }),
  usage: { input_tokens: tokens, output_tokens: 10 },
});
const LIMITS = { tokens: 10_000_000, spend: 1 };
const PARTS: Record<string, Part> = {
  plain: {
    inputs: ['who?'],
    outputs: ['note'],
    limits: { ...LIMITS, spawns: 0 },
    body: 'Greet {input:who}.',
    says: [echo('a'), give({ note: 'done' })],
  },
  long: { limits: { ...LIMITS, spawns: 0 }, says: [echo('a', 120_000), echo('b', 100), { text: 'at last' }] },
  limited: { limits: { ...LIMITS, turns: 1, spawns: 0 }, says: [echo('a'), { text: 'went on' }] },
  tree: {
    ...starterOf(['plain', 'limited'], call(SPAWN, { directive_name: 'plain' }), { text: 'all done' }),
    limits: { tokens: 10_000_000, spend: 100 },
  },
};
/** A price, so that there are books to be wrong. */
const PRICED = pricedModel({ input: 0.1, output: 10 });

let made: Project;
const ids: Record<string, string> = {};
const runs: string[] = [];

async function start(from: Project) {
  const runtime = await startOn(from, PARTS, { config: { agent: PRICED } });
  await runtime.registerTool(echoTool(({ text }) => (runs.push(text), text)));
  return runtime;
}

beforeAll(async () => {
  made = project(PARTS);
  await using runtime = await start(made);
  for (const id of Object.keys(PARTS)) {
    const thread = await runtime.spawn(id, id === 'plain' ? { who: 'Ann' } : {});
    ids[id] = thread.id;
    await runtime.waitAll([thread.id]);
  }
  const limited = runtime.thread(ids['limited'] ?? '');
  await limited.resume(undefined, { limits: { turns: 3 } });
  await runtime.waitAll([limited.id]);
});

afterAll(() => made[Symbol.dispose]());

/** A copy of the project's database; `sql` is what is done to it. */
function copy(sql?: string): Project {
  const other = project(PARTS);
  mkdirSync(join(other.path, '.ai', 'threads'), { recursive: true });
  for (const suffix of ['', '-wal', '-shm']) {
    const file = join(made.path, '.ai', 'threads', `threads.db${suffix}`);
    if (existsSync(file)) cpSync(file, databaseOf(other) + suffix);
  }
  if (sql === undefined) return other;
  const db = new Database(databaseOf(other));
  db.exec(sql);
  db.close();
  return other;
}

function databaseOf({ path }: Project): string {
  return join(path, '.ai', 'threads', 'threads.db');
}

async function doctorOf({ path }: Project, options: DoctorOptions = {}) {
  const { doctor } = await importSkein();
  return doctor({ project: path, env: {}, ...options });
}

/** A database in which a thread has `text` as an input. */
function storing(text: string): Project {
  return copy(`UPDATE threads SET spec = json_set(spec, '$.inputs.who', '${text}') WHERE directive = 'plain'`);
}

/** In parts, so that nobody takes it for one. */
const KEY = ['sk', 'ant', 'k'.repeat(40)].join('-');

const kindsOf = (findings: readonly Finding[]): string[] =>
  [...new Set(findings.map(({ invariant }) => invariant))].toSorted();

const thread = (directive: string): string => `(SELECT MIN(thread) FROM threads WHERE directive = '${directive}')`;
const last = (directive: string): string =>
  `(SELECT MAX(first_sequence) FROM events WHERE thread = ${thread(directive)})`;
const event = (sequence: string, type: string, payload: object): string =>
  `'{"sequence":' || ${sequence} || ',"event_type":"${type}","time":1,"payload":${JSON.stringify(payload)}}' || char(10)`;

describe('A database', () => {
  test('of trees, hand-overs, suspensions and resumptions with other limits is clean', async () => {
    expect(await doctorOf(made)).toMatchObject({ isClean: true, findings: [], repaired: [], heldBy: undefined });
  });

  test.each<readonly [string, string, readonly string[], isRepaired: boolean]>([
    [
      'a status that the log does not tell',
      `UPDATE threads SET status = 'running', ending = NULL, ended_at = NULL WHERE thread = ${thread('plain')}`,
      ['B3', 'E5'],
      true,
    ],
    [
      'counters that the log does not tell',
      `UPDATE threads SET turns = 9 WHERE thread = ${thread('tree')}`,
      ['E5'],
      true,
    ],
    [
      'a reservation of a thread that has ended',
      `UPDATE budget_ledger SET reserved_spend = 500, committed = committed + 500 WHERE thread = ${thread('plain')}`,
      ['B3'],
      true,
    ],
    [
      'what a node holds not being the sum of its parts',
      `UPDATE budget_ledger SET committed = committed + 1 WHERE thread = ${thread('tree')}`,
      ['B1'],
      true,
    ],
    [
      'spending that an ancestor has forgotten',
      `UPDATE budget_ledger SET actual_spend = 0, committed = 0 WHERE thread = ${thread('tree')}`,
      ['B1', 'B2', 'B4'],
      true,
    ],
    [
      'a question to a person that nobody needs an answer to',
      `INSERT INTO approvals (approval_id, thread, reason, asked_by, message, status, requested_at)
        VALUES ('approval-x', ${thread('plain')}, 'limit', 'x', 'x', 'pending', 1)`,
      ['rows'],
      true,
    ],
    [
      'more spent than settled',
      `UPDATE budget_ledger SET actual_spend = actual_spend + 7, committed = committed + 7 WHERE thread = ${thread('plain')}`,
      ['B4'],
      false,
    ],
    ['rows of a thread that is not there', `INSERT INTO checkpoints VALUES (999, 1, 1, '{}', 1)`, ['rows'], false],
    [
      'a link that leads nowhere',
      `UPDATE threads SET parent_thread = 999 WHERE thread = ${thread('plain')}`,
      ['rows'],
      false,
    ],
    ['a thread without books', `DELETE FROM budget_ledger WHERE thread = ${thread('limited')}`, ['rows'], false],
    [
      'the end of a log lost',
      `DELETE FROM events WHERE thread = ${thread('tree')} AND first_sequence = ${last('tree')}`,
      ['E5'],
      false,
    ],
    [
      'a gap in a log',
      `DELETE FROM events WHERE thread = ${thread('tree')} AND first_sequence =
        (SELECT first_sequence FROM events WHERE thread = ${thread('tree')} ORDER BY first_sequence LIMIT 1 OFFSET 1)`,
      ['E2', 'E4', 'E5'],
      false,
    ],
    [
      'an event whose number is another one',
      `UPDATE events SET lines = replace(lines, '"sequence":1,', '"sequence":2,') WHERE thread = ${thread('plain')} AND first_sequence = 1`,
      ['E2'],
      false,
    ],
    [
      'an event after the end',
      `INSERT INTO events SELECT thread, n, n, ${event('n', 'warning', { code: 'x', message: 'x' })}
        FROM (SELECT ${thread('plain')} AS thread, MAX(last_sequence) + 1 AS n FROM events WHERE thread = ${thread('plain')})`,
      ['E3'],
      false,
    ],
    [
      'a second end',
      `INSERT INTO events SELECT thread, n, n, ${event('n', 'thread_cancelled', { reason: 'x' })}
        FROM (SELECT ${thread('plain')} AS thread, MAX(last_sequence) + 1 AS n FROM events WHERE thread = ${thread('plain')})`,
      ['E3', 'E5', 'M1'],
      false,
    ],
    [
      'a result that no call asked for',
      `UPDATE events SET lines = replace(lines, 'tool_call_start', 'warning') WHERE thread = ${thread('plain')}`,
      ['E4'],
      false,
    ],
    [
      'a call without a result',
      `UPDATE events SET lines = replace(lines, 'tool_call_result', 'warning') WHERE thread = ${thread('plain')}`,
      ['E4'],
      false,
    ],
    [
      'an event that is no JSON',
      `UPDATE events SET lines = substr(lines, 3) WHERE thread = ${thread('plain')} AND first_sequence = 1`,
      ['E2'],
      false,
    ],
    [
      'a checkpoint that the log does not tell',
      `UPDATE checkpoints SET state = replace(state, '"turns":', '"turns":7') WHERE thread = ${thread('tree')}`,
      ['E5'],
      false,
    ],
    [
      'a key of a service',
      `UPDATE events SET lines = replace(lines, 'Greet', '${KEY}') WHERE thread = ${thread('plain')}`,
      ['E6'],
      false,
    ],
  ])('with %s is not clean', async (_, sql, invariants, isRepaired) => {
    using damaged = copy(sql);
    const found = await doctorOf(damaged);
    expect(kindsOf(found.findings)).toEqual(invariants);
    const repaired = await doctorOf(damaged, { repair: true });
    expect(repaired).toMatchObject({ isClean: isRepaired });
    expect(repaired.repaired.length > 0).toBe(isRepaired);
  });

  test('whose first page is gone is told of, not thrown', async () => {
    using damaged = copy();
    rmSync(`${databaseOf(damaged)}-wal`, { force: true });
    writeFileSync(databaseOf(damaged), 'x'.repeat(40_000));
    expect(kindsOf((await doctorOf(damaged, { repair: false })).findings)).toEqual(['file']);
  });

  test('that a runtime has can be looked at, and not repaired', async () => {
    using other = copy(`UPDATE budget_ledger SET committed = committed + 1 WHERE thread = ${thread('tree')}`);
    await using _runtime = await start(other);
    const { heldBy, findings } = await doctorOf(other);
    expect({ heldBy, kinds: kindsOf(findings) }).toEqual({ heldBy: process.pid, kinds: ['B1'] });
    await expect(doctorOf(other, { repair: true })).rejects.toMatchObject({ code: 'project_locked' });
  });

  test('is judged by the exit code of the command, which says what is wrong', async () => {
    using damaged = copy(`UPDATE threads SET turns = 9 WHERE thread = ${thread('plain')}`);
    const around = { cwd: damaged.path, env: {} };
    const found = await skeinHere(['doctor', '--json'], around);
    expect(found.code).toBe(1);
    expect(JSON.parse(found.stdout)).toMatchObject({
      clean: false,
      findings: [{ invariant: 'E5', thread_id: ids['plain'], message: expect.stringContaining('turns') }],
    });
    expect(await skeinHere(['doctor', '--repair'], around)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^repaired {2}thread-.*\n.*: clean\n$/),
    });
  });
});

const replayOf = async ({ path }: Project, id: string, to?: number): Promise<ReplayedThread> => {
  const { replay } = await importSkein();
  return replay(path, id, to === undefined ? {} : { to });
};

describe('A replay', () => {
  test.each(Object.keys(PARTS))('of %s agrees at every event with what is stored', async (id) => {
    const whole = await replayOf(made, ids[id] ?? '');
    expect(whole.differences).toEqual([]);
    expect(whole).toMatchObject({ sequence: whole.lastSequence, comparedWith: { registry: true } });
    for (let to = 0; to < whole.lastSequence; to++) {
      expect(await replayOf(made, whole.id, to)).toMatchObject({ sequence: to, differences: [] });
    }
  });

  test('tells what there was at an event', async () => {
    const log = made.log(ids['plain'] ?? '');
    const asked = log.find(({ event_type: type }) => type === 'tool_call_start');
    const open = await replayOf(made, ids['plain'] ?? '', asked?.sequence);
    expect(open).toMatchObject({
      status: 'running',
      usage: { turns: 1 },
      limits: { turns: 25, spend: 1 },
      openCalls: [{ tool: 'app_echo' }],
      outputs: undefined,
    });
    expect(open.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await replayOf(made, open.id, 0)).toMatchObject({ status: 'created', messages: [], usage: { turns: 0 } });
  });

  test('knows the limits that a thread was resumed with, and its children', async () => {
    expect(await replayOf(made, ids['limited'] ?? '')).toMatchObject({ status: 'completed', limits: { turns: 3 } });
    const { children } = await replayOf(made, ids['tree'] ?? '');
    expect(children.map(({ status }) => status).toSorted()).toEqual(['completed', 'completed', 'running']);
  });

  test('that differs says in what, and is a failure of the command', async () => {
    using damaged = copy(`UPDATE threads SET turns = 9 WHERE thread = ${thread('plain')}`);
    const around = { cwd: damaged.path, env: {} };
    const { code, stdout, stderr } = await skeinHere(['replay', ids['plain'] ?? '', '--json'], around);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('its log says 2, and stored is 9'),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      differences: [{ invariant: 'E5' }],
    });
    const before = await skeinHere(['replay', ids['plain'] ?? '', '--to', '3'], around);
    expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('event 3 of ') });
  });

  test.each([
    ['an unknown thread', 'thread-0', undefined, 'thread_not_found'],
    ['an event that is not there', undefined, 99, 'invalid_argument'],
    ['no event at all', undefined, -1, 'invalid_argument'],
  ])('of %s is refused', async (_, id, to, code) => {
    await expect(replayOf(made, id ?? ids['plain'] ?? '', to)).rejects.toMatchObject({ code });
  });
});

describe('A fork', () => {
  const afterEcho = (): number => {
    const result = made.log(ids['plain'] ?? '').find(({ event_type: type }) => type === 'tool_call_result');
    return result?.sequence ?? 0;
  };

  test('goes on from an event with other inputs and its own account, and runs no tool again', async () => {
    using other = copy();
    await using runtime = await start(other);
    runs.length = 0;
    const fork = await runtime.fork(ids['plain'] ?? '', {
      at: afterEcho(),
      inputs: { who: 'Bob' },
      limits: { turns: 7 },
    });
    expect(await fork.result).toMatchObject({ status: 'completed', outputs: { note: 'done' } });
    const log = other.log(fork.id);
    expect(log[0]).toMatchObject({
      event_type: 'thread_started',
      payload: {
        inputs: { who: 'Bob' },
        limits: { turns: 7 },
        forked_from: { thread: ids['plain'], sequence: afterEcho() },
      },
    });
    const { messages, differences } = await replayOf(other, fork.id);
    expect(differences).toEqual([]);
    expect(messages[0]?.text).toContain('Greet Bob');
    expect(messages.slice(1, 3).map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(log.filter(({ payload }) => 'carried' in payload)).toHaveLength(2);
    expect(runs).toEqual(['a']);
    expect(other.ledger(fork.id)).toMatchObject({ parent: undefined, status: 'released' });
    expect((await doctorOf(other)).findings).toEqual([]);
  });

  test('that has ended goes on from where it had come to, and not from that event again', async () => {
    using other = copy();
    await using runtime = await start(other);
    const fork = await runtime.fork(ids['plain'] ?? '', { at: afterEcho() });
    await fork.result;
    const again = await fork.resume('one more thing');
    await again.result;
    const said = (id: string): string[] =>
      other.log(id).flatMap(({ event_type: type, payload }) => (type === 'cognition_out' ? [payload.text] : []));
    const carried = other
      .log(again.id)
      .filter(({ event_type: type, payload }) => type === 'cognition_out' && 'carried' in payload);
    expect(said(fork.id).length).toBeGreaterThan(1);
    expect(said(again.id).slice(0, carried.length)).toEqual(said(fork.id));
    expect((await doctorOf(other)).findings).toEqual([]);
  });

  test('begins in the next runtime if its own closed before its first turn', async () => {
    using other = copy();
    let id = '';
    {
      await using runtime = await start(other);
      ({ id } = await runtime.fork(ids['plain'] ?? '', { at: afterEcho() }));
      await runtime.close({ graceMs: 0 });
    }
    expect(other.row(id)).toMatchObject({ status: 'suspended', cost: { turns: 0 } });
    await using runtime = await start(other);
    const thread = await runtime.thread(id).resume();
    expect(await thread.result).toMatchObject({ status: 'completed' });
    expect(other.log(id).filter(({ payload }) => 'carried' in payload)).toHaveLength(2);
    expect((await doctorOf(other)).findings).toEqual([]);
  });

  test('of what had not begun, of one that handed over, and of a parent stand for themselves', async () => {
    using other = copy();
    await using runtime = await start(other);
    for (const [origin, at] of [
      ['plain', 0],
      ['long', 10],
      ['tree', made.log(ids['tree'] ?? '').length],
    ] as const) {
      const fork = await runtime.fork(ids[origin] ?? '', { at });
      await runtime.waitAll([fork.id]);
      const { children, differences } = await replayOf(other, fork.id);
      const known = new Set((await replayOf(made, ids[origin] ?? '')).children.map((child) => child.id));
      expect(differences).toEqual([]);
      expect(children.filter((child) => known.has(child.id))).toEqual([]);
    }
    expect((await doctorOf(other)).findings).toEqual([]);
  });

  test('is made by the command, here or in the runtime that has the project', async () => {
    using other = copy();
    other.write('home/config/agent.yaml', 'trust: { project: "off" }\n');
    other.write('main.yaml', 'rules: [{ text: I see it }]');
    const around = { cwd: other.path, env: { SKEIN_USER_SPACE: join(other.path, 'home') } };
    const args = ['fork', ids['plain'] ?? '', '--at', String(afterEcho()), '--input', 'who=Eve', '--json'];
    const here = await skeinHere(
      ['fork', ids['limited'] ?? '', '--at', '5', '--script', 'main=main.yaml', '--json'],
      around,
    );
    expect(JSON.parse(here.stdout)).toMatchObject({
      success: true,
      forked_from: ids['limited'],
      outcome: { result: 'I see it' },
    });
    await using runtime = await start(other);
    const there = JSON.parse((await skeinHere(args, around)).stdout);
    expect(there).toMatchObject({ success: true, forked_from: ids['plain'] });
    await runtime.waitAll([there.thread_id]);
    expect(other.log(there.thread_id)[0]).toMatchObject({ payload: { inputs: { who: 'Eve' } } });
    expect(await skeinHere(['fork', ids['plain'] ?? '', '--json'], around)).toMatchObject({ code: 2 });
    expect(await skeinHere(['fork', ids['plain'] ?? '', '--at', '99'], around)).toMatchObject({ code: 2 });
    await expect(runtime.fork('thread-0', { at: 0 })).rejects.toMatchObject({ code: 'thread_not_found' });
  });
});

describe('What is a secret to the doctor is what is taken out of what is stored', () => {
  test.each([
    ['MY_API_KEY'],
    ['SESSION_COOKIE'],
    ['KEY_PASSPHRASE'],
    ['DB_PASSWD'],
    ['AWS_CREDENTIALS'],
    ['PROXY_AUTH'],
    ['OF_PROVIDER'],
    ['OF_SERVER'],
  ])('the value of %s, from 8 characters on', async (name) => {
    using other = storing('it is 7h3-k3y!, he said');
    const config = {
      agent: { providers: { openai: { api_key_env: 'OF_PROVIDER' } } },
      mcp: { servers: { web: { url: 'http://127.0.0.1:1/mcp', headers_env: { 'x-own': 'OF_SERVER' } } } },
    };
    const { isClean, findings } = await doctorOf(other, { config, env: { [name]: '7h3-k3y!' } });
    expect([isClean, kindsOf(findings)]).toEqual([false, ['E6']]);
    expect(findings[0]?.message).toContain(`the value of ${name}`);
    expect(await doctorOf(other, { config, env: { [name]: '7h3-k3y' } })).toMatchObject({ isClean: true });
  });

  test('also what stands in the file of a key', async () => {
    using other = storing('it is in-the-file, he said');
    const file = join(other.path, 'key');
    writeFileSync(file, 'in-the-file');
    const { findings } = await doctorOf(other, {
      config: { agent: { providers: { openai: { api_key_file: file } } } },
    });
    expect(findings[0]).toMatchObject({ invariant: 'E6', message: expect.stringContaining(`the key in ${file}`) });
  });

  test.each(['OPENAI_KEY', 'STRIPE_KEY'])('the value of %s that looks like a key', async (name) => {
    const value = 'rk9-4bX71mQz0Lw8tY2c';
    using other = storing(`it is ${value}, he said`);
    const { findings } = await doctorOf(other, { env: { [name]: value } });
    expect(findings[0]?.message).toContain(`the value of ${name}`);
  });

  test('all else is checked, and that is said, where the configuration cannot be read', async () => {
    using other = storing('it is 7h3-k3y!, he said');
    mkdirSync(join(other.path, '.ai', 'config'), { recursive: true });
    writeFileSync(join(other.path, '.ai', 'config', 'agent.yaml'), 'providers: [');
    const { isClean, findings } = await doctorOf(other, { env: { MY_API_KEY: '7h3-k3y!' } });
    expect(isClean).toBe(false);
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringContaining('agent.yaml'),
      expect.stringContaining('the value of MY_API_KEY'),
    ]);
  });

  test('and digits of a password are no digits of a time', async () => {
    const password = String(Date.now()).slice(0, 8);
    const env = { DB_PASSWORD: password };
    const parts: Record<string, Part> = { task: { says: [{ text: `it is ${password}, he said` }] } };
    using own = project(parts);
    const runtime = await startOn(own, parts, { env });
    const { id, result } = await runtime.spawn('task');
    await result;
    await runtime.close();
    const said = own.log(id).find(({ event_type: type }) => type === 'cognition_out');
    expect(said?.payload).toMatchObject({ text: 'it is [redacted], he said' });
    expect(await doctorOf(own, { env })).toMatchObject({ isClean: true, findings: [] });
  });

  test.each([
    ['SSH_KEY', '/home/me/.ssh/id_ed25519'],
    ['SORT_KEY', 'created_at_of_the_row'],
    ['SSH_AUTH_SOCK', '/run/user/1000/agent'],
    ['MAX_TOKENS', '1000000000'],
  ])('not the value of %s, which may be told', async (name, value) => {
    using other = storing(value);
    expect(await doctorOf(other, { env: { [name]: value } })).toMatchObject({ isClean: true, findings: [] });
  });
});
