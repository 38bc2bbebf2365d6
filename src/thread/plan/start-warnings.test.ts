import { describe, expect, test } from 'vitest';
import { NEVER, type Part } from '../../../test/fixtures/scene.ts';
import { createWorkerBench } from '../../../test/fixtures/worker-bench.ts';

const BROKEN = 'export const CONFIG_SCHEMA = f();\n';
const UNUSABLE = "export const CONFIG_SCHEMA = { type: 'object', minimun: 1, patternProperties: 5 };\n";
const PARTS = {
  granted: { tools: ['demo/*'], says: [NEVER] },
  other: { tools: ['ops/*'], says: [NEVER] },
  untooled: { tools: [], says: [NEVER] },
} satisfies Record<string, Part>;

describe('A tool of a file that can not be used', () => {
  test('is told in the log of each thread that would have it, with the reason and the place', () => {
    using bench = createWorkerBench(PARTS);
    bench.project.write('.ai/tools/demo/broken.js', `\n\n${BROKEN}`);
    bench.project.write('.ai/tools/demo/odd.js', UNUSABLE);
    bench.project.write('.ai/tools/demo/fine.js', 'export const CONFIG_SCHEMA = {};\n');
    const told = [
      {
        code: 'invalid_item',
        message: expect.stringMatching(/^The tool demo\/broken is left out: /),
        where: expect.stringMatching(/demo\/broken\.js/),
      },
      {
        code: 'invalid_item',
        message: expect.stringMatching(/^The tool demo\/odd is left out: .*schema/),
        where: expect.stringMatching(/demo\/odd\.js/),
      },
    ];
    for (const thread of [bench.start('granted'), bench.start('granted')]) expect(bench.warnings(thread)).toEqual(told);
    for (const directive of ['other', 'untooled']) expect(bench.warnings(bench.start(directive))).toEqual([]);
    expect(bench.said('problem')).toEqual([]);
  });

  test('is told once, also of a thread that was suspended', () => {
    using bench = createWorkerBench({ ...PARTS, asks: { hooks: ASKS, tools: ['demo/*'], says: [NEVER] } });
    bench.project.write('.ai/tools/demo/broken.js', BROKEN);
    const thread = bench.start('asks');
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    bench.resume(thread);
    bench.commit();
    expect(bench.warnings(thread)).toHaveLength(1);
  });

  test('is one of those that are named; of many more only the number is told', () => {
    using bench = createWorkerBench(PARTS);
    for (let n = 0; n < 30; n++) bench.project.write(`.ai/tools/demo/broken-${n}.js`, BROKEN);
    const told = bench.warnings(bench.start('granted'));
    expect(told).toHaveLength(6);
    expect(told.at(-1)).toEqual({
      code: 'invalid_item',
      message: '25 more tools are left out; "skein item list" names them',
    });
  });

  test('is not told where the runtime has that tool itself', () => {
    using bench = createWorkerBench({ all: { says: [NEVER] } });
    bench.project.write('.ai/tools/rye/agent/threads/orchestrator.js', BROKEN);
    expect(bench.warnings(bench.start('all'))).toEqual([]);
  });
});

const ASKS = '<hook id="clock" event="thread_started"><action function="clock"/></hook>';
