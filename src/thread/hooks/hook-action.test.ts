import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { call, NEVER, SCRIPTED } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { loadConfig } from '../../config/load.ts';
import { ok } from '../../core/result.ts';
import type { Tool } from '../../core/tool.ts';

const SLOW = 10;
const PATIENCE = 5_000;

/** A worker whose thread calls a tool and hangs then; a hook on `event` starts a thread and waits for it. */
function waitingAt(event: string): WorkerBench {
  const spawn = `<execute item_id="rye/agent/threads/thread_directive"><param name="directive_name" value="leaf"/></execute>`;
  const hooks = `<hook id="waits" event="${event}" timeout_ms="${PATIENCE}">${spawn}</hook>`;
  const says = [{ ...call('app_quick'), delay_ms: SLOW }, NEVER];
  const bench = createWorkerBench({ leaf: { says: [NEVER] }, task: { hooks, says } });
  bench.services.tools.add([quickTool()]);
  return bench;
}

function quickTool(told: () => void = () => undefined): Tool {
  return {
    id: 'app/quick',
    description: 'Is done at once',
    inputSchema: {},
    idempotent: true,
    run(_input, _caller, done) {
      told();
      done(ok('done'));
      return undefined;
    },
  };
}

test.each([
  ['before_step', 'running.beforeStep', 1],
  ['before_tool', 'running.askingHooks', 1],
  ['after_tool', 'running.waitingForChildren', 1],
])(
  'A hook on %s that waits for a thread (%s) gives the slot up %i times, and waits as long as it may',
  (event, state, yields) => {
    using bench = waitingAt(event);
    const thread = bench.start('task');
    bench.clock.advance(SLOW);
    bench.settle();
    const [asked] = bench.said('spawn');
    const child = bench.admitChild(thread, 'leaf');
    const { threadId } = bench.lineage(child);
    bench.host.receive({ type: 'answer', ref: asked?.ref ?? 0, value: { threadId } });
    bench.settle();
    expect(bench.host.stateOf(thread)).toBe(state);
    expect(bench.said('wait')).toMatchObject([{ thread, threadIds: [threadId], timeoutMs: PATIENCE }]);
    expect(bench.said('yield').map((yielded) => yielded.thread)).toEqual(Array(yields).fill(thread));
  },
);

const INTERNAL = 'rye/agent/threads/internal';
const CALLS_QUICK = { ...call('app_quick'), delay_ms: SLOW };

/** A worker whose thread may call `app/quick` and nothing else, with hooks of its directive and an internal item beside it. */
function guardedBy(hooks: string): WorkerBench & { readonly runs: () => number } {
  const permissions = '<execute><tool>app/*</tool></execute>';
  const bench = createWorkerBench({
    task: { permissions, hooks, says: [CALLS_QUICK, NEVER] },
    [`${INTERNAL}/evil`]: { says: [NEVER] },
  });
  let runs = 0;
  bench.services.tools.add([quickTool(() => runs++)]);
  return Object.assign(bench, { runs: () => runs });
}

test.each([
  ['sign', 'directive', 'evil'],
  ['execute', 'directive', 'evil'],
  ['load', 'tool', 'control'],
  ['sign', 'tool', 'control'],
])(
  'A hook of a directive may %s no %s %s below the internal tools: they are free to be executed, and nothing else',
  (primary, kind, name) => {
    using bench = guardedBy(
      `<hook id="h" event="before_step"><${primary} item_type="${kind}" item_id="${INTERNAL}/${name}"/></hook>`,
    );
    const thread = bench.start('task');
    bench.settle();
    const capability = `rye.${primary}.${kind}.rye.agent.threads.internal.${name}`;
    expect(bench.warnings(thread)).toMatchObject([
      { code: 'permission_denied', message: expect.stringContaining(capability), where: 'hook h' },
    ]);
  },
);

test('A hook that starts a thread is told what is ignored in its action', () => {
  const leaf = { item_id: 'rye/agent/threads/thread_directive', params: { directive_name: 'leaf', async_exec: true } };
  const hook = { id: 'h', event: 'before_step', action: { primary: 'execute', query: 'q', ...leaf } };
  const { config } = loadConfig({
    systemDir: fileURLToPath(new URL('../../../config', import.meta.url)),
    overrides: {
      agent: { ...SCRIPTED, trust: { project: 'off', system: 'off' } },
      hook_conditions: { infra_hooks: [hook] },
    },
  });
  using bench = createWorkerBench({ leaf: { says: [NEVER] }, task: { says: [NEVER] } }, {}, { config });
  const thread = bench.start('task');
  bench.settle();
  const { threadId } = bench.lineage(bench.admitChild(thread, 'leaf'));
  bench.host.receive({ type: 'answer', ref: bench.said('spawn')[0]?.ref ?? 0, value: { threadId } });
  bench.settle();
  expect(bench.warnings(thread)).toMatchObject([
    { message: 'the attribute "query" of execute is ignored', where: 'hook h' },
  ]);
});

test('A hook that has a control from another space executed is told that it is not there', () => {
  using bench = guardedBy(
    `<hook id="h" event="after_step"><execute item_id="${INTERNAL}/control" source="project">` +
      '<param name="action" value="continue"/></execute></hook>',
  );
  const thread = bench.start('task');
  bench.clock.advance(SLOW);
  bench.settle();
  expect(bench.warnings(thread)).toMatchObject([{ code: 'item_not_found', where: 'hook h' }]);
});

describe('A control that is executed decides, also with', () => {
  const guard = (attributes: string): string =>
    `<hook id="h" event="before_tool"><execute item_id="${INTERNAL}/control" ${attributes}>` +
    '<param name="action" value="skip"/><param name="current_value" value="${no.such}"/></execute></hook>';

  test.each([['source="system"'], ['dry_run="false"'], ['dry_run=""']])('%s', (attributes) => {
    using bench = guardedBy(guard(attributes));
    const thread = bench.start('task');
    bench.clock.advance(SLOW);
    bench.settle();
    expect([bench.runs(), bench.warnings(thread)]).toEqual([0, []]);
  });

  test.each([['dry_run="true"']])('but not with %s', (attributes) => {
    using bench = guardedBy(guard(attributes));
    const thread = bench.start('task');
    bench.clock.advance(SLOW);
    bench.settle();
    expect([bench.runs(), bench.warnings(thread)]).toEqual([1, []]);
  });
});

describe('A hook on after_tool that waits for a thread', () => {
  /** Its thread has its child, and waits; `more` calls are made beside the one that the hook is about. */
  function waiting(...more: readonly string[]): { readonly bench: WorkerBench; readonly thread: number } {
    const spawn = `<execute item_id="rye/agent/threads/thread_directive"><param name="directive_name" value="leaf"/></execute>`;
    const condition = '<condition path="tool" value="app/quick"/>';
    const hooks = `<hook id="waits" event="after_tool" timeout_ms="${PATIENCE}">${condition}${spawn}</hook>`;
    const calls = ['app_quick', ...more].flatMap((name) => call(name).tool_calls ?? []);
    const says = [{ tool_calls: calls, delay_ms: SLOW }, NEVER];
    const bench = createWorkerBench({ leaf: { says: [NEVER] }, task: { hooks, says } });
    const slow = { ...quickTool(), id: 'app/slow', run: () => ({ abort: () => undefined }) };
    bench.services.tools.add([quickTool(), slow]);
    const thread = bench.start('task');
    bench.clock.advance(SLOW);
    bench.settle();
    const { threadId } = bench.lineage(bench.admitChild(thread, 'leaf'));
    answer(bench, 'spawn', { threadId });
    return { bench, thread };
  }

  function answer(bench: WorkerBench, type: 'spawn' | 'wait', value: unknown): void {
    bench.host.receive({ type: 'answer', ref: bench.said(type)[0]?.ref ?? 0, value });
    bench.settle();
  }

  const child = (bench: WorkerBench) => ({ threadId: bench.said('wait')[0]?.threadIds[0], ending: undefined });

  test('keeps the slot while another call runs', () => {
    const { bench, thread } = waiting('app_slow');
    using _ = bench;
    expect([bench.host.stateOf(thread), bench.said('yield')]).toEqual(['running.acting', []]);
  });

  test('lets its thread go on when the child has ended', () => {
    const { bench, thread } = waiting();
    using _ = bench;
    answer(bench, 'wait', [{ ...child(bench), status: 'completed' }]);
    expect([bench.host.stateOf(thread), bench.warnings(thread)]).toEqual(['running.calling', []]);
  });

  test('has failed when its time is over', () => {
    const { bench, thread } = waiting();
    using _ = bench;
    answer(bench, 'wait', [{ ...child(bench), status: 'timeout' }]);
    const message = `It took longer than ${PATIENCE} ms`;
    expect(bench.host.stateOf(thread)).toBe('running.calling');
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    expect(bench.warnings(thread)).toMatchObject([{ code: 'deadline_exceeded', message, where: 'hook waits' }]);
  });
});
