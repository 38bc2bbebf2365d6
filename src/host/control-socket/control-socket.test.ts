import { SkeinError } from '../../core/errors.ts';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { systemClock } from '../../core/clock.ts';
import type { OperationAnswer, OperationName } from '../../core/operations.ts';
import { connectControlSocket, type ControlSocketClient } from './control-socket-client.ts';
import { findPlace, socketPlaces } from './control-socket-place.ts';
import { CONTROL_VERSION, MAX_REPLY_BYTES } from './control-socket-protocol.ts';
import { openControlSocket, type ControlSocket } from './control-socket.ts';
import { refused } from '../operations/operation.ts';
import type { Asking } from '../operations/dispatcher.ts';

const NOBODY_RUNS = { success: true, active_threads: [], count: 0 } as const;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-socket-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Operations that the test answers. */
function played(answer: (name: string, input: unknown, asking: Asking) => unknown = () => NOBODY_RUNS) {
  const asked: { readonly name: string; readonly input: unknown; readonly asking: Asking }[] = [];
  const call = async (name: string, input: unknown, asking: Asking = {}): Promise<OperationAnswer<OperationName>> => {
    asked.push({ name, input, asking });
    return (await answer(name, input, asking)) as OperationAnswer<OperationName>;
  };
  return { asked, operations: { call } };
}

type Opened = ControlSocket & AsyncDisposable;

async function open(operations = played().operations, clock = systemClock): Promise<Opened> {
  const problem = (failure: unknown): never => {
    throw new Error(JSON.stringify(failure));
  };
  const socket = await openControlSocket({ folder, operations, clock, problem });
  return { ...socket, [Symbol.asyncDispose]: () => socket.close() };
}

async function client(): Promise<ControlSocketClient & Disposable> {
  const connected = await connectControlSocket({ folder });
  if (!connected) throw new Error('nobody listens');
  return { ...connected, [Symbol.dispose]: () => connected.close() };
}

/** A peer that may say anything. */
function peer(): { readonly socket: Socket; readonly heard: Promise<string> } {
  const socket = connect(findPlace({ folder })?.path ?? '');
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  // What it has said may not have been read to its end.
  const heard = new Promise<string>((resolve) => {
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(text));
  });
  return { socket, heard };
}

function looped(): object {
  const self: { input?: object } = {};
  self.input = self;
  return self;
}

function request(id: number, more: object = {}): string {
  const asked = { version: CONTROL_VERSION, id, operation: 'list_active', input: {}, until: Number.MAX_SAFE_INTEGER };
  return `${JSON.stringify({ ...asked, ...more })}\n`;
}

describe('The control socket', () => {
  test('carries an operation there and its answer back', async () => {
    const { asked, operations } = played(() => ({ success: true, cancelled: 'a', extra: 1 }));
    await using _ = await open(operations);
    using one = await client();
    expect(await one.call('cancel_thread', { thread_id: 'a' })).toEqual({ success: true, cancelled: 'a' });
    expect(asked).toMatchObject([{ name: 'cancel_thread', input: { thread_id: 'a' } }]);
    expect(asked[0]?.asking.caller).toBeUndefined();
  });

  test('carries refusals and errors back, with their codes', async () => {
    const { operations } = played((name) => {
      if (name === 'get_status') return refused('thread_not_found', 'Thread not found: a');
      throw new Error('boom');
    });
    await using _ = await open(operations);
    using one = await client();
    expect(await one.call('get_status', { thread_id: 'a' })).toMatchObject({
      success: false,
      code: 'thread_not_found',
    });
    await expect(one.call('list_active', {})).rejects.toMatchObject({ code: 'internal', message: 'boom' });
  });

  test.skipIf(process.platform === 'win32')(
    'is open to its owner alone, whatever the mask of the process',
    async () => {
      const mask = process.umask(0);
      try {
        await using _ = await open();
        expect(process.umask()).toBe(0);
        const { mode } = lstatSync(join(folder, 'control.sock'));
        expect(mode & 0o777).toBe(0o600);
      } finally {
        process.umask(mask);
      }
    },
  );

  test('is gone once it is closed', async () => {
    const socket = await open();
    await socket.close();
    expect(existsSync(join(folder, 'control.sock'))).toBe(false);
    expect(await connectControlSocket({ folder })).toBeUndefined();
  });

  test('answers what was asked before it closes', async () => {
    const gate = Promise.withResolvers<object>();
    const begun = Promise.withResolvers<void>();
    const socket = await open(
      played(() => {
        begun.resolve();
        return gate.promise;
      }).operations,
    );
    using one = await client();
    const answer = one.call('list_active', {});
    await begun.promise;
    const closed = socket.close();
    gate.resolve(NOBODY_RUNS);
    expect(await answer).toEqual(NOBODY_RUNS);
    await closed;
    await expect(one.call('list_active', {})).rejects.toMatchObject({ code: 'runtime_closed' });
  });

  test('takes the place of one that a killed runtime left', async () => {
    // A server that is not closed leaves its file to whoever comes next; here another one has the file by then.
    const path = join(folder, 'control.sock');
    const dead = createServer().listen(path);
    await new Promise((resolve) => dead.once('listening', resolve));
    await using _ = await open();
    using one = await client();
    expect(await one.call('list_active', {})).toEqual(NOBODY_RUNS);
    dead.close();
  });

  test('serves a hundred peers at a time', async () => {
    const all = Promise.withResolvers<void>();
    let count = 0;
    const { operations } = played(async (_name, input) => {
      if (++count === 100) all.resolve();
      await all.promise;
      return { success: true, cancelled: (input as { thread_id: string }).thread_id };
    });
    await using _ = await open(operations);
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        using one = await client();
        return await one.call('cancel_thread', { thread_id: `t${index}` });
      }),
    );
    expect(answers).toEqual(answers.map((_, index) => ({ success: true, cancelled: `t${index}` })));
  });

  test('tells a peer that is one too many, and serves the next when one has left', async () => {
    await using _ = await open();
    const others = await Promise.all(Array.from({ length: 256 }, client));
    const late = peer();
    expect(JSON.parse(await late.heard)).toMatchObject({ failure: { code: 'not_available' } });
    others[0]?.close();
    await expect
      .poll(async () => {
        using one = await client();
        return await one.call('list_active', {}).catch(() => undefined);
      })
      .toEqual(NOBODY_RUNS);
    for (const other of others) other.close();
  });

  test('answers several requests of one peer, each under its id', async () => {
    const gate = Promise.withResolvers<object>();
    const { operations } = played((name) =>
      name === 'list_active' ? gate.promise : { success: true, cancelled: 'a' },
    );
    await using _ = await open(operations);
    using one = await client();
    const slow = one.call('list_active', {});
    expect(await one.call('cancel_thread', { thread_id: 'a' })).toMatchObject({ cancelled: 'a' });
    gate.resolve(NOBODY_RUNS);
    expect(await slow).toEqual(NOBODY_RUNS);
  });

  test('works on 16 requests of one peer at a time, and on the rest after them', async () => {
    const gates: (() => void)[] = [];
    const { asked, operations } = played(() => new Promise((resolve) => gates.push(() => resolve(NOBODY_RUNS))));
    await using _ = await open(operations);
    using one = await client();
    const answers = Promise.all(Array.from({ length: 40 }, () => one.call('list_active', {})));
    await expect.poll(() => asked.length).toBe(16);
    gates.shift()?.();
    await expect.poll(() => asked.length).toBe(17);
    const opening = setInterval(() => gates.splice(0).forEach((go) => go()), 1);
    expect(await answers).toHaveLength(40);
    clearInterval(opening);
  });
});

test('A refusal is told whole, with what there is beside its message', async () => {
  const refused = new SkeinError('budget_refused', 'too much', { detail: { remaining: 5 } });
  const { operations } = played(() => {
    throw refused;
  });
  await using _socket = await open(operations);
  using one = await client();
  const heard = one.call('cancel_thread', { thread_id: 'a' });
  await expect(heard).rejects.toMatchObject({ code: 'budget_refused', detail: { remaining: 5 } });
});

test('What is read after its time is not begun', async () => {
  const clock = createHandClock();
  clock.advance(1_000);
  const { asked, operations } = played();
  await using _socket = await open(operations, clock);
  const late = peer();
  late.socket.write(request(1, { until: 999 }));
  const [reply] = await once(late.socket, 'data');
  expect(JSON.parse(String(reply))).toMatchObject({ id: 1, failure: { code: 'deadline_exceeded' } });
  expect(asked).toEqual([]);
  late.socket.destroy();
});

describe('An answer that can not be sent', () => {
  test.each<[string, () => object, string, RegExp]>([
    ['since JSON does not know it', () => ({ success: true, cancelled: 1n }), 'internal', /BigInt/],
    [
      'since it is longer than a peer reads',
      () => ({ success: true, cancelled: 'x'.repeat(MAX_REPLY_BYTES) }),
      'not_available',
      /longer than 67108864 bytes/,
    ],
  ])('%s is a failure, and the connection goes on', async (_, answer, code, why) => {
    const { operations } = played((name) => (name === 'cancel_thread' ? answer() : NOBODY_RUNS));
    await using _socket = await open(operations);
    using one = await client();
    const failure = { code, message: expect.stringMatching(why) };
    await expect(one.call('cancel_thread', { thread_id: 'a' })).rejects.toMatchObject(failure);
    expect(await one.call('list_active', {})).toEqual(NOBODY_RUNS);
  });
});

describe('A peer that says something else', () => {
  test.each<[string, string, RegExp, code?: string]>([
    ['garbage', 'GET / HTTP/1.1\r\n\r\n', /no request/],
    ['bytes that are no text', '\u0000\u00ff\n', /no request/],
    ['JSON that is no request', '[1]\n', /no request/],
    ['a request without an operation', '{"version":2,"id":4,"input":{}}\n', /operation/],
    ['a request with more than it has', request(4, { also: 1 }), /also/],
    ['another version', request(4, { version: 1 }), /version 2 of the control protocol, not 1/, 'not_available'],
    ['a line that is too long', 'x'.repeat(1_048_577), /longer than 1048576 bytes/],
  ])('as %s is told so, and closes its connection and no other', async (_, said, why, code = 'invalid_argument') => {
    await using _socket = await open();
    using good = await client();
    const bad = peer();
    bad.socket.write(said);
    const reply = JSON.parse(await bad.heard) as object;
    expect(reply).toMatchObject({
      version: CONTROL_VERSION,
      failure: { code, message: expect.stringMatching(why) },
    });
    expect(await good.call('list_active', {})).toEqual(NOBODY_RUNS);
  });

  test('and leaves within a line harms nobody', async () => {
    const { asked, operations } = played();
    await using _ = await open(operations);
    const bad = peer();
    bad.socket.end('{"version":2,');
    expect(await bad.heard).toBe('');
    using good = await client();
    expect(await good.call('list_active', {})).toEqual(NOBODY_RUNS);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['says nothing', ''],
    ['does not end its line', '{"version":2,'],
  ])('is closed when it %s for too long', async (_, said) => {
    const clock = createHandClock();
    await using _socket = await open(played().operations, clock);
    const slow = peer();
    await new Promise((resolve) => slow.socket.once('connect', resolve));
    if (said !== '') slow.socket.write(said);
    // Once another one has been answered, what this one said has arrived.
    using good = await client();
    await good.call('list_active', {});
    clock.advance(30_000);
    expect(await slow.heard).toBe('');
  });

  test('is not waited for while it drops a byte of its line now and then', async () => {
    const clock = createHandClock();
    await using _ = await open(played().operations, clock);
    const slow = peer();
    await new Promise((resolve) => slow.socket.once('connect', resolve));
    for (let time = 0; time < 3; time++) {
      slow.socket.write('x');
      // As above.
      using good = await client();
      await good.call('list_active', {});
      clock.advance(10_000);
    }
    expect(await slow.heard).toBe('');
  });

  test.each([
    ['', 1],
    [', also if more stands in line than is worked on', 40],
  ])('and leaves has given up what it asked for%s', async (_, many) => {
    const begun = Promise.withResolvers<AbortSignal | undefined>();
    const { asked, operations } = played((_name, _input, { signal }) => {
      if (asked.length === Math.min(many, 16)) begun.resolve(signal);
      return new Promise(() => undefined);
    });
    await using _socket = await open(operations);
    const left = peer();
    left.socket.write(Array.from({ length: many }, (_one, id) => request(id)).join(''));
    const signal = await begun.promise;
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    left.socket.write(request(many), () => left.socket.destroy());
    await aborted;
    expect(signal?.aborted).toBe(true);
  });

  test('and wants more and more before it is answered is read no further for a while', async () => {
    const { operations } = played((name) => (name === 'cancel_thread' ? NOBODY_RUNS : new Promise(() => undefined)));
    await using _ = await open(operations);
    const eager = peer();
    await once(eager.socket, 'connect');
    for (let id = 0; id < 16; id++) eager.socket.write(request(id));
    eager.socket.write('\n'.repeat(2_000_000));
    using good = await client();
    // Time enough for all of it.
    for (let time = 0; time < 100; time++) await good.ask('cancel_thread', {});
    expect(eager.socket.writableLength).toBeGreaterThan(0);
    eager.socket.destroy();
  });

  test('and has left before that is read has asked for nothing', async () => {
    const { asked, operations } = played();
    await using _ = await open(operations);
    const left = peer();
    await new Promise((resolve) => left.socket.once('connect', resolve));
    left.socket.write(request(1));
    left.socket.destroy();
    expect(await left.heard).toBe('');
    using good = await client();
    await good.call('cancel_thread', { thread_id: 'a' }).catch(() => undefined);
    expect(asked.map(({ name }) => name)).toEqual(['cancel_thread']);
  });

  test('and leaves has nobody wait for it once what it asked for is answered', async () => {
    const clock = createHandClock();
    const begun = Promise.withResolvers<AbortSignal | undefined>();
    const answered = Promise.withResolvers<object>();
    const { operations } = played((_name, _input, { signal }) => {
      begun.resolve(signal);
      return answered.promise;
    });
    await using _ = await open(operations, clock);
    const left = peer();
    left.socket.write(request(1));
    const signal = await begun.promise;
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    left.socket.destroy();
    await aborted;
    answered.resolve(NOBODY_RUNS);
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.pending()).toBe(0);
  });
});

describe('A client', () => {
  test.each<[string, string, string]>([
    ['something that is no reply', 'hello\n', 'internal'],
    ['an answer of another shape', '{"version":2,"id":1,"answer":{"success":true}}\n', 'internal'],
    ['a refusal of everything', '{"version":7,"failure":{"code":"not_available","message":"no"}}\n', 'not_available'],
    ['nothing, and is gone', '', 'runtime_closed'],
  ])('that hears %s says so', async (_, said, code) => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end(said));
    }).listen(join(folder, 'control.sock'));
    await new Promise((resolve) => server.once('listening', resolve));
    using one = await client();
    await expect(one.call('list_active', {})).rejects.toMatchObject({ code });
    server.close();
  });

  test('waits no longer than its deadline', async () => {
    await using _ = await open(played(() => new Promise(() => undefined)).operations);
    const clock = createHandClock();
    const one = await connectControlSocket({ folder, clock });
    const answer = one?.call('list_active', {}, { deadlineMs: 50 });
    clock.advance(50);
    await expect(answer).rejects.toMatchObject({ code: 'deadline_exceeded' });
    one?.close();
  });

  test('may wait for as long as it likes', async () => {
    await using _ = await open();
    using one = await client();
    expect(await one.call('list_active', {}, { deadlineMs: Infinity })).toEqual(NOBODY_RUNS);
  });

  test('says of a change that is not answered that it may be done all the same', async () => {
    await using _ = await open(played(() => new Promise(() => undefined)).operations);
    const clock = createHandClock();
    const one = await connectControlSocket({ folder, clock });
    const [late, lost] = [50, 100].map((deadlineMs) =>
      one?.call('cancel_thread', { thread_id: 'a' }, { deadlineMs, changes: true }),
    );
    const maybe = { message: expect.stringContaining('may be done'), detail: { maybe_done: true } };
    expect(one?.isSilent).toBe(false);
    clock.advance(50);
    await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded', ...maybe });
    expect(one?.isSilent).toBe(true);
    one?.close();
    await expect(lost).rejects.toMatchObject({ code: 'runtime_closed', ...maybe });
  });

  test.each<[string, () => unknown]>([
    ['a number that JSON does not know', () => ({ limits: { turns: 1n } })],
    ['what contains itself', () => looped()],
  ])('refuses %s as input, and goes on', async (_, input) => {
    const { asked, operations } = played();
    await using _socket = await open(operations);
    using one = await client();
    const refusal = { code: 'invalid_argument', message: expect.stringContaining('resume_thread') };
    await expect(one.call('resume_thread', input())).rejects.toMatchObject(refusal);
    expect(await one.call('list_active', {})).toEqual(NOBODY_RUNS);
    expect(asked.map(({ name }) => name)).toEqual(['list_active']);
  });

  test('finds nobody where there is no folder of a project', async () => {
    expect(await connectControlSocket({ folder: join(folder, 'not-there') })).toBeUndefined();
  });
});

describe.skipIf(process.platform === 'win32')('A project whose path is too long for a socket', () => {
  let deep: string;
  let elsewhere: string;

  beforeEach(() => {
    deep = join(folder, 'd'.repeat(60), 'e'.repeat(60));
    mkdirSync(deep, { recursive: true });
    const name = createHash('sha256').update(realpathSync(deep)).digest('hex').slice(0, 24);
    elsewhere = join(tmpdir(), `skein-${name}`);
    folder = deep;
  });
  afterEach(() => rmSync(elsewhere, { recursive: true, force: true }));

  test('has it in a folder of its own below the temporary one, and says where', async () => {
    const socket = await open();
    expect(lstatSync(elsewhere).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(deep, 'control.path'), 'utf8')).toBe(`${join(elsewhere, 'control.sock')}\n`);
    using one = await client();
    expect(await one.call('list_active', {})).toEqual(NOBODY_RUNS);
    await socket.close();
    expect([existsSync(elsewhere), existsSync(join(deep, 'control.path'))]).toEqual([false, false]);
  });

  test('is found where its runtime says, if that has another temporary folder', () => {
    const written = join(dirname(deep), elsewhere.split('/').at(-1) ?? '', 'control.sock');
    writeFileSync(join(deep, 'control.path'), `${written}\n`);
    expect(findPlace({ folder: deep })?.path).toBe(written);
  });

  test.each(['/var/run/docker.sock', '../../somewhere/control.sock', ''])(
    'is not looked for at %j, which no runtime of it has written',
    (written) => {
      writeFileSync(join(deep, 'control.path'), `${written}\n`);
      expect(findPlace({ folder: deep })?.path).toBe(join(elsewhere, 'control.sock'));
    },
  );

  test('has nothing left of it if it could not be made its owner’s alone', async () => {
    const servers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'PipeServerWrap').length;
    const before = servers();
    const opening = open();
    rmSync(join(elsewhere, 'control.sock'));
    await expect(opening).rejects.toMatchObject({
      code: 'project_unwritable',
      message: expect.stringContaining('chmod'),
    });
    expect([existsSync(elsewhere), existsSync(join(deep, 'control.path')), servers()]).toEqual([false, false, before]);
  });

  test('is refused where somebody has made its folder for everybody', async () => {
    mkdirSync(elsewhere, { mode: 0o755 });
    await expect(open()).rejects.toMatchObject({ code: 'project_unwritable' });
    await expect(connectControlSocket({ folder: deep })).rejects.toMatchObject({ code: 'project_unwritable' });
  });
});

test.skipIf(process.platform === 'win32')(
  'What is no socket is left alone, and the socket opened elsewhere',
  async () => {
    writeFileSync(join(folder, 'control.sock'), 'mine');
    await using _ = await open();
    using one = await client();
    expect(await one.call('list_active', {})).toEqual(NOBODY_RUNS);
    expect(readFileSync(join(folder, 'control.sock'), 'utf8')).toBe('mine');
  },
);

test.skipIf(process.platform === 'win32')('What can not be made its owner’s alone is opened elsewhere', async () => {
  const opening = open();
  // It listens by now; its rights are set when it has heard of that.
  rmSync(join(folder, 'control.sock'));
  await using _ = await opening;
  expect(findPlace({ folder })?.kind).toBe('temp-folder');
  using one = await client();
  expect(await one.call('list_active', {})).toEqual(NOBODY_RUNS);
});

test.each<[NodeJS.Platform, number, readonly string[]]>([
  ['linux', 107, ['beside-lock', 'temp-folder']],
  ['linux', 108, ['temp-folder']],
  ['darwin', 103, ['beside-lock', 'temp-folder']],
  ['darwin', 104, ['temp-folder']],
  ['win32', 10, ['pipe']],
])('On %s a path of %i bytes is for: %j', (platform, length, kinds) => {
  const short = mkdtempSync('/tmp/s');
  const rest = Math.max(0, length - short.length - '/control.sock'.length - 1);
  const made = rest === 0 ? short : join(short, 'x'.repeat(rest));
  mkdirSync(made, { recursive: true });
  expect(socketPlaces({ folder: made, platform }).map(({ kind }) => kind)).toEqual(kinds);
  rmSync(short, { recursive: true });
});
