import type { ServerResponse } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime, RuntimeOptions, ThreadEnding } from '../src/index.ts';
import { openaiWire } from './conformance/openai-wire.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import { serve } from './fixtures/loopback.ts';
import { importSkein } from './fixtures/skein.ts';
import { skeinHere } from './fixtures/skein-command.ts';
import { project, refusal, type Project } from './fixtures/scene.ts';

/** A model that calls a tool once and then says how many requests there were. */
async function startModel() {
  const seen: (string | undefined)[] = [];
  const server = await serve((request, response) => {
    seen.push(request.headers.authorization);
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => answer(response, Buffer.concat(parts).toString('utf8'), seen.length));
  });
  return { url: `${server.url}/v1`, seen, stop: () => server[Symbol.asyncDispose]() };
}

const USAGE = { inputTokens: 12, outputTokens: 3, cacheReadTokens: 2, cacheWriteTokens: 0 };

function answer(response: ServerResponse, body: string, count: number): void {
  const calls = body.includes('app_echo') && !body.includes('"role":"tool"');
  const said = calls
    ? {
        texts: ['Let me ', 'see.'],
        toolCalls: [{ id: `call_${count}`, name: 'app_echo', input: { text: 'hi' } }],
        finish: 'tool_calls',
      }
    : { texts: ['request ', `${count}`], toolCalls: [], finish: 'stop' };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  // The scenario of the wire's kind.
  response.end(
    openaiWire.answer({ kind: 'answer', usage: USAGE, ...said } as Parameters<typeof openaiWire.answer>[0]).join(''),
  );
}

let made: Project;
let folder: string;
let before: { readonly endings: readonly ThreadEnding[]; readonly keys: readonly (string | undefined)[] };

function options(more: Partial<RuntimeOptions>): RuntimeOptions {
  return { project: made.path, userSpace: join(made.path, 'home', '.ai'), env: { PATH: process.env['PATH'] }, ...more };
}

async function start(more: Partial<RuntimeOptions>): Promise<Runtime> {
  const runtime = await (await importSkein()).createRuntime(options(more));
  await runtime.registerTool(echoTool());
  return runtime;
}

async function runAll(runtime: Runtime): Promise<readonly ThreadEnding[]> {
  const endings: ThreadEnding[] = [];
  for (const directive of ['uses', 'plain', 'plain']) endings.push(await (await runtime.spawn(directive)).result);
  return endings;
}

beforeAll(async () => {
  const model = await startModel();
  made = project({ uses: {}, plain: { tools: [], body: 'Count.' }, other: { tools: [], body: 'Count to three.' } });
  folder = join(made.path, 'recordings', 'one');
  const providers = `{there: {kind: openai, base_url: "${model.url}", api_key_env: THE_KEY, max_output_tokens: 100}}`;
  const tiers = '{general: {provider: there, model: m}}';
  made.write(
    'home/.ai/config/agent.yaml',
    `providers: ${providers}\ntiers: ${tiers}\nunknown_price: zero\ntrust: {project: "off"}\n`,
  );
  await using runtime = await start({ record: folder, workers: 2, env: { THE_KEY: 'opensesame-opensesame' } });
  before = { endings: await runAll(runtime), keys: model.seen };
  await runtime.close();
  await model.stop();
});
afterAll(() => made[Symbol.dispose]());

describe('A run that was recorded', () => {
  test('has a file for each worker, whose lines hold requests and answers and no key', () => {
    expect(before.keys).toEqual(Array.from({ length: 4 }, () => 'Bearer opensesame-opensesame'));
    expect(before.endings.map(({ text }) => text)).toEqual(['request 2', 'request 3', 'request 4']);
    const files = ['worker-0.jsonl', 'worker-1.jsonl'].map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(files.join('').trim().split('\n')).toHaveLength(4);
    expect(files.join('')).not.toContain('sesame');
  });

  test('ends in the same way again, without server and key', async () => {
    await using runtime = await start({ replay: folder });
    const after = await runAll(runtime);
    const told = ({ status, text, outputs, cost }: ThreadEnding): unknown => ({ status, text, outputs, cost });
    expect(after.map(told)).toEqual(before.endings.map(told));
    const missing = [await (await runtime.spawn('other')).result, await (await runtime.spawn('plain')).result];
    expect(missing.map(({ status, error }) => [status, error?.code])).toEqual([
      ['error', 'replay_missing'],
      ['error', 'replay_missing'],
    ]);
    expect(missing[0]?.error?.message).toMatch(
      /differs at body\.messages\[0\]\.content: ".*uses.*" was recorded, ".*to three.*" is asked/s,
    );
    expect(missing[1]?.error?.message).toMatch(/answers this request 2 times, and it is asked once more/);
    expect(existsSync(join(folder, 'worker-2.jsonl'))).toBe(false);
  });

  test('can be replayed from a terminal', async () => {
    const around = { cwd: made.path, env: { PATH: process.env['PATH'], HOME: join(made.path, 'home') } };
    const again = await skeinHere(['run', 'plain', '--replay', 'recordings/one'], around);
    expect([again.code, again.stdout]).toEqual([0, 'request 3\n']);
  });
});

test.each<[string, (recorded: string) => Partial<RuntimeOptions>, RegExp]>([
  ['into a folder that has a recording', (record) => ({ record }), /has a recording already/],
  ['onto a file', (recorded) => ({ record: join(recorded, 'worker-1.jsonl') }), /can not be made: ENOTDIR/],
  ['where no folder can be made', () => ({ record: '/proc/skein/recording' }), /can not be made/],
  ['and replay at once', (replay) => ({ record: `${replay}-2`, replay }), /recorded or replayed, not both/],
  ['what is not there', (replay) => ({ replay: `${replay}-3` }), /no such recording/],
  ['in several workers', (replay) => ({ replay, workers: 2 }), /one worker, not in 2/],
])('a runtime does not record or replay %s', async (_, more, message) => {
  const refused = await refusal(() => start(more(folder)));
  expect(refused).toMatchObject({ code: 'invalid_argument', message: expect.stringMatching(message) });
});

test('a runtime that is refused has recorded nothing, and the next one may', async () => {
  const record = `${folder}-5`;
  await using first = await start({});
  const refused = await refusal(() => start({ record }));
  expect(refused).toMatchObject({ code: 'project_locked' });
  await first.close();
  await using next = await start({ record });
  expect(next.list()).toEqual(expect.any(Array));
});

test('a script is not recorded', async () => {
  const scripts = { main: { rules: [{ text: 'done' }] } };
  await using runtime = await start({ record: `${folder}-4`, scripts, workers: 1 });
  const refused = await refusal(() => runtime.spawn('plain', {}, { model: 'scripted:main' }));
  expect(refused).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/sends nothing that could be recorded/),
  });
});
