import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { serve } from '../../test/fixtures/loopback.ts';
import type { Failure } from '../core/errors.ts';
import { createRedactor } from '../core/redactor.ts';
import { createFetch, createHttpTransport, type Fetch, type Transport } from './http-fetch.ts';
import { createRecordedFetch } from './recorded-fetch.ts';
import { createRecordingTransport } from './recording-transport.ts';

const KEY = 'hunter2-hunter2';
const clock = createHandClock();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-recording-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function fetchOf(mode: 'record' | 'replay', index = 0): Fetch {
  const redactor = createRedactor([KEY]);
  const onProblem = (failure: Failure): never => expect.unreachable(failure.message);
  return createRecordedFetch({ recording: { mode, path: folder }, index, redactor, clock, connections: 8, onProblem });
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'x-api-key': KEY },
});

async function pieces(response: Response): Promise<string[]> {
  const read: string[] = [];
  // Node's web streams are async iterables.
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
    read.push(Buffer.from(piece).toString('hex'));
  return read;
}

const recorded = (name = 'worker-0.jsonl'): string => readFileSync(join(folder, name), 'utf8');

test('what was recorded is answered byte for byte, piece by piece, without the server', async () => {
  const before: string[][] = [];
  {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'a=b', 'x-request-id': 'r1' });
      const bytes = Buffer.from('data: {"text":"grün"}\n\n');
      // Within a character.
      response.write(bytes.subarray(0, 18));
      void nextTurn().then(() => response.end(bytes.subarray(18)));
    });
    const response = await fetchOf('record')(`${server.url}/v1/messages`, post({ model: 'm', n: 1 }));
    before.push(await pieces(response));
  }
  expect(recorded()).not.toMatch(/hunter2|cookie|x-api-key/);
  const response = await fetchOf('replay')('http://other.example/v1/messages', post({ n: 1, model: 'm' }));
  expect([response.status, response.headers.get('content-type'), response.headers.get('x-request-id')]).toEqual([
    200,
    'text/event-stream',
    'r1',
  ]);
  expect([await pieces(response)]).toEqual(before);
});

test.each([
  ['in one millisecond', 0.25, -0.25],
  ['around a clock that is set back', 1, -3_600_000],
])('Equal requests begun %s are answered in their order, whichever was over first', async (_title, passes, setBy) => {
  const time = createHandClock();
  const over = [0, 1, 2].map(() => Promise.withResolvers<undefined>());
  let sent = 0;
  const send: Transport = async () => {
    const nth = sent++;
    const body = (async function* body() {
      await over[nth]?.promise;
      yield Buffer.from(String(nth));
    })();
    return { status: 200, headers: {}, body };
  };
  const texts: Promise<string>[] = [];
  for (const file of ['worker-0.jsonl', 'worker-1.jsonl', 'worker-0.jsonl']) {
    const append = (line: string): void => appendFileSync(join(folder, file), `${line}\n`);
    const onProblem = (): never => expect.unreachable();
    const options = { file, append, onProblem, redactor: createRedactor(), clock: time, send };
    const response = await createFetch({ transport: createRecordingTransport(options) })('http://h/x', post({}));
    texts.push(response.text());
    time.advance(passes);
    time.set(setBy);
  }
  for (const [nth, { resolve }] of [...over.entries()].toReversed()) {
    resolve(undefined);
    await texts[nth];
  }
  const replay = fetchOf('replay');
  const again = async (): Promise<string> => (await replay('http://h/x', post({}))).text();
  expect([await again(), await again(), await again()]).toEqual(['0', '1', '2']);
});

test('a recording is readable by its owner alone, and is not written twice', () => {
  fetchOf('record');
  expect(statSync(join(folder, 'worker-0.jsonl')).mode & 0o777).toBe(0o600);
  expect(() => fetchOf('record')).toThrow(/EEXIST/);
});

describe('A replay', () => {
  const exchange = (at: number, ask: string, answer: string): string =>
    `${JSON.stringify({
      at,
      request: { method: 'POST', path: '/v1/messages', body: { messages: [{ content: ask }], model: 'm' } },
      response: { status: 200, headers: {}, pieces: [answer] },
    })}\n`;
  const ask = async (fetch: Fetch, content: string): Promise<unknown> => {
    const response = await fetch('http://h/v1/messages', post({ model: 'm', messages: [{ content }] }));
    return response.ok ? response.text() : [response.status, await response.json()];
  };
  const missing = (message: RegExp): unknown => [
    404,
    { type: 'error', error: { type: 'ReplayError', code: 'replay_missing', message: expect.stringMatching(message) } },
  ];

  test('answers equal requests in the order of the recording, over all of its files, and each once', async () => {
    writeFileSync(join(folder, 'worker-0.jsonl'), exchange(1, 'a', 'first') + exchange(5, 'a', 'third'));
    writeFileSync(join(folder, 'worker-1.jsonl'), exchange(3, 'a', 'second'));
    const fetch = fetchOf('replay');
    expect([await ask(fetch, 'a'), await ask(fetch, 'a'), await ask(fetch, 'a')]).toEqual(['first', 'second', 'third']);
    expect(await ask(fetch, 'a')).toEqual(missing(/answers this request 3 times, and it is asked once more/));
  });

  test('says where a request differs that was not recorded', async () => {
    const long = 'the same beginning of a long text '.repeat(9);
    writeFileSync(join(folder, 'worker-0.jsonl'), exchange(1, 'far', 'x') + exchange(2, `${long}old`, 'y'));
    const fetch = fetchOf('replay');
    const place = /body\.messages\[0\]\.content: "….*old" was recorded, "….*new" is asked/;
    expect(await ask(fetch, `${long}new`)).toEqual(missing(place));
    const ids = / \(ids of threads are others in every run\)$/;
    expect(await ask(fetch, `${long}new`)).not.toEqual(missing(ids));
    const [was, is] = ['a', 'b'].map((digit) => `of thread-${digit.repeat(32)}`);
    writeFileSync(join(folder, 'worker-0.jsonl'), exchange(1, was ?? '', 'x'));
    expect(await ask(fetchOf('replay'), is ?? '')).toEqual(missing(ids));
    const other = await fetch('http://h/v1/other', post({}));
    expect(await other.json()).toMatchObject({
      error: { message: expect.stringMatching(/requests to \/v1\/messages/) },
    });
  });

  test('says of the first ten requests how they differ: each is compared with the whole recording', async () => {
    writeFileSync(join(folder, 'worker-0.jsonl'), exchange(1, 'a', 'x'));
    const fetch = fetchOf('replay');
    for (let nth = 0; nth < 10; nth++) expect(await ask(fetch, `b${nth}`)).toEqual(missing(/ differs at body/));
    expect(await ask(fetch, 'b')).toEqual(missing(/; how it differs is said of the first 10 such requests only$/));
    expect(await ask(fetch, 'a')).toBe('x');
  });

  test('finds a request that has in clear what is known to be a secret by now', async () => {
    writeFileSync(join(folder, 'worker-0.jsonl'), exchange(1, `say "${KEY}"`, 'x'));
    expect(await ask(fetchOf('replay'), `say "${KEY}"`)).toBe('x');
  });

  test('breaks off where the recorded answer broke off', async () => {
    const cut = { at: 1, request: { method: 'GET', path: '/x', body: '' } };
    const failure = { message: 'reset', code: 'ECONNRESET' };
    const lines = [
      { ...cut, failure },
      { ...cut, response: { status: 200, headers: {}, pieces: ['ha'] }, failure },
    ];
    writeFileSync(join(folder, 'a.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const fetch = fetchOf('replay');
    await expect(fetch('http://h/x')).rejects.toMatchObject(failure);
    await expect(pieces(await fetch('http://h/x'))).rejects.toMatchObject(failure);
  });

  test('reads what a killed process has left up to the last whole line', async () => {
    writeFileSync(join(folder, 'worker-0.jsonl'), exchange(1, 'a', 'first'));
    appendFileSync(join(folder, 'worker-0.jsonl'), exchange(2, 'b', 'cut').slice(0, 40));
    expect(await ask(fetchOf('replay'), 'a')).toBe('first');
  });

  test.each([
    ['a folder without one', {}, /has no recording/],
    ['a line that is none', { 'a.jsonl': '{"at":1}\n' }, /not one of a recording/],
    ['a line that is no JSON', { 'a.jsonl': 'at\n' }, /not one of a recording/],
  ])('refuses %s', (_, files: Readonly<Record<string, string>>, message) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    expect(() => fetchOf('replay')).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(() => fetchOf('replay')).toThrow(message);
  });
});

test('an answer that was cut off is recorded with what there was of it', async () => {
  await using server = await serve((_request, response) => {
    response.writeHead(200);
    response.write('begun');
    void nextTurn().then(() => response.destroy());
  });
  await expect(pieces(await fetchOf('record')(`${server.url}/x`))).rejects.toThrow(/other side closed|terminated/);
  expect(JSON.parse(recorded())).toMatchObject({
    response: { pieces: ['begun'] },
    failure: { code: 'UND_ERR_SOCKET' },
  });
});

describe('When the disk is full', () => {
  const full = (): never => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  const recorder = (send: Transport) => {
    const problems: Failure[] = [];
    const onProblem = (failure: Failure): void => void problems.push(failure);
    const options = { file: '/runs/one.jsonl', append: full, onProblem, redactor: createRedactor(), clock, send };
    return { problems, fetch: createFetch({ transport: createRecordingTransport(options) }) };
  };
  const TOLD = { code: 'not_available', message: expect.stringMatching(/\/runs\/one\.jsonl .*ENOSPC/) };

  test('answers on their way are passed on whole, which is told once, and no further request is sent', async () => {
    let sent = 0;
    await using server = await serve((_request, response) => {
      sent += 1;
      response.end('answer');
    });
    const { problems, fetch } = recorder(createHttpTransport());
    const under = await Promise.all([1, 2].map((n) => fetch(`${server.url}/x`, post({ n }))));
    expect(await Promise.all(under.map((response) => response.text()))).toEqual(['answer', 'answer']);
    expect(problems).toEqual([expect.objectContaining(TOLD)]);
    const refused = await fetch(`${server.url}/x`, post({ n: 3 }));
    expect([refused.status, await refused.json()]).toEqual([
      404,
      { type: 'error', error: { type: 'RecordingError', code: 'recording_failed', message: TOLD.message } },
    ]);
    expect(sent).toBe(2);
  });

  test("an answer is passed on whole also where its line can't be made", async () => {
    const problems: Failure[] = [];
    const body = (async function* body() {
      yield Buffer.from('answer');
    })();
    const options = {
      file: '/runs/one.jsonl',
      append: () => expect.unreachable('nothing is written'),
      onProblem: (failure: Failure): void => void problems.push(failure),
      redactor: createRedactor(),
      clock,
      send: () => Promise.resolve({ status: 200, headers: {}, body }),
    };
    // No address has a path that is none itself.
    const answer = await createRecordingTransport(options)({
      method: 'GET',
      url: 'nowhere',
      headers: [],
      body: null,
      signal: undefined,
    });
    expect(await text(answer.body)).toBe('answer');
    expect(problems).toHaveLength(1);
  });

  test('a connection that breaks has still broken', async () => {
    const { problems, fetch } = recorder(() => Promise.reject(new Error('reset')));
    await expect(fetch('http://h/x', post({}))).rejects.toThrow('reset');
    expect(problems).toHaveLength(1);
  });
});

test.each([
  ['in one piece', [`{"text":"say ${KEY} again"}`]],
  ['cut in two by the network', [`{"text":"say hunter2-`, `hunter2 again"}`]],
  ['said in several frames', ['{"text":"say hunter2-"}\n', '{"text":"hun"}\n', '{"text":"ter2 again"}']],
  ['in a request that comes back', [JSON.stringify({ text: JSON.stringify({ key: KEY }) })]],
])('a secret is in no recording: %s', async (_, answer) => {
  await using server = await serve((_request, response) => {
    response.writeHead(200, { 'x-request-id': KEY });
    void (async () => {
      for (const piece of answer) {
        response.write(piece);
        await nextTurn();
      }
      response.end();
    })();
  });
  const url = `${server.url}/v1/x?key=${KEY}&q=${KEY}`;
  await pieces(await fetchOf('record')(url, post({ said: KEY, list: [`Bearer ${KEY}`] })));
  expect(recorded()).toContain('[redacted]');
  expect(recorded()).not.toMatch(/hunter2|hun"|ter2/);
  expect((await fetchOf('replay')(url, post({ said: KEY, list: [`Bearer ${KEY}`] }))).status).toBe(200);
});

test("the name of a cache is a thread's, which is another one when its requests are replayed", async () => {
  {
    await using server = await serve((_request, response) => response.end('answer'));
    const response = await fetchOf('record')(
      `${server.url}/v1/responses`,
      post({ n: 1, prompt_cache_key: 'thread-1' }),
    );
    await pieces(response);
  }
  const replayed = await fetchOf('replay')(
    'http://x.example/v1/responses',
    post({ n: 1, prompt_cache_key: 'thread-2' }),
  );
  expect(await replayed.text()).toBe('answer');
});
