import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { createItemBench, STOPPED_CLOCK, type ItemBench } from './fixtures/item-bench.ts';
import { createModuleTool } from './module-tools.ts';

let bench: ItemBench;
beforeEach(() => {
  const hiding = { id: 'demo/hidden', description: 'registered', input: { type: 'object' }, run: () => 'registered' };
  bench = createItemBench({ registered: [createModuleTool(hiding, 'the test')] });
});
afterEach(() => bench[Symbol.dispose]());

const toolFile = (said: string, extra = ''): string => `export const __version__ = '1';
export const __tool_type__ = 'javascript';
export const __tool_description__ = 'Says ${said}';
export const execute = () => '${said}';
${extra}`;

describe('The services of a project’s items', () => {
  test('call a registered tool before a file’s, unless a space is named', async () => {
    bench.write('project/.ai/tools/demo/hidden.js', toolFile('file'));
    const run = (source?: string) => bench.dispatch({ item_id: 'demo/hidden', source });
    expect([await run(), await run('project')]).toMatchObject([{ data: 'registered' }, { data: 'file' }]);
  });

  test('load of a registered tool what there is to know of it', async () => {
    const result = await bench.dispatch({ primary: 'load', item_id: 'demo/hidden' });
    expect(result).toMatchObject({ data: { raw: null, description: 'registered', input_schema: { type: 'object' } } });
  });

  test('list the tools of the spaces that can be called: no runtimes, no helpers, none that only Skein carries out', () => {
    bench.write('project/.ai/tools/demo/say.js', toolFile('hello'));
    bench.write('project/.ai/tools/demo/helper.js', 'export const a = 1;\n');
    const ids = bench.services.tools.all().map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['demo/say', 'rye/file-system/read', 'rye/bash']));
    expect(ids.filter((id) => /^rye\/core|^rye\/agent|helper/.test(id))).toEqual([]);
  });

  test('leave a tool out whose schema can’t be used, and say why', () => {
    bench.write(
      'project/.ai/tools/demo/odd.js',
      toolFile('odd', "export const CONFIG_SCHEMA = { type: 'object', minimun: 1, patternProperties: 5 };"),
    );
    for (let round = 0; round < 2; round++) {
      expect(bench.services.tools.all().map(({ id }) => id)).not.toContain('demo/odd');
    }
    const where = { file: expect.stringMatching(/odd\.js$/) };
    const failure = { code: 'invalid_item', message: expect.stringContaining('schema'), where };
    expect(bench.services.tools.leftOut()).toMatchObject([{ id: 'demo/odd', failure }]);
    expect(bench.problems).toEqual([expect.objectContaining({ code: 'item_unsigned' })]);
  });

  test('copy nothing to a project whose space is the user’s own', async () => {
    using home = createItemBench({ home: 'link' });
    const copy = (destination: string) =>
      home.dispatch({ primary: 'load', item_id: 'rye/file-system/read', destination });
    expect(await copy('project')).toMatchObject({ status: 'error', code: 'not_available' });
    expect(await copy('user')).toMatchObject({ status: 'success' });
  });

  test('give the same tool for as long as its file is the same', () => {
    bench.write('project/.ai/tools/demo/say.js', toolFile('hello'));
    const { tools } = bench.services;
    expect(tools.find('demo/say')).toBe(tools.find('demo/say'));
    expect(tools.find('demo/say', 'project')).not.toBe(tools.find('demo/say'));
  });

  test('run as many tools at a time as the configuration says', async () => {
    const marks = `import { appendFileSync, readFileSync } from 'node:fs';
      export const execute = async () => {
        appendFileSync('log', 'in ');
        await new Promise((resolve) => setTimeout(resolve, 50));
        appendFileSync('log', 'out ');
        return readFileSync('log', 'utf8');
      };`;
    using one = createItemBench({ agent: { tools: { env: [], allowPrivate: [], maxProcesses: 1 } } });
    one.write('project/.ai/tools/demo/mark.js', toolFile('mark').replace(/export const execute.*/, marks));
    const outcomes = await Promise.all([1, 2, 3].map(() => one.dispatch({ item_id: 'demo/mark' })));
    expect(outcomes.at(-1)).toMatchObject({ data: 'in out in out in out ' });
  });

  test('tell tools where the user space is, whoever said it', async () => {
    const said = 'export const execute = () => process.env.SKEIN_USER_SPACE;';
    for (const elsewhere of [undefined, '/elsewhere']) {
      bench[Symbol.dispose]();
      bench = createItemBench({ env: elsewhere === undefined ? {} : { SKEIN_USER_SPACE: elsewhere } });
      bench.write('project/.ai/tools/demo/where.js', toolFile('where').replace(/export const execute.*/, said));
      const userSpace = join(bench.projectPath, '..', 'user');
      expect(await bench.dispatch({ item_id: 'demo/where' })).toMatchObject({ data: userSpace });
    }
  });

  test('never run a file that is not the one that was read and verified', async () => {
    bench[Symbol.dispose]();
    bench = createItemBench({ clock: STOPPED_CLOCK });
    const file = 'project/.ai/tools/demo/say.js';
    bench.write(file, toolFile('hello'));
    expect(await bench.dispatch({ item_id: 'demo/say' })).toMatchObject({ data: 'hello' });
    bench.write(file, toolFile('goodbye'));
    // No time has passed since it was read: the old file is thought to be there, and what is there is not run unread.
    expect(await bench.dispatch({ item_id: 'demo/say' })).toMatchObject({
      status: 'error',
      detail: { reason: 'file_changed' },
    });
    // Called again, it is the new one: that is what the caller was told to do.
    expect(await bench.dispatch({ item_id: 'demo/say' })).toMatchObject({ data: 'goodbye' });
  });

  test('find and give an item for as long as the key that signed it is trusted', async () => {
    bench[Symbol.dispose]();
    let time = Date.now() + 60_000;
    const trust = { project: 'strict', user: 'warn', system: 'off' } as const;
    bench = createItemBench({ agent: { trust }, clock: { ...systemClock, now: () => time } });
    bench.write('project/.ai/knowledge/demo/rules.md', '---\nname: rules\ntitle: Rules\nversion: "1"\n---\nBe kind.\n');
    const item = { item_type: 'knowledge', item_id: 'demo/rules' };
    const seen = async (): Promise<unknown> => {
      const [loaded, found] = [
        await bench.dispatch({ primary: 'load', ...item }),
        await bench.dispatch({ primary: 'search', query: 'kind', source: 'project' }),
      ];
      return [loaded, { found: found.status === 'success' && found.data }];
    };
    const refused = [{ code: 'item_unsigned' }, { found: { total: 0, skipped: 1 } }];
    expect(await seen()).toMatchObject(refused);
    expect(await bench.dispatch({ primary: 'sign', ...item })).toMatchObject({ status: 'success' });
    expect(await seen()).toMatchObject([{ data: { content: 'Be kind.' } }, { found: { total: 1, skipped: 0 } }]);
    const key = bench.services.trust.list().find(({ space }) => space === 'user');
    rmSync(key?.file ?? '');
    time += 1001;
    expect(await seen()).toMatchObject(refused);
  });

  test('keep the index in the project', async () => {
    await bench.dispatch({ primary: 'search', query: 'read' });
    expect(existsSync(join(bench.projectPath, '.ai/cache/items.db'))).toBe(true);
  });

  test('close: what is running ends, and what comes later is refused', async () => {
    bench.services.close();
    expect(await bench.dispatch({ primary: 'search', query: 'read' })).toMatchObject({ code: 'runtime_closed' });
  });
});
