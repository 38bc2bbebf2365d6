import { describe, expect, test } from 'vitest';
import { directive } from '../../../test/fixtures/directive.ts';
import type { HookSpec } from '../../core/item.ts';
import { createExtendsRoutes } from './extends-routes.ts';

const NONE = { project: [], user: [], builtin: [], infra: [] };
const route = (id: string, target: string, condition?: unknown): HookSpec => ({
  id,
  event: 'resolve_extends',
  layer: 2,
  condition,
  action: { set_extends: target },
});

describe('What a directive extends', () => {
  const asked = { directive: directive('a', { extends: 'declared' }), inputs: {}, model: 'p:m' };

  test('is what it says where no hook is asked', () => {
    expect(createExtendsRoutes(NONE)(asked)).toEqual({ base: 'declared', hook: undefined });
  });

  test('is what the first hook says whose condition holds: directive, project, user, built-in, infrastructure', () => {
    const hooks = {
      infra: [route('infra', 'i')],
      builtin: [route('builtin', 'b')],
      user: [route('user', 'u')],
      project: [route('never', 'n', { any: [] }), route('project', 'p')],
    };
    const own = { ...asked, directive: directive('a', { hooks: [route('own', 'o')] }) };
    expect(createExtendsRoutes(hooks)(own)).toEqual({ base: 'o', hook: 'own' });
    expect(createExtendsRoutes(hooks)(asked)).toEqual({ base: 'p', hook: 'project' });
    expect(createExtendsRoutes({ ...hooks, project: [] })(asked)).toMatchObject({ hook: 'user' });
    expect(createExtendsRoutes({ ...hooks, project: [], user: [] })(asked)).toMatchObject({ hook: 'builtin' });
    expect(createExtendsRoutes({ ...NONE, infra: hooks.infra })(asked)).toMatchObject({ hook: 'infra' });
  });

  test.each([
    ['directive', 'a'],
    ['has_extends', true],
    ['category', 'c'],
    ['inputs.x', 1],
    ['model', 'p:m'],
    ['event.model', 'p:m'],
  ])('can depend on %s', (path, value) => {
    const routes = createExtendsRoutes({ ...NONE, project: [route('r', 'there', { path, op: 'eq', value })] });
    const about = { ...asked, directive: directive('a', { extends: 'declared', category: 'c' }), inputs: { x: 1 } };
    expect(routes(about).base).toBe('there');
    const other = { directive: directive('b'), inputs: {}, model: 'q:m' };
    expect(routes(other)).toEqual({ base: undefined, hook: undefined });
  });

  test('is what a hook says that has the event in a list', () => {
    const routes = createExtendsRoutes({ ...NONE, user: [{ ...route('r', 'there'), event: ['resolve_extends'] }] });
    expect(routes(asked)).toEqual({ base: 'there', hook: 'r' });
  });

  test.each<[string, Partial<HookSpec>]>([
    ['calls a function', { action: { function: 'choose' } }],
    ['loads an item', { action: { primary: 'load', item_type: 'knowledge', item_id: 'a' } }],
    ['sets two', { actions: [{ set_extends: 'a' }, { set_extends: 'b' }] }],
  ])('is refused for a hook that %s', (_name, action) => {
    const { action: _, ...spec } = route('odd', 'x');
    const routes = createExtendsRoutes({ ...NONE, user: [{ ...spec, ...action }] });
    expect(() => routes(asked)).toThrowError(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining('Hook odd') }),
    );
  });
});
