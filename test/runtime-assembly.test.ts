import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Runtime, ThreadHandle } from '../src/index.ts';
import { startLlmServer, type LlmServer, type Script } from '../src/testing.ts';
import { serve } from './fixtures/loopback.ts';
import { call, project, until, type Project } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { tiersOptions, type TiersPlace } from './fixtures/tiers-options.ts';
import { blockTexts as texts, wireBlocks as blocksOf, type WireBlock as Block } from './fixtures/wire-blocks.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const CONTEXT = 'rye_agent_threads_context_';
const select = (...paths: readonly string[]) => call(`${CONTEXT}select_files`, { paths });
const note = call('app_note', {});

/** What the model of each directive says in turn 1, 2, … */
const SAYS: Readonly<Record<string, Script['rules']>> = {
  coder: [
    select('src/f01.ts', 'src/f02.ts', 'src/none.ts'),
    note,
    call('app_change', { path: 'src/f01.ts', text: 'export const changed = 1;\n' }),
    note,
    call('app_change', { path: '.ai/config/prompts/system_extra.md', text: 'Speak of extras.' }),
    call(`${CONTEXT}drop_files`, { paths: ['src/f02.ts', 'src/never.ts'] }),
    { text: 'That is all.', usage: { input_tokens: 900, cache_read_tokens: 600, cache_write_tokens: 200 } },
  ],
  waits: [
    select('src/f01.ts', 'src/a.ts'),
    {
      ...call('rye_file_system_write', { path: 'src/a.ts', content: large('after') }),
      usage: { input_tokens: 900, output_tokens: 100 },
    },
    // Edited, it stands in a tier, where it may stay.
    call(`${CONTEXT}drop_files`, { paths: ['src/a.ts'] }),
    { text: 'slow', delay_ms: 2_000 },
  ],
  reads: [
    call(`${CONTEXT}fetch_url`, { url: 'PAGE' }),
    call(`${CONTEXT}enter_review`, { base: 'HEAD' }),
    select('src/f03.ts'),
    call(`${CONTEXT}leave_review`),
    { text: 'read' },
  ],
  greedy: [select('src/f04.ts', 'giant.txt'), { text: 'I do without.' }],
  swaps: [
    select('large.txt', 'other.txt'),
    {
      tool_calls: [
        ...(call(`${CONTEXT}drop_files`, { paths: ['large.txt'] }).tool_calls ?? []),
        ...(select('other.txt').tool_calls ?? []),
      ],
    },
    { text: 'I have the other one.' },
  ],
  grows: [select('small.txt'), { ...note, delay_ms: 2_000 }, { text: 'Another one went on.' }],
  rests: [
    select('wide.txt'),
    {
      tool_calls: [
        ...(call(`${CONTEXT}drop_files`, { paths: ['wide.txt'] }).tool_calls ?? []),
        ...(call('app_rest', {}).tool_calls ?? []),
      ],
    },
    { text: 'I have rested.' },
  ],
};

let made: Project;
let server: LlmServer;
let runtime: Runtime;
const page = serve((_, response) =>
  response
    .setHeader('content-type', 'text/html')
    .end('<html><title>On\n &lt;pages&gt;</title><p>What the page says.</p></html>'),
);

beforeAll(async () => {
  made = project();
  for (let at = 1; at <= 40; at++) made.write(`src/f${String(at).padStart(2, '0')}.ts`, source(at));
  made.write('src/a.ts', large('before'));
  for (const name of Object.keys(SAYS)) made.write(`.ai/directives/${name}.md`, directive(name));
  made.write('.gitignore', '.ai/threads\n.ai/cache\n');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: made.path });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'all');
  made.write('src/f03.ts', 'export const reviewed = 3;\n');
  server = await startLlmServer({ script: { rules: await rules() } });
  runtime = await start({});
});

afterAll(async () => {
  await runtime.close({ graceMs: 0 });
  await server.close();
  await (await page)[Symbol.asyncDispose]();
  made[Symbol.dispose]();
});

function source(at: number): string {
  const names = ['load', 'save', 'find', 'drop', 'list'].map((verb) => `${verb}Record${at}`);
  return names
    .map((name) => `/** One. */\nexport function ${name}(key: string, at: number): string {\n  return key + at;\n}\n`)
    .join('\n');
}

function large(name: string): string {
  return `export const ${name} = [\n${"  'many words',\n".repeat(1500)}];\n`;
}

function directive(name: string): string {
  return `# ${name}\n\n\`\`\`xml\n<directive name="${name}" version="1.0.0">\n  <metadata>\n    <description>Works</description>\n    <author>t</author>\n    <permissions><execute>*</execute></permissions>\n  </metadata>\n</directive>\n\`\`\`\n\nDo the work of ${name}.\n`;
}

async function rules(): Promise<Script['rules']> {
  const { url } = await page;
  const filled = JSON.parse(JSON.stringify(SAYS).replaceAll('PAGE', `${url}/`)) as typeof SAYS;
  return Object.entries(filled).flatMap(([name, says]) =>
    says.map((rule, index) => ({ directive: name, turn: index + 1, ...rule })),
  );
}

async function start(more: Partial<TiersPlace>): Promise<Runtime> {
  const { createRuntime } = await importSkein();
  const started = await createRuntime(tiersOptions({ project: made.path, origin: server.origin, ...more }));
  await started.registerTool({ id: 'app/note', description: 'notes', input: z.object({}), run: () => 'noted' });
  await started.registerTool({
    id: 'app/change',
    description: 'changes a file',
    input: z.object({ path: z.string(), text: z.string() }),
    run: ({ path, text }) => {
      made.write(path, text);
      return 'changed';
    },
  });
  await started.registerTool({
    id: 'app/rest',
    description: 'suspends the thread, and says much',
    input: z.object({}),
    run: (_, { threadId }) => {
      void started.thread(threadId).suspend();
      return 'many words\n'.repeat(9_000);
    },
  });
  return started;
}

/** Runs a thread; gives what the server has received for it. */
async function run(
  name: string,
  on: Runtime = runtime,
): Promise<{ handle: ThreadHandle; requests: readonly (readonly Block[])[] }> {
  const before = server.requests().length;
  const handle = await on.spawn(name);
  expect(await handle.result).toMatchObject({ status: 'completed' });
  return {
    handle,
    requests: server
      .requests()
      .slice(before)
      .map(({ body }) => blocksOf(body)),
  };
}

function shared(one: readonly Block[], other: readonly Block[]): number {
  const differs = texts(one).findIndex((text, at) => text !== other[at]?.text);
  return differs === -1 ? one.length : differs;
}

describe('A thread whose prompt stands in tiers', () => {
  let handle: ThreadHandle;
  let requests: readonly (readonly Block[])[];
  beforeAll(async () => {
    ({ handle, requests } = await run('coder'));
  });

  test('is headed by the prompt files, has the map, the files and its directive, and a reminder at its end', () => {
    const [first = []] = requests;
    expect(requests).toHaveLength(7);
    expect(first[0]?.text).toMatch(/^system .*experienced software engineer/);
    expect(texts(first).join('\n')).toContain('loadRecord7');
    expect(texts(first).join('\n')).toContain('# File Tree (');
    expect(first.at(-1)?.text).toMatch(/^user .*<directive name=\\"coder\\">.*several small edits/);
  });

  test('shows selected files from the next turn on, and their symbols no longer', () => {
    const [first = '', second = ''] = requests.map((blocks) => texts(blocks).join('\n'));
    expect(first).not.toContain('return key + at');
    expect(second.match(/src\/f01\.ts\\n```/g)).toHaveLength(1);
    expect(second).toContain('src/none.ts is no text file');
    expect(second).not.toContain('function loadRecord1(key: string, at: number): string\\n');
  });

  test('sends the same bytes in front of what is new', () => {
    const [, second = [], third = []] = requests;
    // One call more, and nothing else has changed.
    expect(shared(second, third)).toBe(second.length);
    expect(third.length).toBeGreaterThan(second.length);
  });

  test('sends the same bytes up to the mark in front of the first file that has changed', () => {
    const [, , third = [], fourth = []] = requests;
    const differs = shared(third, fourth);
    const changed = third.findIndex(({ text }) => text.includes('return key + at'));
    const mark = third.findLastIndex(({ isMarked }, at) => isMarked && at < changed);
    expect(mark).toBeGreaterThanOrEqual(0);
    expect(differs).toBeGreaterThan(mark);
    expect(texts(fourth.slice(differs)).join('\n')).toContain('export const changed = 1;');
  });

  test('has an edit of a prompt file in its next request', () => {
    const [, , , , fifth = [], sixth = []] = requests;
    expect(fifth[0]?.text).not.toContain('Speak of extras.');
    expect(sixth[0]?.text).toContain('Speak of extras.');
  });

  test('has a few marks, one of them before what is new, and none on the prompt with its reminder', () => {
    const counts = requests.map((blocks) => blocks.filter(({ isMarked }) => isMarked).length);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    expect(requests[0]?.at(-1)?.isMarked).toBe(false);
  });

  test('has what it was shown in its log, and its cost what its provider says of the cache', async () => {
    const log = made.log(handle.id);
    const changes = log.flatMap((event) => (event.event_type === 'context_changed' ? [event.payload] : []));
    expect(changes).toEqual([{ selected: ['src/f01.ts', 'src/f02.ts'] }, { dropped: ['src/f02.ts'] }]);
    const last = log.flatMap((event) => (event.event_type === 'usage' ? [event.payload] : [])).at(-1);
    expect(last).toMatchObject({ cache_read_tokens: 600, cache_write_tokens: 200 });
    const { cost } = await handle.result;
    expect(cost.cacheReadTokens).toBeGreaterThanOrEqual(600);
    expect(cost.cacheWriteTokens).toBeGreaterThanOrEqual(200);
  });
});

test('Pages and reviews are shown while they are asked for', async () => {
  const { requests } = await run('reads');
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = requests.map((blocks) =>
    texts(blocks).join('\n'),
  );
  expect(first).not.toContain('# URL Context');
  expect(second).toMatch(/# URL Context.*## On <pages> \(http:.*What the page says\./);
  expect(third).toMatch(/# Code Review Context.*src\/f03\.ts \(\+1 -/);
  expect(third).toContain('## Symbol Map Before The Changes');
  expect(third).toContain('loadRecord3');
  expect(fourth).toMatch(/## Reverse Diffs.*-export const reviewed = 3;/);
  expect(fifth).not.toContain('# Code Review Context');
  expect(fifth).toContain('What the page says.');
});

test.each([
  ['cache-aware-redundant', 2],
  ['cache-aware', 1],
  ['stability', 1],
])('A thread that is killed in mid-call goes on with the very request: %s, files %i', async (policy, shown) => {
  // The row before has edited it.
  made.write('src/a.ts', large('before'));
  await runtime.close({ graceMs: 0 });
  try {
    const before = server.requests().length;
    const fixture = fileURLToPath(new URL('fixtures/tiers-process.ts', import.meta.url));
    const child = spawn(process.execPath, [fixture, made.path, server.origin, 'waits', policy], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let id: string;
    try {
      [id] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
      await vi.waitFor(() => expect(server.requests()).toHaveLength(before + 4), { timeout: 20_000 });
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
    await using next = await start({ policy });
    await vi.waitFor(() => expect(made.row(id.trim())).toMatchObject({ status: 'completed' }), { timeout: 20_000 });
    const [, , , last = [], again = []] = server
      .requests()
      .slice(before)
      .map(({ body }) => blocksOf(body));
    expect(again).toEqual(last);
    expect(last.some(({ isMarked }) => isMarked)).toBe(true);
    expect(
      texts(last)
        .join('\n')
        .match(/src\/\w+\.ts\\n```/g),
    ).toHaveLength(shown);
    await next.close({ graceMs: 0 });
  } finally {
    runtime = await start({});
  }
});

test('A preview shows the tiers and their marks, and starts nothing', async () => {
  const { workers: _, ...options } = tiersOptions({ project: made.path, origin: server.origin });
  const before = server.requests().length;
  const { previewPrompt } = await importSkein();
  const preview = await previewPrompt('coder', {}, options);
  expect(preview.tiers?.policy).toBe('cache-aware');
  expect(preview.tiers?.tiers.reduce((sum, { symbols }) => sum + symbols, 0)).toBeGreaterThan(0);
  expect(preview.tiers?.messages[0]).toMatchObject({ role: 'system', begins: expect.stringContaining('engineer') });
  expect(preview.tiers?.messages.some(({ isMarked }) => isMarked)).toBe(true);
  expect(preview.tiers?.messages.at(-1)).toMatchObject({ role: 'user', isMarked: false });
  expect(server.requests()).toHaveLength(before);
});

test('A provider without marks gets none, and the same order', async () => {
  await runtime.close({ graceMs: 0 });
  const openai = await start({ kind: 'openai' });
  try {
    const { requests } = await run('reads', openai);
    expect(requests.flat().filter(({ isMarked }) => isMarked)).toEqual([]);
    const [, second = [], third = []] = requests;
    expect(shared(second, third)).toBeGreaterThan(2);
  } finally {
    await openai.close({ graceMs: 0 });
    runtime = await start({});
  }
});

test('A file that does not fit beside the rest is refused to its model, and the thread goes on', async () => {
  made.write('giant.txt', 'many words\n'.repeat(90_000));
  const handle = await runtime.spawn('greedy');
  expect(await handle.result).toMatchObject({ status: 'completed', text: 'I do without.' });
  const answer = made.log(handle.id).find(({ event_type: type }) => type === 'tool_call_result');
  const output = answer && 'output' in answer.payload ? answer.payload.output : undefined;
  expect(JSON.parse(output ?? '{}')).toEqual({
    selected: ['src/f04.ts'],
    refused: [
      {
        path: 'giant.txt',
        message: expect.stringMatching(/^It takes some \d+ tokens, and there is room for \d+: drop/),
      },
    ],
  });
});

test('What is dropped gives its room back, to what is selected in the same answer too', async () => {
  for (const name of ['large.txt', 'other.txt']) made.write(name, 'many words\n'.repeat(40_000));
  const handle = await runtime.spawn('swaps', {}, { limits: { tokens: 10_000_000, spend: 100 } });
  const outputs = (): unknown[] =>
    made.log(handle.id).flatMap(({ event_type: type, payload }) => {
      return type === 'tool_call_result' ? [JSON.parse(payload.output ?? '{}')] : [];
    });
  await expect.poll(() => outputs().length, { timeout: 30_000 }).toBe(3);
  expect(outputs()).toEqual([
    {
      selected: ['large.txt'],
      refused: [{ path: 'other.txt', message: expect.stringContaining('there is room for') }],
    },
    { dropped: ['large.txt'], unknown: [] },
    { selected: ['other.txt'], refused: [] },
  ]);
  await handle.cancel();
});

test('What is dropped before a suspension has given its room back when the thread goes on', async () => {
  made.write('wide.txt', 'many words\n'.repeat(58_000));
  const handle = await runtime.spawn('rests', {}, { limits: { tokens: 10_000_000, spend: 100 } });
  const types = (): string[] => made.log(handle.id).map((event) => event.event_type);
  // What is stored can be read before the host has heard of it: who resumes a thread waits to be told.
  await until(handle, 'thread_suspended');
  const resumed = await handle.resume();
  expect(await resumed.result).toMatchObject({ status: 'completed', text: 'I have rested.' });
  expect(types()).not.toContain('context_window_pressure');
});

test('A thread whose file has grown beyond the window hands over to one that shows it no longer', async () => {
  made.write('small.txt', 'words\n');
  const handle = await runtime.spawn('grows', {}, { limits: { tokens: 10_000_000, spend: 100 } });
  const types = (): string[] => made.log(handle.id).map((event) => event.event_type);
  await expect.poll(types, { timeout: 30_000 }).toContain('tool_call_result');
  made.write('small.txt', 'many words\n'.repeat(90_000));
  expect(await handle.result).toMatchObject({ status: 'completed', text: 'Another one went on.' });
  expect(types().at(-1)).toBe('thread_continued');
});
