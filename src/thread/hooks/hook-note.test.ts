import { describe, expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { compileNote, EMITTER, writeNote } from './hook-note.ts';
import { compileHooks } from './hooks.ts';
import { runHooks } from './run-hooks.ts';

type Params = Readonly<Record<string, unknown>>;

const CONTEXT = { cost: { turns: 3 }, name: 'ann', map: { deep: 1 }, none: null };

/** What a thread's log has, and what its hooks decide, when one of them emits this. */
function emit(params: Params, isWatched: boolean): unknown {
  const action = { primary: 'execute', item_type: 'tool', item_id: EMITTER, params };
  const infra = [{ id: 'note', event: 'after_step', layer: 3, action } as const];
  const hooks = compileHooks({ directive: [], project: [], user: [], builtin: [], infra }, 'my/directive');
  const bench = createThreadBench(hooks);
  bench.services.journal.watch('all', isWatched);
  const ends: unknown[] = [];
  runHooks({ ...bench, event: 'after_step', context: () => CONTEXT }, (...end) => ends.push(end));
  return { events: bench.events(), ends };
}

describe('A note of a hook', () => {
  test.each<[boolean, Params]>([
    [true, { event_type: 'checkpoint_saved', payload: { turn: '${cost.turns}' } }],
    [true, { event_type: 'warning', payload: { code: 'x', message: 'by ${name}$$' } }],
    // Does not fit, is not declared, is the runtime's own.
    [false, { event_type: 'checkpoint_saved', payload: { turn: 'three' } }],
    [false, { event_type: 'no_such_type', payload: {} }],
    [false, { event_type: 'usage', payload: { input_tokens: 1 } }],
    [false, { event_type: 'warning', payload: { code: 'x', message: '${map}' } }],
    [true, { event_type: 'warning', payload: { code: 'x', message: '${none}' } }],
  ])('leaves what the long way leaves, which watchers see (written: %j): %j', (isWritten, params) => {
    expect(emit(params, false)).toEqual(emit(params, true));
    const bench = createThreadBench();
    const note = compileNote(params);
    expect(note && writeNote(bench, note, CONTEXT)).toBe(isWritten);
  });

  test.each<[string, unknown]>([
    ['another type each time', { event_type: '${name}', payload: {} }],
    ['no type', { event_type: '', payload: {} }],
    ['a criticality', { event_type: 'warning', payload: {}, criticality: 'critical' }],
    ['no payload', { event_type: 'warning' }],
    ['something in a field', { event_type: 'warning', payload: { code: { deep: 'x' } } }],
    ['a reserved name', { event_type: 'warning', payload: { _thread_context: 'x' } }],
  ])('is none with %s', (_, params) => {
    expect(compileNote(params)).toBeUndefined();
  });

  test('is refused where what fills it is no plain value, and nothing is written', () => {
    const bench = createThreadBench();
    const note = compileNote({ event_type: 'warning', payload: { code: 'x', message: '${map}' } });
    expect(note && writeNote(bench, note, CONTEXT)).toBe(false);
    expect(bench.events()).toEqual([]);
  });

  test('has params that the emitter would take as they are', () => {
    const { services } = createThreadBench();
    const params = { event_type: 'warning', payload: { a: 'x', b: 1, c: true, d: null, e: '' } };
    expect(services.internalTools.get(EMITTER)?.read(params)).toEqual({ ok: true, value: params });
  });
});
