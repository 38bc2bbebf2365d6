import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Failure, ThreadEvent } from '../src/index.ts';
import { openaiWire } from './conformance/openai-wire.ts';
import { startModelServer } from './conformance/model-server.ts';
import { skeinProcess } from './fixtures/skein-command.ts';
import { give, project, refusal, scene, scriptOf, type Part } from './fixtures/scene.ts';

/** Each has a part that stands nowhere else. */
const BY_NAME = 'kelp-from-the-environment-1';
const BY_CONFIG = 'moss-of-the-provider-22';
const BY_FILE = 'fern-in-a-file-333';
const BY_SHAPE = `sk-ant-api03-${'lichen4444'.repeat(3)}`;
const KEYS = [BY_NAME, BY_CONFIG, BY_FILE, BY_SHAPE];
const ALL = KEYS.join(' and ');
/** No key, and nothing that is left of one. */
const TRACES = /kelp|moss|fern|lichen/;

const asked = (name: string, input: object) => ({ tool_calls: [{ name, input: { ...input } }] });

const PARTS: Readonly<Record<string, Part>> = {
  leaks: {
    inputs: ['note'],
    outputs: ['answer'],
    body: `Say nothing of ${BY_SHAPE} in {input:note}.`,
    hooks: `<hook id="tells" event="after_step"><action primary="execute" item_type="tool" item_id="rye/agent/threads/internal/emitter"><param name="event_type">warning</param><param name="payload">{"code": "told", "message": "${BY_SHAPE}"}</param></action></hook>`,
    says: [
      { text: `Let me see: ${ALL}.`, chunks: 40, ...asked('app_peek', { where: BY_CONFIG }) },
      { text: `It failed: ${ALL}`, chunks: 7, ...asked('app_peek', { where: 'fail' }) },
      give({ answer: `It is ${ALL}` }),
    ],
  },
  fails: { says: [{ error: { type: 'invalid_request_error', message: `no ${ALL}`, headers: { 'x-a': BY_NAME } } }] },
};

/** Every byte of the files below a folder. */
function bytesIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return files
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

test('a key that is planted anywhere is in no event, no file of the database, no ending and no error', async () => {
  await using quotes = await startModelServer(openaiWire, {
    kind: 'error',
    status: 401,
    type: 'authentication_error',
    message: `wrong key ${BY_CONFIG}, not ${BY_SHAPE}`,
    headers: { 'x-request-id': BY_CONFIG },
  });
  using keys = project();
  keys.write('the-key', `${BY_FILE}\n`);
  const provider = { kind: 'openai', base_url: `${quotes.origin}/v1`, max_output_tokens: 100 };
  const providers = {
    quoting: { ...provider, api_key_env: 'OF_THE_PROVIDER' },
    filed: { ...provider, api_key_file: join(keys.path, 'the-key') },
  };
  const env = { PATH: process.env['PATH'], APP_TOKEN: BY_NAME, OF_THE_PROVIDER: BY_CONFIG };
  const config = {
    agent: { providers, unknown_price: 'zero' },
    resilience: { checkpoint: { persistence: { format: 'json' } } },
  };
  await using it = await scene(PARTS, { env, config });
  const told: (ThreadEvent | Failure)[] = [];
  it.runtime.on<'event'>('event', (event) => told.push(event));
  it.runtime.on<'problem'>('problem', (failure) => told.push(failure));
  const given: unknown[] = [];
  await it.runtime.registerTool({
    id: 'app/peek',
    description: 'Looks',
    input: z.object({ where: z.string() }),
    run: (input) => {
      given.push(input);
      if (input.where === 'fail') throw new Error(`failed with ${ALL}`);
      return { found: ALL };
    },
  });

  const leaks = await it.runtime.spawn('leaks', { note: ALL });
  const ended = [await leaks.result];
  ended.push(await (await it.runtime.spawn('fails')).result);
  for (const model of ['quoting:m', 'filed:m'])
    ended.push(await (await it.runtime.spawn('fails', {}, { model })).result);
  const refused = await refusal(() => it.runtime.spawn('leaks', { note: 'x' }, { model: BY_SHAPE }));
  await it.runtime.close();

  // The work itself is not touched: tools and servers get what they were given.
  expect(given).toEqual([{ where: BY_CONFIG }, { where: 'fail' }]);
  expect(quotes.requests.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${BY_CONFIG}`,
    `Bearer ${BY_FILE}`,
  ]);
  expect(ended.map(({ status }) => status)).toEqual(['completed', 'error', 'error', 'error']);
  expect(ended[0]?.outputs).toEqual({ answer: 'It is [redacted] and [redacted] and [redacted] and [redacted]' });
  const deltas = told.flatMap((event) =>
    'event_type' in event && event.event_type === 'cognition_out_delta' ? event.payload.text : [],
  );
  expect(deltas.join('')).toContain('Let me see: [redacted] and [redacted]');
  expect(JSON.stringify(told)).toContain('{"code":"told","message":"[redacted]"}');
  expect(JSON.stringify([told, ended])).not.toMatch(TRACES);
  expect(String(refused)).not.toMatch(TRACES);
  const stored = bytesIn(join(it.project.path, '.ai', 'threads'));
  expect(stored).toContain('[redacted]');
  expect(stored).not.toMatch(TRACES);
});

test('a key that is written after the start is taken out by all, once one worker has used it', async () => {
  const refusing = { kind: 'error', status: 401, type: 'authentication_error', message: 'no', headers: {} } as const;
  await using refuses = await startModelServer(openaiWire, refusing);
  using keys = project();
  const provider = { kind: 'openai', base_url: `${refuses.origin}/v1`, max_output_tokens: 100 };
  const providers = { filed: { ...provider, api_key_file: join(keys.path, 'the-key') } };
  const parts = { notes: { inputs: ['note'], outputs: ['answer'], says: [give({ answer: 'done' })] } };
  const config = {
    agent: { providers, unknown_price: 'zero' },
    resilience: { checkpoint: { persistence: { format: 'json' } } },
  };
  await using it = await scene(parts, { config, workers: 2 });
  keys.write('the-key', `${BY_FILE}\n`);
  const first = await it.runtime.spawn('notes', { note: 'x' }, { model: 'filed:m' });
  expect(await first.result).toMatchObject({ status: 'error' });
  const later = await Promise.all(
    Array.from({ length: 4 }, () => it.runtime.spawn('notes', { note: `It is ${BY_FILE}.` })),
  );
  for (const thread of later) expect(await thread.result).toMatchObject({ status: 'completed' });
  await it.runtime.close();
  const stored = bytesIn(join(it.project.path, '.ai', 'threads'));
  expect(stored).toContain('It is [redacted].');
  expect(stored).not.toMatch(TRACES);
});

test('the command line prints none either', async () => {
  using made = project(PARTS);
  made.write('home/.ai/config/agent.yaml', 'trust: { project: "off" }\n');
  const script = scriptOf({
    leaks: { says: [{ text: ALL, chunks: 9, ...asked('nobody', {}) }, give({ answer: ALL })] },
  });
  writeFileSync(join(made.path, 's.yaml'), JSON.stringify(script));
  const env = {
    PATH: process.env['PATH'],
    HOME: join(made.path, 'home'),
    APP_TOKEN: BY_NAME,
    A_SECRET: BY_CONFIG,
    B_SECRET: BY_FILE,
  };
  const around = { cwd: made.path, env };
  const run = ['run', 'leaks', '--input', `note=${ALL}`, '--script', 's=s.yaml'];
  const [done, wrong] = await Promise.all([
    skeinProcess([...run, '--model', 'scripted:s', '--json'], around),
    skeinProcess(['run', BY_NAME, BY_SHAPE], around),
  ]);
  expect(done.stdout).toContain('[redacted]');
  expect([done.stdout, done.stderr, wrong.stdout, wrong.stderr].join('\n')).not.toMatch(TRACES);
  expect(wrong.stderr).toContain('[redacted]');
});
