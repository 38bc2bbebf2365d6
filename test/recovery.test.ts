import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Approval, Runtime } from '../src/index.ts';
import { HOLD, startCountingModel, type Asked, type CountingModel, type Said } from './fixtures/counting-model.ts';
import { restartOptions, type RestartPlace } from './fixtures/restart-options.ts';
import { ORCHESTRATE, project, SPAWN, type Project, type Sketch } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const TOOLS = ['app/*', 'rye/agent/threads/*'];
const task = (word: string): Sketch => ({ tools: TOOLS, body: `Task: ${word}.` });
/**
 * `call`: its second call is in flight. `often`, `once`, `denied`: a tool is. `parent` waits for `child`,
 * which has no slot yet, and `first` has its first call in flight. */
const TASKS = ['call', 'often', 'once', 'denied', 'parent', 'first'] as const;
const DIRECTIVES = Object.fromEntries([...TASKS, 'child'].map((word) => [word, task(word)]));

/** A project whose runtime was killed, and the threads it had by their task. */
type Killed = { readonly made: Project; readonly ids: ReadonlyMap<string, string> };

let isHeld = true;
let killed: Killed;
let model: CountingModel;

beforeAll(async () => {
  model = await startCountingModel((asked) => reply(killed.made, asked));
  killed = { made: project(DIRECTIVES), ids: new Map() };
  killed = { ...killed, ids: await killInTheMiddle(killed.made) };
});

afterAll(async () => {
  killed.made[Symbol.dispose]();
  await model[Symbol.asyncDispose]();
});

test.each([
  ['suspend', 'suspended'],
  ['cancel', 'cancelled'],
] as const)('on_restart: %s leaves every thread %s, and calls nothing', async (onRestart, status) => {
  using made = copyOf(killed.made);
  const before = model.asked.length;
  await using next = await startAt({ project: made.path, baseUrl: model.baseUrl, slots: 1, onRestart });
  const expected = [...TASKS, 'child'].map(() => status);
  await expect.poll(() => next.list().map((thread) => thread.status), { timeout: 10_000 }).toEqual(expected);
  expect(model.asked).toHaveLength(before);
  expect(runsOf('once')).toBe(1);
  if (onRestart === 'cancel') expectWhole(made, next);
});

describe('What dead calls had reserved', () => {
  const reservedIn = (made: Project): number =>
    TASKS.reduce((sum, word) => sum + (made.ledger(idOf(word))?.reserved ?? 0), 0);
  const free = async (made: Project, withinMs: number): Promise<void> => {
    await expect.poll(() => reservedIn(made), { timeout: withinMs, interval: 10 }).toBe(0);
  };
  const start = (made: Project, onRestart: 'suspend' | 'cancel'): Promise<Runtime> =>
    startAt({ project: made.path, baseUrl: model.baseUrl, slots: 1, onRestart });

  test('is there for others within a second of the start where nobody sends them again', async () => {
    using made = copyOf(killed.made);
    expect(reservedIn(made)).toBeGreaterThan(0);
    await using _ = await start(made, 'cancel');
    await free(made, 1_000);
  });

  test('stays with suspended threads, which can send them again, as long as they do not end', async () => {
    using made = copyOf(killed.made);
    const before = reservedIn(made);
    await using next = await start(made, 'suspend');
    // It has been to a worker and back: recovery has had its turn.
    await next.view();
    expect(reservedIn(made)).toBe(before);
    await Promise.all(TASKS.map((word) => next.thread(idOf(word)).cancel()));
    await free(made, 10_000);
  });
});

test('What a killed runtime was doing goes on: nothing is paid for twice, and nothing is done twice unasked', async () => {
  const { made, ids } = killed;
  const reserved = made.ledger(idOf('call'))?.reserved;
  expect(reserved).toBeGreaterThan(0);
  await killRecovery();
  expect(made.ledger(idOf('call'))?.reserved).toBe(reserved);
  isHeld = false;
  await using next = await startAt({ project: made.path, baseUrl: model.baseUrl, slots: 1 });
  await answerQuestions(next);
  const endings = await Promise.all(TASKS.map((word) => next.thread(idOf(word)).result));

  expect(endings.map(({ status }) => status)).toEqual(TASKS.map(() => 'completed'));
  // Both kills came while calls of `call` and `first` were in flight, the second one also in that of `child`.
  expect(Object.fromEntries([...TASKS, 'child'].map((word) => [word, model.turnsOf(word)]))).toEqual({
    call: [1, 3],
    often: [1, 1],
    once: [1, 1],
    denied: [1, 1],
    parent: [1, 1],
    first: [3],
    child: [2],
  });
  expect(['call', 'often', 'once', 'denied'].map((word) => runsOf(word))).toEqual([2, 2, 2, 1]);
  expect(endings.map(({ text }) => text)).toEqual([
    'done: run 2',
    'done: run 2',
    'done: run 2',
    expect.stringMatching(/interrupted.*Denied by host: too late/),
    expect.stringContaining('done: '),
    expect.stringContaining('done: '),
  ]);
  expect(next.list({ parent: next.thread(ids.get('parent') ?? '').id })).toHaveLength(1);
  expectWhole(made, next);
});

test('A parent that waited for two children, of which one had ended, has both results once, in the order asked', async () => {
  using made = project(Object.fromEntries(['waits', 'ended', 'stuck'].map((word) => [word, task(word)])));
  made.write('spawn', 'waits');
  const id = await killWhileWaiting(made);
  isStuck = false;
  await using next = await startAt({ project: made.path, baseUrl: model.baseUrl, slots: 2 });
  expect(await next.thread(id).result).toMatchObject({ status: 'completed' });

  // Every answer is given once, but for that of the call that was in flight.
  expect(['waits', 'ended', 'stuck'].map((word) => model.turnsOf(word))).toEqual([[1, 1, 1, 1], [1], [2]]);
  const log = made.log(id);
  const results = log.flatMap((event) => (event.event_type === 'tool_call_result' ? [event.payload] : []));
  const [result, ...more] = results.filter(({ call_id }) => call_id === 'call_3');
  expect(JSON.parse(result?.output ?? '')).toMatchObject({
    success: true,
    results: [
      { thread_id: children[0], status: 'completed', result: 'says stuck' },
      { thread_id: children[1], status: 'completed', result: 'says ended' },
    ],
  });
  expect(more).toEqual([]);
  expect(log.filter(({ event_type }) => event_type === 'child_thread_ended')).toHaveLength(2);
  expectWhole(made, next);
});

test('A call that may run twice and ends every runtime is made no more than that: a person is asked', async () => {
  using made = project({ deadly: task('deadly') });
  made.write('spawn', 'deadly');
  let id = '';
  for (let deaths = 0; deaths <= RESTART_INTENSITY; deaths++) {
    await using child = startProcess(made);
    child.process.stdout.on('data', (line: Buffer) => (id ||= String(line).trim().split(' ')[1] ?? ''));
    expect(await once(child.process, 'exit')).toEqual([null, 'SIGKILL']);
    made.write('spawn', '');
  }
  await using child = startProcess(made);
  await vi.waitUntil(() => made.row(id)?.suspendReason === 'error' || child.process.signalCode, WAIT);
  expect([child.process.signalCode, runsOf('deadly')]).toEqual([null, RESTART_INTENSITY + 1]);
  expect(made.log(id).map(({ event_type }) => event_type)).toContain('approval_requested');
});

/** Its default. The first death is not counted: nothing says yet that a call had begun. */
const RESTART_INTENSITY = 3;

/** Children of `waits`, in the order in which they were started. */
const children: string[] = [];
let isStuck = true;

/** What the parent says that starts two children, waits for them and ends; and what these say. */
function replyOfWait({ task: word, turn, last }: Asked): Said {
  if (word !== 'waits') return word === 'stuck' && isStuck ? HOLD : { text: `says ${word}` };
  const [started] = /thread-[0-9a-f]{32}/.exec(last) ?? [];
  if (turn < 4 && started !== undefined) children.push(started);
  if (turn === 3) return { tool: ORCHESTRATE, input: { operation: 'wait_threads', thread_ids: children } };
  if (turn === 4) return { text: 'done' };
  return { tool: SPAWN, input: { directive_name: turn === 1 ? 'stuck' : 'ended', async_exec: true } };
}

/** Runs the parent in another process, and kills that once it waits and one of its children has ended; to the parent. */
async function killWhileWaiting(made: Project): Promise<string> {
  await using child = startProcess(made);
  const [line] = await once(createInterface({ input: child.process.stdout }), 'line');
  const id = String(line).split(' ')[1] ?? '';
  const isWaiting = (): boolean =>
    made.log(id).some(({ event_type: type, payload }) => type === 'tool_call_start' && payload.call_id === 'call_3');
  await vi.waitUntil(() => isWaiting() && model.turnsOf('stuck').length === 1, WAIT);
  await vi.waitUntil(() => made.row(children[1] ?? '')?.status === 'completed', WAIT);
  return id;
}

/** What the model of a task says. */
function reply({ path }: Project, asked: Asked): Said {
  const { task: word, turn, last } = asked;
  if (['waits', 'ended', 'stuck'].includes(word)) return replyOfWait(asked);
  if (word === 'deadly') return { tool: 'app_deadly', input: { file: join(path, word) } };
  const isEnd = turn > 1 || word === 'child' || word === 'first';
  if (isHeld && ['call', 'child', 'first'].includes(word) && isEnd) return HOLD;
  if (isEnd) return { text: `done: ${last}` };
  if (word === 'parent') return { tool: SPAWN, input: { directive_name: 'child' } };
  return { tool: word === 'once' || word === 'denied' ? 'app_once' : 'app_often', input: { file: join(path, word) } };
}

/** Starts a runtime on a project in a process of its own, and kills that once everything is in flight. */
async function killInTheMiddle(made: Project): Promise<ReadonlyMap<string, string>> {
  made.write('spawn', TASKS.join('\n'));
  made.write('call', 'ran\n');
  const ids = new Map<string, string>();
  await using child = startProcess(made);
  for await (const line of createInterface({ input: child.process.stdout })) {
    const [word = '', id = ''] = line.split(' ');
    ids.set(word, id);
    if (ids.size === TASKS.length) break;
  }
  const types = (word: string): string[] => made.log(ids.get(word) ?? '').map(({ event_type }) => event_type);
  const isInFlight = (): boolean =>
    ['often', 'once', 'denied'].every((word) => types(word).includes('tool_call_start') && runsOf(word, made) === 1) &&
    types('parent').includes('child_thread_started') &&
    model.turnsOf('call').length === 2 &&
    model.turnsOf('first').length === 1;
  await vi.waitUntil(isInFlight, WAIT);
  return ids;
}

/** Has another process recover, and kills it when it has sent again what was in flight, and all else is done or asked. */
async function killRecovery(): Promise<void> {
  killed.made.write('spawn', '');
  await using _ = startProcess(killed.made);
  const statusOf = (word: string): string | undefined => killed.made.row(idOf(word))?.status;
  await vi.waitUntil(() => model.turnsOf('call')[1] === 2 && model.turnsOf('first')[0] === 2, WAIT);
  await vi.waitUntil(() => model.turnsOf('child')[0] === 1 && statusOf('often') === 'completed', WAIT);
  await vi.waitUntil(() => ['once', 'denied'].every((word) => statusOf(word) === 'suspended'), WAIT);
}

type Killable = { readonly process: ChildProcessByStdio<null, Readable, null> } & AsyncDisposable;

/** A process that is killed when whoever started it is done with it. */
function startProcess({ path }: Project): Killable {
  const file = fileURLToPath(new URL('fixtures/restart-process.ts', import.meta.url));
  const child = spawn(process.execPath, [file, path, model.baseUrl], { stdio: ['ignore', 'pipe', 'inherit'] });
  return {
    process: child,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      if (child.kill('SIGKILL')) await exit;
    },
  };
}

const WAIT = { timeout: 20_000, interval: 50 };

async function startAt(place: RestartPlace): Promise<Runtime> {
  const { createRuntime } = await importSkein();
  return createRuntime(restartOptions(place));
}

/** A person lets one of the interrupted calls run again, and refuses the other one. */
async function answerQuestions({ approvals }: Runtime): Promise<void> {
  const pending = async (): Promise<readonly Approval[]> => approvals.list({ status: 'pending' });
  await vi.waitUntil(async () => (await pending()).length === 2, WAIT);
  for (const { approvalId, threadId } of await pending()) {
    if (threadId === idOf('once')) await approvals.grant(approvalId);
    else await approvals.deny(approvalId, { message: 'too late' });
  }
}

/** Every thread has ended once, every call has one result, and nothing is reserved any more. */
function expectWhole(made: Project, runtime: Runtime): void {
  for (const { id } of runtime.list()) {
    const log = made.log(id);
    const callsOf = (type: string): unknown[] =>
      log.flatMap((event) => (event.event_type === type && 'call_id' in event.payload ? [event.payload.call_id] : []));
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
    expect(callsOf('tool_call_result')).toEqual(callsOf('tool_call_start'));
    expect(log.filter(({ event_type }) => /^thread_(?:completed|error|cancelled)$/.test(event_type))).toHaveLength(1);
    expect(made.ledger(id)).toMatchObject({ reserved: 0, status: 'released' });
  }
}

function copyOf({ path }: Project): Project {
  const made = project(DIRECTIVES);
  mkdirSync(join(made.path, '.ai', 'threads'));
  for (const file of ['threads.db', 'threads.db-wal']) {
    copyFileSync(join(path, '.ai', 'threads', file), join(made.path, '.ai', 'threads', file));
  }
  return made;
}

function idOf(word: string): string {
  return killed.ids.get(word) ?? '';
}

/** How often the tool of a task has run. */
function runsOf(word: string, { path }: Project = killed.made): number {
  const file = join(path, word);
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : 0;
}
