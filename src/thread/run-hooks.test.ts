import { describe, expect, test } from 'vitest';
import { createThreadBench, type ThreadBench } from '../../test/fixtures/thread-bench.ts';
import type { HookSpec } from '../core/item.ts';
import { failed, ok } from '../core/result.ts';
import type { Control } from './control.ts';
import { compileHooks } from './hooks.ts';
import { runHooks } from './run-hooks.ts';

const CONTROL = 'rye/agent/threads/internal/control';
const EMITTER = 'rye/agent/threads/internal/emitter';

describe('Running hooks', () => {
  test('without any is over at once, and builds no context', () => {
    const bench = createThreadBench();
    let built = 0;
    const context = (): Record<string, unknown> => ({ built: ++built });
    const ends: unknown[] = [];
    runHooks({ ...bench, event: 'before_step', context }, (control) => ends.push(control));
    expect([ends, built]).toEqual([[undefined], 0]);
  });

  test('with internal control decides in the same tick', () => {
    const { run } = open([control('a', 'fail', { error: 'no: ${turn}' })]);
    expect(run({ turn: 3 }).controls).toMatchObject([{ action: 'fail', error: 'no: 3' }]);
  });

  test('takes the first control result, and skips the rest of layers 1 and 2', () => {
    const { run, bench } = open([control('a', 'fail'), emitter('b', 'never'), control('c', 'retry')]);
    expect(run().controls).toMatchObject([{ action: 'fail' }]);
    expect(emitted(bench)).toEqual([]);
  });

  test('skips hooks whose condition does not hold', () => {
    const condition = { path: 'turn', op: 'eq', value: 9 };
    const { run } = open([{ ...control('a', 'fail'), condition }, control('b', 'retry')]);
    expect(run({ turn: 1 }).controls).toMatchObject([{ action: 'retry' }]);
  });

  test('always runs layer 3, and lets it control nothing', () => {
    const { run, bench } = open([control('a', 'fail')], [emitter('b', 'infra'), control('c', 'retry')]);
    expect(run().controls).toMatchObject([{ action: 'fail' }]);
    expect(emitted(bench)).toEqual(['infra']);
    const quiet = open([], [control('c', 'abort')]);
    expect(quiet.run().controls).toEqual([undefined]);
  });

  test('runs all actions of one hook, and takes the first control among them', () => {
    const actions = [emitter('x', 'one'), control('x', 'skip'), control('x', 'fail')].map(actionOf);
    const { run, bench } = open([{ id: 'a', event: 'before_step', actions }]);
    expect(run().controls).toMatchObject([{ action: 'skip' }]);
    expect(emitted(bench)).toEqual(['one']);
  });

  test('takes an ill-formed control result as no opinion', () => {
    const { run } = open([control('a', 'explode'), control('b', 'retry')]);
    expect(run().controls).toMatchObject([{ action: 'retry' }]);
  });

  test('goes through 10,000 hooks without running out of stack', () => {
    const { run } = open(Array.from({ length: 10_000 }, (_, index) => emitter(`h${index}`, 'x')));
    expect(run().controls).toEqual([undefined]);
  });
});

describe('A hook with a function of the host', () => {
  test('asks the host with event, context and params, and waits for the answer', () => {
    const { run, bench } = open([hostCall('a', { n: '${turn}' })]);
    const { controls } = run({ turn: 4 });
    expect(bench.reports).toEqual([
      {
        ref: 1,
        type: 'hostCall',
        kind: 'hook',
        name: 'f',
        input: { event: 'before_step', context: { turn: 4 }, params: { n: 4 } },
        threadId: 'thread-1',
      },
    ]);
    expect(controls).toEqual([]);
    bench.services.host.answer(1, ok({ action: 'suspend' }));
    expect(controls).toMatchObject([{ action: 'suspend' }]);
  });

  test('holds back the next hook until it is answered', () => {
    const { run, bench } = open([hostCall('a'), emitter('b', 'after the answer'), hostCall('c')]);
    const { controls } = run();
    expect([emitted(bench), bench.reports.length]).toEqual([[], 1]);
    bench.services.host.answer(1, ok(undefined));
    expect([emitted(bench), bench.reports.length]).toEqual([['after the answer'], 2]);
    bench.services.host.answer(2, ok('no control'));
    expect(controls).toEqual([undefined]);
  });

  test('that fails is a warning event, and the next hook runs', () => {
    const { run, bench } = open([hostCall('a'), control('b', 'retry')]);
    const { controls } = run();
    bench.services.host.answer(1, failed({ code: 'hook_failed', message: 'it is broken' }));
    expect(controls).toMatchObject([{ action: 'retry' }]);
    expect(bench.events().at(-1)).toMatchObject({
      event_type: 'warning',
      payload: { code: 'hook_failed', message: 'it is broken', where: 'hook a' },
    });
  });

  test('that does not answer within its timeout is a warning event', () => {
    const { run, bench } = open([{ ...hostCall('a'), timeout_ms: 50 }]);
    const { controls } = run();
    bench.clock.advance(50);
    expect(controls).toEqual([undefined]);
    expect(bench.events().at(-1)).toMatchObject({ payload: { code: 'deadline_exceeded', where: 'hook a' } });
  });

  test('is answered once: an answer after the timeout changes nothing', () => {
    const { run, bench } = open([{ ...hostCall('a'), timeout_ms: 50 }]);
    const { controls } = run();
    bench.clock.advance(50);
    bench.services.host.answer(1, ok({ action: 'fail' }));
    expect(controls).toEqual([undefined]);
  });
});

describe('An action of a hook', () => {
  test('that this version does not know is a warning event, and the thread goes on', () => {
    const action = { primary: 'execute', item_type: 'tool', item_id: 'app/tool' };
    const { run, bench } = open([{ id: 'a', event: 'before_step', action }]);
    expect(run().controls).toEqual([undefined]);
    expect(bench.events()[0]).toMatchObject({
      event_type: 'warning',
      payload: { code: 'not_available', message: expect.stringContaining('app/tool'), where: 'hook a' },
    });
  });

  test('emits a declared event with its payload', () => {
    const { run, bench } = open([emitter('a', 'hello')]);
    run();
    expect(bench.events()).toMatchObject([
      { event_type: 'warning', sequence: 1, payload: { code: 'x', message: 'hello' } },
    ]);
  });

  test.each([
    'thread_started',
    'thread_completed',
    'thread_error',
    'thread_cancelled',
    'thread_suspended',
    'thread_resumed',
    'thread_continued',
    'usage',
    'cognition_in',
    'cognition_out',
    'tool_call_start',
    'tool_call_result',
    'system_prompt',
    'no_such_event',
    '__proto__',
    7,
    undefined,
  ])('may not emit %j', (type) => {
    const params = { event_type: type, payload: { message: 'forged' } };
    const action = { primary: 'execute', item_type: 'tool', item_id: EMITTER, params };
    const { run, bench } = open([{ id: 'a', event: 'before_step', action }]);
    expect(run().controls).toEqual([undefined]);
    expect(bench.events()).toHaveLength(1);
    expect(bench.events()[0]).toMatchObject({ event_type: 'warning', payload: { code: 'hook_failed' } });
  });

  test('that emits after the end of the thread adds nothing to its log', () => {
    const { run, bench } = open([emitter('a', 'too late')]);
    bench.thread.ended = true;
    expect(run().controls).toEqual([undefined]);
    expect(bench.events()).toEqual([]);
  });
});

type Opened = {
  readonly bench: ThreadBench;
  readonly run: (context?: Record<string, unknown>) => { readonly controls: (Control | undefined)[] };
};

function open(directive: readonly HookSpec[], infra: readonly HookSpec[] = []): Opened {
  const hooks = compileHooks({ directive, project: [], user: [], builtin: [], infra }, 'my/directive');
  const bench = createThreadBench(hooks);
  return {
    bench,
    run(context = {}) {
      const controls: (Control | undefined)[] = [];
      const { thread, services } = bench;
      runHooks({ thread, services, event: 'before_step', context: () => context }, (given) => controls.push(given));
      return { controls };
    },
  };
}

function control(id: string, action: string, params: Record<string, unknown> = {}): HookSpec {
  return tool(id, CONTROL, { action, ...params });
}

function emitter(id: string, message: string): HookSpec {
  return tool(id, EMITTER, { event_type: 'warning', payload: { code: 'x', message } });
}

function hostCall(id: string, params: Record<string, unknown> = {}): HookSpec {
  return { id, event: 'before_step', action: { function: 'f', params } };
}

function tool(id: string, item_id: string, params: Record<string, unknown>): HookSpec {
  return { id, event: 'before_step', action: { primary: 'execute', item_type: 'tool', item_id, params } };
}

function actionOf({ action }: HookSpec): Readonly<Record<string, unknown>> {
  return action ?? {};
}

/** Messages of the events that hooks have emitted. */
function emitted(bench: ThreadBench): string[] {
  return bench
    .events()
    .flatMap((event) => (event.event_type === 'warning' && event.payload.code === 'x' ? [event.payload.message] : []));
}
