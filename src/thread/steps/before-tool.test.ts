import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { call, NEVER, SCRIPTED } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { loadConfig } from '../../config/load.ts';
import { ok } from '../../core/result.ts';

const SLOW = 10;
const AS_THE_MODEL_SAID = { text: 'one' };
const hookOf = (id: string): object => ({ id, event: 'before_tool', layer: 3, action: { function: 'guard' } });

function functions(...names: readonly string[]): string {
  return names.map((name) => `<hook id="${name}" event="before_tool"><action function="${name}"/></hook>`).join('');
}

type Written = { readonly hooks?: string; readonly calls?: ReturnType<typeof call> };

/** A worker whose thread calls a tool once, with a hook before that in its directive or in layer 3; and what the tool was given. */
function guardedBy(
  layer: 'directive' | 'infra',
  { hooks = functions('guard'), calls = call('app_echo', AS_THE_MODEL_SAID) }: Written = {},
): { readonly bench: WorkerBench; readonly given: unknown[] } {
  const { config } = loadConfig({
    systemDir: fileURLToPath(new URL('../../../config', import.meta.url)),
    overrides: {
      agent: { ...SCRIPTED, trust: { project: 'off', system: 'off' } },
      ...(layer === 'infra' && { hook_conditions: { infra_hooks: [hookOf('guard')] } }),
    },
  });
  const says = [{ ...calls, delay_ms: SLOW }, NEVER];
  const bench = createWorkerBench({ task: { ...(layer === 'directive' && { hooks }), says } }, {}, { config });
  const given: unknown[] = [];
  bench.services.tools.add([
    {
      id: 'app/echo',
      description: 'Says it again',
      inputSchema: { properties: { text: { type: 'string' } } },
      idempotent: true,
      run(input, _caller, done) {
        given.push(input);
        done(ok('done'));
        return undefined;
      },
    },
  ]);
  return { bench, given };
}

test.each<[string, 'directive' | 'infra', unknown, readonly unknown[], string]>([
  ['another input', 'directive', { text: 'two' }, [{ text: 'two' }], 'none'],
  ['another input in layer 3, which may not', 'infra', { text: 'two' }, [AS_THE_MODEL_SAID], 'hook_failed'],
  ['a text as the input', 'directive', 'two', [], 'tool_input_invalid'],
  ['a list as the input', 'directive', ['two'], [], 'tool_input_invalid'],
])(
  'A hook that gives %s (%s: %j) has the tool run with %j, and is warned of by %j',
  (_name, layer, input, ran, code) => {
    const { bench: opened, given } = guardedBy(layer);
    using bench = opened;
    const thread = bench.start('task');
    bench.clock.advance(SLOW);
    bench.settle();
    const [asked] = bench.said('hostCall');
    bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value: { input } });
    bench.settle();
    expect(given).toEqual(ran);
    expect(bench.warnings(thread)).toMatchObject(code === 'none' ? [] : [{ code, where: 'hook guard' }]);
    const log = bench.log(thread);
    const results = log.flatMap((event) => (event.event_type === 'tool_call_result' ? [event.payload] : []));
    const error = expect.stringContaining('What a hook gave as the input is no object');
    expect(results).toMatchObject([ran.length > 0 ? { output: 'done' } : { error }]);
  },
);

test.each<[string, () => Readonly<Record<string, unknown>>]>([
  ['a bigint', () => ({ text: 1n })],
  ['a circle', circle],
])('A hook that gives %s as the input harms one call, and not the thread', (_name, input) => {
  const { bench: opened, given } = guardedBy('directive');
  using bench = opened;
  const thread = bench.start('task');
  bench.clock.advance(SLOW);
  bench.settle();
  bench.host.receive({ type: 'answer', ref: bench.said('hostCall')[0]?.ref ?? 0, value: { input: input() } });
  bench.settle();
  expect(given).toEqual([]);
  const results = bench.log(thread).filter(({ event_type }) => event_type === 'tool_call_result');
  const error = expect.stringContaining(
    '[tool_input_invalid]: What a hook gave as the input cannot be written as JSON',
  );
  expect(results).toMatchObject([{ payload: { error } }]);
});

function circle(): Readonly<Record<string, unknown>> {
  const turning: Record<string, unknown> = {};
  turning['self'] = turning;
  return turning;
}

const EXECUTES_ECHO = { item_type: 'tool', item_id: 'app/echo', parameters: AS_THE_MODEL_SAID };

/** A thread that has the echo described, and hooks that give it these inputs one after the other; and what they were asked. */
function rewriting(inputs: readonly unknown[]): { readonly asked: unknown[]; readonly given: readonly unknown[] } {
  const hooks = functions(...inputs.map((_, index) => `f${index}`));
  const { bench: opened, given } = guardedBy('directive', {
    hooks,
    calls: call('rye_execute', { ...EXECUTES_ECHO, dry_run: true }),
  });
  using bench = opened;
  bench.start('task');
  bench.clock.advance(SLOW);
  bench.settle();
  for (const [index, input] of inputs.entries()) {
    const asked = bench.said('hostCall')[index];
    if (asked) bench.host.receive({ type: 'answer', ref: asked.ref, value: { input } });
    bench.settle();
  }
  return { asked: bench.said('hostCall').map(({ input }) => input), given };
}

test('Hooks see the tool of the last input that could be used, and may mend what another has spoilt', () => {
  const { asked, given } = rewriting([EXECUTES_ECHO, { text: 5 }, { text: 'three' }]);
  expect(asked).toMatchObject([
    { context: { tool: 'rye/execute' } },
    { context: { tool: 'app/echo', input: AS_THE_MODEL_SAID } },
    { context: { tool: 'app/echo', input: { text: 5 } } },
  ]);
  expect(given).toEqual([{ text: 'three' }]);
});

test('A call that a hook has made one of directive_return is one that no hook after it is asked about', () => {
  const returns = { item_type: 'tool', item_id: 'rye/agent/threads/directive_return', parameters: {} };
  expect(rewriting([returns, { text: 'two' }]).asked).toMatchObject([{ context: { tool: 'rye/execute' } }]);
});
