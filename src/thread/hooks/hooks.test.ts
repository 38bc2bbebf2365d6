import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS } from '../../core/hook-events.ts';
import type { HookSpec } from '../../core/item.ts';
import { compileHooks, type HookSources } from './hooks.ts';

describe('The hooks of a directive', () => {
  test('run in the order of the contracts: directive, project, user, built-in, infrastructure', () => {
    const set = compile({
      infra: [hook('infra')],
      builtin: [hook('builtin')],
      user: [hook('user')],
      project: [hook('project')],
      directive: [hook('own1'), hook('own2')],
    });
    const order = set.get('before_step')?.map(({ id, layer }) => `${layer} ${id}`);
    expect(order).toEqual(['1 own1', '1 own2', '2 project', '2 user', '2 builtin', '3 infra']);
  });

  test('keep the order in which a file declares them', () => {
    const set = compile({ project: [hook('c'), hook('a'), hook('b')] });
    expect(set.get('before_step')?.map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });

  test('of a config file stand in the layer it names', () => {
    const set = compile({ project: [hook('last', { layer: 3 }), hook('first', { layer: 1 }), hook('middle')] });
    expect(set.get('before_step')?.map(({ id }) => id)).toEqual(['first', 'middle', 'last']);
  });

  test('of a directive are layer 1, whatever it claims', () => {
    const set = compile({ directive: [hook('own', { layer: 3 })] });
    expect(set.get('before_step')?.[0]).toMatchObject({ layer: 1 });
  });

  test('are sorted by event', () => {
    const set = compile({ directive: [hook('a'), hook('b', { event: 'error' }), hook('c')] });
    expect([...set].map(([event, hooks]) => [event, hooks.map(({ id }) => id)])).toEqual([
      ['before_step', ['a', 'c']],
      ['error', ['b']],
    ]);
  });

  test('of several events run at each of them once', () => {
    const action = { function: 'f' };
    const event = ['build_system_prompt', 'thread_started', 'thread_continued', 'thread_started'];
    const set = compile({ project: [hook('a', { event, action }), hook('b', { event: 'thread_started' })] });
    expect([...set].map(([name, hooks]) => [name, hooks.map(({ id, wrap }) => `${id} ${wrap}`)])).toEqual([
      ['build_system_prompt', ['a false']],
      ['thread_started', ['a true', 'b true']],
      ['thread_continued', ['a true']],
    ]);
  });

  test('have the defaults of the contracts', () => {
    const [compiled] = compile({ directive: [hook('a')] }).get('before_step') ?? [];
    expect(compiled).toMatchObject({ position: 'before', wrap: true, timeoutMs: expect.any(Number) });
    expect(compiled?.matches({ anything: 1 })).toBe(true);
  });

  test('have one action or several', () => {
    const action = { primary: 'load', item_type: 'knowledge', item_id: 'a/b' };
    const one = compile({ directive: [hook('a', { action })] }).get('before_step')?.[0];
    expect(one?.actions).toMatchObject([{ attributes: action, itemId: 'a/b' }]);
    const spec = { id: 'b', event: 'before_step', actions: [action, { function: 'f' }] };
    const several = compile({ directive: [spec] }).get('before_step')?.[0];
    expect(several?.actions.map(({ hostFunction }) => hostFunction)).toEqual([undefined, 'f']);
  });

  test('have the rights of the file that declares them', () => {
    const set = compile({ directive: [hook('own')], project: [hook('p')], user: [hook('u')], infra: [hook('i')] });
    expect(set.get('before_step')?.map(({ id, rights }) => `${id} ${rights}`)).toEqual([
      'own thread',
      'p all',
      'u all',
      'i all',
    ]);
  });

  test.each<[string, Record<string, unknown>, 'internal' | 'knowledge' | undefined]>([
    ['a call of an internal tool', { item_id: 'rye/agent/threads/internal/control' }, 'internal'],
    [
      'the same in full',
      { primary: 'execute', item_type: 'tool', item_id: 'rye/agent/threads/internal/x' },
      'internal',
    ],
    ['one that is only described', { item_id: 'rye/agent/threads/internal/control', dry_run: true }, undefined],
    ['loading an internal tool', { primary: 'load', item_id: 'rye/agent/threads/internal/control' }, undefined],
    ['any other tool', { item_id: 'rye/agent/threads/orchestrator' }, undefined],
    ['loading knowledge', { primary: 'load', item_type: 'knowledge', item_id: 'a' }, 'knowledge'],
    ['fetching knowledge', { primary: 'fetch', item_type: 'knowledge', item_id: 'a' }, 'knowledge'],
    [
      'loading knowledge of one space',
      { primary: 'load', item_type: 'knowledge', item_id: 'a', source: 'user' },
      undefined,
    ],
    [
      'loading knowledge with params',
      { primary: 'load', item_type: 'knowledge', item_id: 'a', params: { destination: 'project' } },
      undefined,
    ],
    ['executing knowledge', { item_type: 'knowledge', item_id: 'a' }, undefined],
    ['loading a directive', { primary: 'load', item_type: 'directive', item_id: 'a' }, undefined],
    ['searching knowledge', { primary: 'fetch', item_type: 'knowledge', query: 'a' }, undefined],
    ['a function of the host', { function: 'f' }, undefined],
  ])('know a short way for %s: %j', (_name, action, short) => {
    const [compiled] = compile({ directive: [hook('a', { action })] }).get('before_step') ?? [];
    expect(compiled?.actions[0]?.short).toBe(short);
  });

  test('fill their params from the context, keeping types', () => {
    const action = { function: 'f', params: { cost: '${cost}', text: 'turn ${turn}', gone: '${no.such}' } };
    const [compiled] = compile({ directive: [hook('a', { action })] }).get('before_step') ?? [];
    const params = compiled?.actions[0]?.params({ cost: { turns: 2 }, turn: 3 });
    expect(params).toMatchObject({ cost: { turns: 2 }, text: 'turn 3' });
  });

  test('run when their condition holds', () => {
    const condition = { path: 'turn', op: 'gte', value: 2 };
    const [compiled] = compile({ directive: [hook('a', { condition })] }).get('before_step') ?? [];
    expect([compiled?.matches({ turn: 1 }), compiled?.matches({ turn: 2 })]).toEqual([false, true]);
  });
});

describe('A hook is refused', () => {
  test.each(HOOK_EVENTS)('on %s: it is not', (event) => {
    expect(compile({ directive: [hook('a', { event })] }).size).toBe(1);
  });

  test('on an event nobody knows', () => {
    const refused = expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining('no_event') });
    expect(() => compile({ directive: [hook('a', { event: 'no_event' })] })).toThrowError(refused);
  });

  test.each(['__proto__', 'constructor', 'toString', ''])('on the event %j', (event) => {
    expect(() => compile({ directive: [hook('a', { event })] })).toThrowError(
      expect.objectContaining({ code: 'invalid_config' }),
    );
  });

  test('with a malformed condition, naming the hook', () => {
    const refused = expect.objectContaining({
      code: 'invalid_config',
      where: expect.objectContaining({ path: expect.stringContaining('hook a') }),
    });
    const condition = { path: 'turn', op: 'almost', value: 1 };
    expect(() => compile({ directive: [hook('a', { condition })] })).toThrowError(refused);
  });
});

function hook(id: string, more: Partial<HookSpec> = {}): HookSpec {
  return { id, event: 'before_step', action: { function: 'f' }, ...more };
}

function compile(sources: Partial<HookSources>): ReturnType<typeof compileHooks> {
  return compileHooks({ directive: [], project: [], user: [], builtin: [], infra: [], ...sources }, 'my/directive');
}
