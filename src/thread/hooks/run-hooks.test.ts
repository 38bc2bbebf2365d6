import { describe, expect, test } from 'vitest';
import { createThreadBench, type ThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { HookEvent } from '../../core/hook-events.ts';
import type { HookSpec } from '../../core/item.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { Control } from './control.ts';
import { compileHooks } from './hooks.ts';
import { runHooks, type HookRun } from './run-hooks.ts';
import { stopWork } from '../steps/stop-work.ts';

const CONTROL = 'rye/agent/threads/internal/control';
const EMITTER = 'rye/agent/threads/internal/emitter';

describe('Running hooks', () => {
  test('without any is over at once, and builds no context', () => {
    const bench = createThreadBench();
    let built = 0;
    const context = (): Record<string, unknown> => ({ built: ++built });
    const ends: unknown[] = [];
    runHooks({ ...bench, event: 'after_step', context }, (control) => ends.push(control));
    expect([ends, built]).toEqual([[undefined], 0]);
  });

  test('with internal control decides in the same tick', () => {
    const { run } = open([control('a', 'fail', { error: 'no: ${turn}' })]);
    expect(run({ turn: 3 }).controls).toMatchObject([{ action: 'fail', error: 'no: 3' }]);
  });

  test('takes the first decision, and skips the rest of layers 1 and 2', () => {
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

  test('runs all actions of one hook, and takes the first decision among them', () => {
    const actions = [emitter('x', 'one'), control('x', 'skip'), control('x', 'fail'), control('x', 'abort')].map(
      actionOf,
    );
    const { run, bench } = open([{ id: 'a', event: 'after_step', actions }]);
    expect(run().controls).toMatchObject([{ action: 'fail' }]);
    expect(emitted(bench)).toEqual(['one']);
  });

  test('does not take what its caller throws for the failure of an action, nor keep it to itself', () => {
    const { bench } = open([control('a', 'fail')]);
    const take = (): never => {
      throw new Error('The step is broken');
    };
    const run = { ...bench, event: 'after_step', context: () => ({}), take } as const;
    expect(() => runHooks(run, () => undefined)).toThrow('The step is broken');
    expect(bench.events()).toEqual([]);
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

describe('A hook that lets pass', () => {
  const at = (event: HookEvent, spec: HookSpec): HookSpec => ({ ...spec, event });

  test.each<[HookEvent, string]>([
    ['before_tool', 'continue'],
    ['before_tool', 'retry'],
    ['before_step', 'continue'],
    ['before_step', 'skip'],
    ['after_tool', 'retry'],
    ['error', 'continue'],
    ['error', 'skip'],
    ['limit', 'skip'],
    ['context_window_pressure', 'skip'],
    ['context_limit_reached', 'continue'],
    ['directive_return', 'continue'],
  ])('skips nobody: at %s the one after %s decides', (event, action) => {
    const { run } = open([at(event, control('a', action)), at(event, control('b', 'fail'))]);
    expect(run({}, event).controls).toMatchObject([{ action: 'fail' }]);
  });

  test('is heard where nobody decides, the first of them', () => {
    const { run } = open([control('a', 'skip'), emitter('b', 'x'), control('c', 'continue')]);
    expect(run().controls).toMatchObject([{ action: 'skip' }]);
  });

  test('does not stop what hooks do after the end, where nothing is decided', () => {
    const { run, bench } = open([after(control('a', 'fail')), after(hostCall('b'))]);
    run({}, 'after_complete');
    expect(bench.reports).toMatchObject([{ type: 'hostCall', name: 'f' }]);
  });
});

describe('A suspension that a person has granted', () => {
  const guard = { ...control('guard', 'skip', { error: 'not this one' }), event: 'before_tool' };
  const asks = (id: string): HookSpec => ({ ...control(id, 'suspend'), event: 'before_tool' });
  const grant = ({ bench }: Opened, ...points: string[]): void => {
    bench.thread.answers = new Map(points.map((point) => [point, { granted: true, by: 'ann' }]));
  };

  test.each<[string, readonly HookSpec[], object]>([
    ['is answered by the hook after it', [asks('a'), guard], { action: 'skip', error: 'not this one' }],
    ['does not answer for another hook that asks', [asks('a'), asks('b')], { action: 'suspend' }],
    ['lets the thread go on if nobody else decides', [asks('a'), emitter('b', 'x')], { action: 'continue' }],
  ])('%s', (_name, hooks, decision) => {
    const opened = open(hooks);
    grant(opened, 'before_tool directive hook a turn 0');
    expect(opened.run({}, 'before_tool').controls).toMatchObject([decision]);
  });

  test('does not answer for a hook with the same id in another place', () => {
    const hooks = { directive: [asks('a')], project: [asks('a')], user: [], builtin: [], infra: [] };
    const bench = createThreadBench(compileHooks(hooks, 'd'));
    const decided: unknown[] = [];
    const ask = (): void =>
      runHooks({ ...bench, event: 'before_tool', context: () => ({}) }, (given, by) =>
        decided.push([given?.action, by?.source]),
      );
    const granted = { granted: true, by: 'ann' };
    bench.thread.answers = new Map([['before_tool directive hook a turn 0', granted]]);
    ask();
    expect(decided).toEqual([['suspend', 'project']]);
  });

  test('is used up where the event has no subject, since it may come again in the same turn', () => {
    const opened = open([asks('a')]);
    grant(opened, 'before_tool directive hook a turn 0');
    expect(opened.run({}, 'before_tool').controls).toMatchObject([{ action: 'continue' }]);
    expect(opened.run({}, 'before_tool').controls).toMatchObject([{ action: 'suspend' }]);
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
        input: { event: 'after_step', context: { turn: 4 }, params: { n: 4 } },
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

  test.each([
    ['an action that there is not', { action: 'deny' }],
    ['a detail of the wrong type', { action: 'fail', error: 7 }],
    ['the name of an action alone', 'fail'],
    ['a list', [{ action: 'retry' }]],
    ['an error', new Error('no')],
    ['no', false],
  ])('that returns %s is a warning event, and decides nothing', (_, answer) => {
    const { run, bench } = open([hostCall('a'), control('b', 'retry')]);
    const { controls } = run();
    bench.services.host.answer(1, ok(answer));
    expect(controls).toMatchObject([{ action: 'retry' }]);
    expect(warnings(bench)).toMatchObject([
      {
        code: 'hook_failed',
        where: 'hook a',
        message: expect.stringMatching(/no control result: .*(retry|string|neither an object nor nothing)/),
      },
    ]);
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
  test('that asks for an internal tool nobody has is a warning event, and the thread goes on', () => {
    const { run, bench } = open([tool('a', 'rye/agent/threads/internal/magic', {})]);
    expect(run().controls).toEqual([undefined]);
    expect(warnings(bench)).toMatchObject([{ code: 'item_not_found', where: 'hook a' }]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['an unknown name', { action: 'fail', colour: 'red' }],
    ['a value of the wrong type', { action: 'suspend', suspend_reason: 7 }],
    ['a missing name', { error: 'no' }],
  ])('is held to the schema of the tool: %s is a warning event', (_name, params) => {
    const { run, bench } = open([tool('a', CONTROL, params), control('b', 'retry')]);
    expect(run().controls).toMatchObject([{ action: 'retry' }]);
    expect(warnings(bench)).toMatchObject([{ code: 'tool_input_invalid', where: 'hook a' }]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['as a param', { event_type: 'warning', _thread_context: { thread_id: 'thread-2' } }],
    ['deep in one', { event_type: 'warning', payload: { code: 'x', message: 'y', more: { _thread_context: {} } } }],
    ['in a text that becomes an object', { event_type: 'warning', payload: '{"_thread_context": {}}' }],
  ])('never brings a thread context along: %s it is refused', (_name, params) => {
    const { run, bench } = open([tool('a', EMITTER, params)]);
    run();
    expect(warnings(bench)).toMatchObject([{ where: 'hook a', message: expect.stringContaining('_thread_context') }]);
    expect(emitted(bench)).toEqual([]);
  });

  test('with a payload that does not fit the event is a warning event', () => {
    const { run, bench } = open([tool('a', EMITTER, { event_type: 'checkpoint_saved', payload: { turn: 'one' } })]);
    run();
    expect(bench.events()).toMatchObject([{ event_type: 'warning', payload: { code: 'tool_input_invalid' } }]);
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
  ])('may not emit %j', (type) => {
    const params = { event_type: type, payload: { message: 'forged' } };
    const action = { primary: 'execute', item_type: 'tool', item_id: EMITTER, params };
    const { run, bench } = open([{ id: 'a', event: 'after_step', action }]);
    expect(run().controls).toEqual([undefined]);
    expect(bench.events()).toHaveLength(1);
    expect(bench.events()[0]).toMatchObject({ event_type: 'warning', payload: { code: 'hook_failed' } });
  });
});

describe('A hook that fails where it was asked before something is done', () => {
  const closed = (spec: HookSpec, event: HookEvent): HookSpec => ({ ...spec, event });
  const broken = failed({ code: 'hook_failed', message: 'it is broken' } as const);

  test.each<[HookEvent, string | undefined]>([
    ['before_tool', 'skip'],
    ['before_step', 'suspend'],
    ['directive_return', 'suspend'],
    ['limit', 'escalate'],
    ['after_step', undefined],
    ['after_tool', undefined],
    ['error', undefined],
    ['context_window_pressure', undefined],
    ['context_limit_reached', undefined],
    ['child_started', undefined],
    ['child_ended', undefined],
  ])('decides: at %s it is %j', (event, action) => {
    const { run, bench } = open([closed(hostCall('a'), event)]);
    const { controls } = run({}, event);
    bench.services.host.answer(1, broken);
    expect(controls.map((given) => given?.action)).toEqual([action]);
    expect(warnings(bench)).toMatchObject([{ code: 'hook_failed', message: 'it is broken', where: 'hook a' }]);
  });

  test('says why, has the hooks after it skipped, and does not undo what one before it has decided', () => {
    const { run, bench } = open([
      closed(hostCall('a'), 'before_step'),
      closed(control('b', 'continue'), 'before_step'),
    ]);
    const { controls } = run({}, 'before_step');
    bench.services.host.answer(1, broken);
    expect(controls).toEqual([{ action: 'suspend', suspend_reason: 'Hook a failed at before_step: it is broken' }]);
    const late = open([closed(control('a', 'abort'), 'before_step'), closed(hostCall('b'), 'before_step')]);
    expect(late.run({}, 'before_step').controls).toMatchObject([{ action: 'abort' }]);
  });

  test.each<[string, HookSpec, string | undefined]>([
    ['a decision with an unknown name', control('a', 'explode'), 'suspend'],
    [
      'an internal tool that is not there',
      tool('a', 'rye/agent/threads/internal/contrl', { action: 'fail' }),
      'suspend',
    ],
    ['an event that may not be emitted', tool('a', EMITTER, { event_type: 'usage' }), undefined],
  ])('counts if it might have decided something: %s', (_name, spec, action) => {
    const { run } = open([closed(spec, 'before_step')]);
    expect(run({}, 'before_step').controls.map((given) => given?.action)).toEqual([action]);
  });

  test.each([
    [{ action: 'deny' }],
    [{ action: 'fail', error: 7 }],
    ['fail'],
    [[{ action: 'fail' }]],
    [new Error('no')],
    [true],
    [0],
  ])('counts, too, if it answers %j', (answer) => {
    const { run, bench } = open([closed(hostCall('a'), 'before_step')]);
    const { controls } = run({}, 'before_step');
    bench.services.host.answer(1, ok(answer));
    expect(controls).toMatchObject([
      { action: 'suspend', suspend_reason: expect.stringContaining('no control result') },
    ]);
  });

  test.each([[undefined], [null], [{}], [{ input: { text: 'x' } }]])('is none that answers %j', (answer) => {
    const { run, bench } = open([closed(hostCall('a'), 'before_step')]);
    const { controls } = run({}, 'before_step');
    bench.services.host.answer(1, ok(answer));
    expect([controls, warnings(bench)]).toEqual([[undefined], []]);
  });

  test('does not count in layer 3', () => {
    const { run, bench } = open([], [closed(hostCall('a'), 'before_tool')]);
    const { controls } = run({}, 'before_tool');
    bench.services.host.answer(1, broken);
    expect(controls).toEqual([undefined]);
  });

  test.each<[HookEvent, string | undefined]>([
    ['before_tool', 'skip'],
    ['before_step', undefined],
  ])('by going around in circles: at %s it is %j', (event, action) => {
    const execute = { primary: 'execute', item_type: 'directive', item_id: 'self' };
    const { run, bench } = open([{ id: 'a', event, action: execute }]);
    const { controls } = run({}, event);
    const code = 'hook_depth_exceeded';
    bench.dispatches[0]?.done({ status: 'error', type: 'directive', item_id: 'self', error: 'too deep', code });
    expect(controls.map((given) => given?.action)).toEqual([action]);
  });
});

describe('A hook with another action', () => {
  const LOAD = { primary: 'load', item_type: 'knowledge', item_id: 'a/b', params: { source: '${space}' } };

  test('has it dispatched with its params filled in', () => {
    const { run, bench } = open([{ id: 'a', event: 'after_step', action: LOAD }]);
    run({ space: 'user' });
    expect(bench.dispatches.map(({ action }) => action)).toEqual([{ ...LOAD, params: { source: 'user' } }]);
    expect(bench.dispatches[0]?.context).toMatchObject({ threadId: 'thread-1', projectPath: '/project' });
  });

  test('holds back the next hook until it is done, and decides nothing', () => {
    const { run, bench } = open([{ id: 'a', event: 'after_step', action: LOAD }, control('b', 'retry')]);
    const { controls } = run();
    expect(controls).toEqual([]);
    bench.dispatches[0]?.done({ status: 'success', type: 'tool', item_id: 'x', data: { action: 'fail' } });
    expect(controls).toMatchObject([{ action: 'retry' }]);
  });

  test('tells what is ignored in it as warning events, and not what is remarked on its item', () => {
    const action = { ...LOAD, query: 'q', params: { destinaton: 'user' } };
    const { run, bench } = open([{ id: 'a', event: 'after_step', action }]);
    const { controls } = run();
    const result = { status: 'success', type: 'knowledge', item_id: 'a/b', data: null } as const;
    bench.dispatches[0]?.done({ ...result, warnings: ['a/b is not signed'] });
    expect(controls).toEqual([undefined]);
    expect(warnings(bench)).toMatchObject([
      { code: 'hook_failed', message: 'the attribute "destinaton" of load is ignored', where: 'hook a' },
      { code: 'hook_failed', message: 'the attribute "query" of load is ignored', where: 'hook a' },
    ]);
  });

  test('tells what is ignored in it also where the event has its own way to carry it out', () => {
    const action = { item_type: 'directive', item_id: 'a/b', limit: 3 };
    const { bench } = open([{ id: 'a', event: 'after_step', action }]);
    const own: HookRun['own'] = () => (callback) => {
      callback.done(ok({ value: null, control: undefined }));
      return undefined;
    };
    runHooks({ ...bench, event: 'after_step', context: () => ({}), own }, () => undefined);
    expect(warnings(bench)).toMatchObject([{ message: 'the attribute "limit" of execute is ignored' }]);
  });

  test('that fails is a warning event, and the next hook runs', () => {
    const { run, bench } = open([{ id: 'a', event: 'after_step', action: LOAD }, control('b', 'retry')]);
    const { controls } = run();
    const result = {
      status: 'error',
      type: 'knowledge',
      item_id: 'a/b',
      error: 'gone',
      code: 'item_not_found',
    } as const;
    bench.dispatches[0]?.done(result);
    expect(controls).toMatchObject([{ action: 'retry' }]);
    expect(warnings(bench)).toMatchObject([{ code: 'item_not_found', message: 'gone', where: 'hook a' }]);
  });

  test('is ended at its timeout, with a warning event', () => {
    const { run, bench } = open([{ id: 'a', event: 'after_step', action: LOAD, timeout_ms: 50 }]);
    const { controls } = run();
    bench.clock.advance(49);
    expect(controls).toEqual([]);
    bench.clock.advance(1);
    expect(controls).toEqual([undefined]);
    expect(bench.dispatches[0]?.aborted).toBe(true);
    expect(warnings(bench)).toMatchObject([{ code: 'deadline_exceeded', where: 'hook a' }]);
    expect(bench.clock.pending()).toBe(0);
  });

  test('is ended with whatever else the thread does, and is not heard of again', () => {
    const { run, bench } = open([{ id: 'a', event: 'after_step', action: LOAD }]);
    const { controls } = run();
    stopWork(bench.thread, bench.services, { type: 'CANCEL', reason: 'enough' });
    expect([bench.dispatches[0]?.aborted, bench.clock.pending()]).toEqual([true, 0]);
    bench.dispatches[0]?.done({ status: 'success', type: 'tool', item_id: 'x', data: null });
    expect([controls, bench.events()]).toEqual([[], []]);
  });

  test('ends its own thread alone if what comes after it throws', () => {
    const { bench } = open([{ id: 'a', event: 'after_step', action: LOAD }]);
    const sent: unknown[] = [];
    bench.thread.send = (event) => sent.push(event);
    const run = { ...bench, event: 'after_step', context: () => ({}) } as const;
    runHooks(run, () => {
      throw new Error('a bug');
    });
    bench.dispatches[0]?.done({ status: 'success', type: 'tool', item_id: 'x', data: null });
    expect(sent).toMatchObject([{ type: 'FAIL', failure: { code: 'internal', message: 'a bug' } }]);
  });

  test.each([
    ['of a directive may do what its thread may', 'directive', true, false],
    ['of a config file may do everything', 'project', true, true],
  ] as const)('%s', (_name, source, mayLoadA, mayLoadB) => {
    const spec = { id: 'a', event: 'after_step', action: LOAD };
    const hooks = compileHooks({ directive: [], project: [], user: [], builtin: [], infra: [], [source]: [spec] }, 'd');
    const bench = createThreadBench(hooks, ['rye.load.knowledge.a.*']);
    runHooks({ ...bench, event: 'after_step', context: () => ({}) }, () => undefined);
    const allows = bench.dispatches[0]?.context.allows;
    expect([allows?.('load', 'knowledge', 'a/b'), allows?.('load', 'knowledge', 'b')]).toEqual([mayLoadA, mayLoadB]);
    // What is about the thread itself needs no capability: no model can have it.
    expect(allows?.('execute', 'tool', CONTROL)).toBe(true);
    expect(allows?.('sign', 'tool', CONTROL)).toBe(mayLoadB);
  });

  test('may have an internal tool described', () => {
    const action = { item_id: CONTROL, dry_run: true, params: { action: 'fail' } };
    const { run, bench } = open([{ id: 'a', event: 'after_step', action }]);
    const { controls } = run();
    expect(bench.dispatches[0]?.context.internal?.(CONTROL)?.read({})).toMatchObject({ ok: false });
    bench.dispatches[0]?.done({ status: 'success', type: 'tool', item_id: CONTROL, data: { dry_run: true } });
    expect(controls).toEqual([undefined]);
  });
});

describe('A hook of a thread that has ended', () => {
  test('adds nothing to its log, and whoever wrote it hears so once', () => {
    const { run, bench } = open([after(emitter('a', 'too late')), after(emitter('b', 'too late, too'))]);
    bench.thread.ended = true;
    expect(run({}, 'after_complete').controls).toEqual([undefined]);
    expect(bench.events()).toEqual([]);
    expect(bench.reports).toMatchObject([{ type: 'problem', failure: { code: 'thread_ended' } }]);
  });

  test('that fails is a problem, since its log takes no warning', () => {
    const { run, bench } = open([after(hostCall('a'))]);
    bench.thread.ended = true;
    run({}, 'after_complete');
    bench.services.host.answer(1, failed({ code: 'hook_failed', message: 'it is broken' }));
    expect(bench.reports.slice(1)).toEqual([
      { type: 'problem', failure: { code: 'hook_failed', message: 'hook a of thread-1: it is broken' } },
    ]);
  });

  test.each<[string, Result<unknown>]>([
    ['answers', ok({ action: 'retry' })],
    ['fails', failed({ code: 'hook_failed', message: 'it is broken' })],
  ])('that was asked before and %s after goes no further, and is no problem', (_name, given) => {
    const { run, bench } = open([hostCall('a'), emitter('b', 'x'), hostCall('c')], [emitter('d', 'x')]);
    const { controls } = run();
    bench.thread.ended = true;
    bench.services.host.answer(1, given);
    expect([controls, bench.reports.length, bench.events()]).toEqual([[], 1, []]);
  });
});

type Opened = {
  readonly bench: ThreadBench;
  readonly run: (
    context?: Record<string, unknown>,
    event?: HookEvent,
  ) => { readonly controls: (Control | undefined)[] };
};

function open(directive: readonly HookSpec[], infra: readonly HookSpec[] = []): Opened {
  const hooks = compileHooks({ directive, project: [], user: [], builtin: [], infra }, 'my/directive');
  const bench = createThreadBench(hooks);
  return {
    bench,
    run(context = {}, event = 'after_step') {
      const controls: (Control | undefined)[] = [];
      const { thread, services } = bench;
      runHooks({ thread, services, event, context: () => context }, (given) => controls.push(given));
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
  return { id, event: 'after_step', action: { function: 'f', params } };
}

function after(spec: HookSpec): HookSpec {
  return { ...spec, event: 'after_complete' };
}

function tool(id: string, item_id: string, params: Record<string, unknown>): HookSpec {
  return { id, event: 'after_step', action: { primary: 'execute', item_type: 'tool', item_id, params } };
}

function actionOf({ action }: HookSpec): Readonly<Record<string, unknown>> {
  return action ?? {};
}

/** Payloads of the warning events about hooks. */
function warnings(bench: ThreadBench): unknown[] {
  return bench.events().flatMap(({ event_type: type, payload }) => {
    return type === 'warning' && payload.where !== undefined ? [payload] : [];
  });
}

/** Messages of the events that hooks have emitted. */
function emitted(bench: ThreadBench): string[] {
  return bench
    .events()
    .flatMap((event) => (event.event_type === 'warning' && event.payload.code === 'x' ? [event.payload.message] : []));
}
