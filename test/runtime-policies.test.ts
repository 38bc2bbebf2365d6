import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Runtime } from '../src/index.ts';
import { startLlmServer, type LlmServer } from '../src/testing.ts';
import { call, project, type Part, type Project, type Sketch } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { tiersOptions } from './fixtures/tiers-options.ts';
import { blockTexts, wireBlocks, type WireBlock } from './fixtures/wire-blocks.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/* What a project's own `agent.yaml`, and a directive's `<context assembly>`, make of the requests that arrive at the model. */

const note = call('app_note');
const works: Part = {
  says: [
    call('rye_agent_threads_context_select_files', { paths: ['src/f01.ts', 'src/f02.ts'] }),
    note,
    call('app_change', { path: 'src/f01.ts', text: 'export const changed = 1;\n' }),
    note,
    { text: 'done' },
  ],
};
const extending = (base: string, context = ''): string =>
  `\`\`\`xml\n<directive name="d" version="1.0.0" extends="${base}"><metadata><description>d</description>` +
  `<category>t</category>${context}</metadata></directive>\n\`\`\`\nDo it.\n`;
const PARTS: Readonly<Record<string, Sketch>> = {
  works,
  plain: {},
  tiered: { context: 'assembly="tiered"' },
  flat: { context: 'assembly="flat"' },
  wrong: { context: 'assembly="layered"' },
};

let server: LlmServer;
beforeAll(async () => {
  const rules = works.says.map((says, at) => ({ directive: 'works', turn: at + 1, ...says }));
  server = await startLlmServer({ script: { rules: [...rules, { text: 'done' }] } });
});
afterAll(() => server.close());

interface Own extends AsyncDisposable {
  readonly project: Project;
  readonly runtime: Runtime;
  run(directive: string): Promise<readonly (readonly WireBlock[])[]>;
}

/** A runtime on a project with 40 source files and this `agent.yaml`. */
async function starting(agent: string): Promise<Own> {
  const made = project(PARTS);
  for (let at = 1; at <= 40; at++) made.write(`src/f${String(at).padStart(2, '0')}.ts`, source(at));
  made.write('.ai/directives/d-base.md', extending('tiered'));
  made.write('.ai/directives/d-own.md', extending('tiered', '<context assembly="flat"/>'));
  made.write('.ai/config/agent.yaml', `schema_version: '1.0.0'\n${agent}`);
  const { config = {}, ...options } = tiersOptions({ project: made.path, origin: server.origin });
  const { assembly: _, assembly_policy: __, ...rest } = config['agent'] as Record<string, unknown>;
  const { createRuntime } = await importSkein();
  const runtime = await createRuntime({ ...options, config: { ...config, agent: rest } });
  await runtime.registerTool({ id: 'app/note', description: 'notes', input: z.object({}), run: () => 'noted' });
  await runtime.registerTool({
    id: 'app/change',
    description: 'changes a file',
    input: z.object({ path: z.string(), text: z.string() }),
    run: ({ path, text }) => (made.write(path, text), 'changed'),
  });
  return {
    project: made,
    runtime,
    async run(name) {
      const before = server.requests().length;
      expect(await (await runtime.spawn(name)).result).toMatchObject({ status: 'completed' });
      return server
        .requests()
        .slice(before)
        .map(({ body }) => wireBlocks(body));
    },
    async [Symbol.asyncDispose]() {
      await runtime.close({ graceMs: 0 });
      made[Symbol.dispose]();
    },
  };
}

function source(at: number): string {
  const names = ['load', 'save', 'find', 'drop', 'list'].map((verb) => `${verb}Record${at}`);
  return names
    .map((name) => `export function ${name}(key: string, at: number): string {\n  return key + at;\n}\n`)
    .join('');
}

const text = (blocks: readonly WireBlock[] = []): string => blockTexts(blocks).join('\n');
const count = (where: string, what: string): number => where.split(what).length - 1;
const ofPolicy = (name: string): string => `assembly: tiered\nassembly_policy: ${name}\n`;

describe('A policy that a project chooses', () => {
  test('stability: symbols in a tier with a mark, files that are new or changed behind all marks', async () => {
    await using own = await starting(ofPolicy('stability'));
    const requests = await own.run('works');
    const [, second = [], , fourth = []] = requests;
    const working = (blocks: readonly WireBlock[]): number =>
      blocks.findIndex((one) => one.text.includes('# Working Files'));
    for (const blocks of [second, fourth]) {
      const mark = blocks.findLastIndex(({ isMarked }) => isMarked);
      expect(text(blocks.slice(0, mark + 1))).toContain('loadRecord7');
      expect(working(blocks)).toBeGreaterThan(mark);
    }
    expect(count(text(fourth), 'src/f01.ts\\n```')).toBe(1);
    expect(text(fourth.slice(working(fourth)))).toContain('export const changed = 1;');
    expect(text(fourth)).not.toContain('loadRecord1(key: string, at: number): string {');
  });

  test('append-only: what was sent stays, the list of files in front; a change is added behind it', async () => {
    await using own = await starting(ofPolicy('append-only'));
    const [, second = [], third = [], fourth = []] = await own.run('works');
    expect(second[0]?.text).toContain('# File Tree (');
    for (const [before, after] of [
      [second, third],
      [third, fourth],
    ] as const) {
      expect(blockTexts(after).slice(0, before.length)).toEqual(blockTexts(before));
    }
    expect(count(text(fourth), 'src/f01.ts\\n```')).toBe(2);
    expect(text(fourth).lastIndexOf('export const changed = 1;')).toBeGreaterThan(text(third).length);
  });

  test('cache-aware-redundant: a block stays beside its file for as long as it is current', async () => {
    await using own = await starting(ofPolicy('cache-aware-redundant'));
    const [first = [], second = [], , fourth = []] = await own.run('works');
    const block = 'src/f01.ts:\\n';
    expect([first, second, fourth].map((blocks) => count(text(blocks), block))).toEqual([1, 1, 0]);
    expect(count(text(second), 'src/f01.ts\\n```')).toBe(1);
    expect(count(text(fourth), 'src/f01.ts\\n```')).toBe(1);
    expect(text(fourth)).toContain('export const changed = 1;');
  });
});

describe('<context assembly>', () => {
  test.each([
    ['is what the directive says, whatever agent.yaml says', 'flat', { plain: false, tiered: true }],
    ['flat, too', 'tiered', { plain: true, flat: false }],
    [
      'is what the extended directive says, unless the extending one says it',
      'flat',
      { 'd-base': true, 'd-own': false },
    ],
  ])('%s', async (_title, assembly, directives) => {
    await using own = await starting(`assembly: ${assembly}\n`);
    for (const [name, isTiered] of Object.entries(directives)) {
      const [blocks = []] = await own.run(name);
      const shown = [blocks[0]?.text.includes('experienced software engineer'), text(blocks).includes('# File Tree (')];
      expect([name, ...shown]).toEqual([name, isTiered, isTiered]);
    }
  });

  test('that there is not is refused with file and line', async () => {
    await using own = await starting('assembly: flat\n');
    await expect(own.runtime.spawn('wrong')).rejects.toMatchObject({
      code: 'invalid_item',
      message: expect.stringContaining('assembly="layered" in <context>: flat or tiered is expected'),
      where: { file: expect.stringMatching(/wrong\.md$/), line: 5 },
    });
  });
});
