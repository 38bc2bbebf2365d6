import { describe, expect, test } from 'vitest';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { unpackSpec } from '../../core/packed-spec.ts';
import type { SpawnRequest, ThreadSpec } from '../../core/protocol.ts';

const task = (turns: number, tools = 'app/a') => ({ limits: { turns }, tools: [tools], says: [{ text: 'done' }] });
const parts = {
  task: task(3),
  other: { ...task(4), model: 'id="routed" provider="scripted" fallback="scripted:fallen"' },
};
const SCRIPT = { rules: [{ text: 'done' }] };
const ANY_DIRECTIVE = 'rye.execute.directive.*';
const request = { inputs: {}, limits: undefined, model: undefined, parent: undefined, outputSchema: undefined };

function prepare(bench: WorkerBench, directive: string, more: Partial<SpawnRequest> = {}): ThreadSpec {
  bench.host.receive({ type: 'prepare', ref: 1, request: { ...request, directive, ...more } });
  const answer = bench.reports.at(-1);
  if (answer?.type !== 'prepared') throw new Error(`It was not prepared: ${JSON.stringify(answer)}`);
  return unpackSpec(answer.spec);
}

describe('What specs of a directive have in common', () => {
  test('is the same for one spec after the other, inputs apart', () => {
    using bench = createWorkerBench(parts);
    const specs = [{ a: 1 }, { a: 2 }].map((inputs) => prepare(bench, 'task', { inputs }));
    expect(specs).toMatchObject([
      { inputs: { a: 1 }, limits: { turns: 3 } },
      { inputs: { a: 2 }, limits: { turns: 3 } },
    ]);
    expect(specs[1]).toEqual({ ...specs[0], inputs: { a: 2 } });
  });

  test('follows the file of the directive', () => {
    using bench = createWorkerBench(parts);
    const before = prepare(bench, 'task');
    bench.project.directives({ task: task(30, 'app/bb') });
    bench.clock.advance(2_000);
    const after = prepare(bench, 'task');
    expect([before.limits.turns, after.limits.turns]).toEqual([3, 30]);
    expect([before, after].map(({ capabilities }) => JSON.stringify(capabilities))).toEqual([
      expect.stringContaining('app.a'),
      expect.stringContaining('app.bb'),
    ]);
  });

  test('follows the config', () => {
    using bench = createWorkerBench(parts);
    const before = prepare(bench, 'task');
    const { config } = bench.services;
    const limits = { ...config.resilience.limits, defaults: { ...config.resilience.limits.defaults, tokens: 77 } };
    bench.host.receive({ type: 'config', config: { ...config, resilience: { ...config.resilience, limits } } });
    expect([before.limits.tokens, prepare(bench, 'task').limits.tokens]).toEqual([
      config.resilience.limits.defaults.tokens,
      77,
    ]);
  });

  test('is that of the request: its limits, its model, its directive', () => {
    using bench = createWorkerBench(parts, {}, { scripts: { routed: SCRIPT, fallen: SCRIPT } });
    const plain = prepare(bench, 'task');
    const limited = prepare(bench, 'task', { limits: { turns: 2 } });
    const routed = prepare(bench, 'task', { model: 'scripted:routed' });
    const other = prepare(bench, 'other');
    expect(limited).toEqual({ ...plain, limits: { ...plain.limits, turns: 2 } });
    expect(routed).toEqual({ ...plain, model: 'scripted:routed' });
    expect(other).toMatchObject({ directive: 'other', fallbacks: ['scripted:fallen'], limits: { turns: 4 } });
    expect(prepare(bench, 'task')).toEqual(plain);
  });

  test('holds below a parent as far as its parent goes, with parents that take turns', () => {
    using bench = createWorkerBench({
      ...parts,
      parent: { ...task(2, 'app/*'), limits: { turns: 2 } },
      narrow: { ...task(2, 'app/n'), limits: { turns: 1 } },
    });
    const plain = prepare(bench, 'task');
    const [wide, small] = ['parent', 'narrow'].map((directive) => bench.start(directive));
    const below = (parent: typeof wide): ThreadSpec | undefined => {
      bench.host.receive({ type: 'prepare', ref: 2, request: { ...request, directive: 'task', parent } });
      bench.commit();
      const packed = bench.said('prepared').at(-1)?.spec;
      return packed && unpackSpec(packed);
    };
    for (const [parent, tool, turns] of [
      [wide, '*', 2],
      [small, 'n', 1],
      [wide, '*', 2],
    ] as const) {
      const spec = below(parent);
      expect(spec).toMatchObject({ limits: { turns, depth: plain.limits.depth - 1 } });
      expect(spec?.capabilities).toEqual([[`rye.execute.tool.app.${tool}`, ANY_DIRECTIVE], ...plain.capabilities]);
      expect(prepare(bench, 'task')).toEqual(plain);
    }
  });
});
