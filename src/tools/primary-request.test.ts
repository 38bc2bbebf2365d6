import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import { SkeinError } from '../core/errors.ts';
import { readRequest, type GivenAction } from './primary-request.ts';

const TOOL = { kind: 'tool', id: 'a/b', source: undefined, dryRun: false };
const SEARCH = {
  kind: undefined,
  query: '',
  source: undefined,
  category: undefined,
  tags: [],
  limit: 10,
  dryRun: false,
};
/** Params of an action that may be XML, and of one that is JSON. */
const xml = (params: Record<string, unknown>) => ({ params, form: 'xml' });
const json = (params: Record<string, unknown>) => ({ params, form: 'json' });
const ON = { item_id: 'a/b' };

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown instanceof SkeinError ? thrown.code : 'not a SkeinError';
  }
}

describe('An action is read', () => {
  test.each<[string, GivenAction, unknown]>([
    ['without a primary as execute', ON, { primary: 'execute', ...TOOL, ...json({}) }],
    ['without a kind as about a tool', { primary: 'sign', ...ON }, { primary: 'sign', ...TOOL }],
    [
      'with its params',
      { primary: 'execute', item_type: 'directive', ...ON, params: { x: 1 } },
      { primary: 'execute', ...TOOL, kind: 'directive', ...xml({ x: 1 }) },
    ],
    [
      'with params called parameters',
      { ...ON, parameters: { x: 1 } },
      { primary: 'execute', ...TOOL, ...json({ x: 1 }) },
    ],
    [
      'for execute without looking into the params, which are the tool’s own',
      { ...ON, params: { source: 'user', dry_run: true, item_id: 'c', limit: 3 } },
      { primary: 'execute', ...TOOL, ...xml({ source: 'user', dry_run: true, item_id: 'c', limit: 3 }) },
    ],
    [
      'for load from the params where the top level is silent',
      { primary: 'load', params: { item_id: 'a/b', item_type: 'knowledge', source: 'system' } },
      { primary: 'load', ...TOOL, kind: 'knowledge', source: 'system', destination: undefined },
    ],
    [
      'with the top level before the params',
      { primary: 'load', ...ON, source: 'user', params: { item_id: 'c', source: 'system' } },
      { primary: 'load', ...TOOL, source: 'user', destination: undefined },
    ],
    [
      'with an empty top level like a silent one',
      { primary: 'load', ...ON, source: '', params: { source: 'system' } },
      { primary: 'load', ...TOOL, source: 'system', destination: undefined },
    ],
    [
      'with a destination',
      { primary: 'load', ...ON, destination: 'user', overwrite: 'true' },
      { primary: 'load', ...TOOL, destination: { space: 'user', overwrite: true } },
    ],
    ['with texts as values', { ...ON, dry_run: 'true' }, { primary: 'execute', ...TOOL, dryRun: true, ...json({}) }],
    [
      'with empty attributes as absent',
      { ...ON, source: '', dry_run: null },
      { primary: 'execute', ...TOOL, ...json({}) },
    ],
    ['as a search over everything', { primary: 'search' }, { primary: 'search', ...SEARCH }],
    [
      'as a search with every filter',
      {
        primary: 'search',
        query: 'q',
        item_type: 'knowledge',
        source: 'user',
        category: 'c',
        tags: 'a, b,',
        limit: '5',
      },
      {
        primary: 'search',
        ...SEARCH,
        kind: 'knowledge',
        query: 'q',
        source: 'user',
        category: 'c',
        tags: ['a', 'b'],
        limit: 5,
      },
    ],
    [
      'as a search with its query in the params',
      { primary: 'search', params: { query: 'q' } },
      { primary: 'search', ...SEARCH, query: 'q' },
    ],
    [
      'as a load for a fetch with an id',
      { primary: 'fetch', ...ON },
      { primary: 'load', ...TOOL, destination: undefined },
    ],
    [
      'as a search for a fetch with a query',
      { primary: 'fetch', query: 'q' },
      { primary: 'search', ...SEARCH, query: 'q' },
    ],
  ])('%s', (_, action, request) => {
    expect(readRequest(action)).toEqual({ request, warnings: [] });
  });

  test('and what it says beside is named as ignored', () => {
    const { warnings } = readRequest({ primary: 'sign', ...ON, wait: true, params: { now: 1 } });
    expect(warnings).toEqual(['the attribute "now" of sign is ignored', 'the attribute "wait" of sign is ignored']);
  });
});

describe('An action is refused', () => {
  test.each<[string, GivenAction, string, RegExp]>([
    [
      'with an unknown primary',
      { primary: 'delete', ...ON },
      'invalid_argument',
      /no primary action "delete".*execute/,
    ],
    ['with a primary that is no text', { primary: { a: 1 } }, 'invalid_argument', /no primary action/],
    ['with an unknown kind', { ...ON, item_type: 'agent' }, 'invalid_argument', /item_type must be directive.*"agent"/],
    ['with an unknown source', { ...ON, source: 'home' }, 'invalid_argument', /source must be project.*"home"/],
    ['without an id', { primary: 'load' }, 'invalid_argument', /item_id is needed/],
    ['with an id that is no text', { item_id: ['a'] }, 'invalid_argument', /item_id is needed/],
    ['with an id that leads away', { item_id: '../b' }, 'item_id_refused', /"\.\."/],
    [
      'with a copy to the system space',
      { primary: 'load', ...ON, destination: 'system' },
      'invalid_argument',
      /never written/,
    ],
    ['with a limit of none', { primary: 'search', limit: 0 }, 'invalid_argument', /limit must be at least 1/],
    ['with too high a limit', { primary: 'search', limit: '101' }, 'invalid_argument', /at most 100/],
    [
      'with a limit that is no number',
      { primary: 'search', limit: 'all' },
      'invalid_argument',
      /limit must be a whole/,
    ],
    ['with a flag that is none', { ...ON, dry_run: 'perhaps' }, 'invalid_argument', /dry_run must be true or false/],
    ['with params that are no map', { ...ON, params: ['a'] }, 'invalid_argument', /must be a map/],
    ['with params under both names', { ...ON, params: { a: 1 }, parameters: { b: 1 } }, 'invalid_argument', /not both/],
    ['as a fetch of neither', { primary: 'fetch' }, 'invalid_argument', /needs an item_id to load, or a query/],
    ['as a fetch of both', { primary: 'fetch', ...ON, query: 'q' }, 'invalid_argument', /not both/],
    ['with _thread_context', { ...ON, _thread_context: {} }, 'permission_denied', /"_thread_context"/],
    [
      'with it in the params',
      { ...ON, params: { _thread_context: 1 } },
      'permission_denied',
      /"params\._thread_context"/,
    ],
    [
      'with it anywhere below',
      { ...ON, params: { list: [{ deep: { _thread_context: null } }] } },
      'permission_denied',
      /"params\.list\.0\.deep\._thread_context"/,
    ],
    [
      'with a prototype',
      JSON.parse('{"item_id":"a","params":{"__proto__":{"x":1}}}'),
      'permission_denied',
      /__proto__/,
    ],
    [
      'with its own prototype',
      JSON.parse('{"item_id":"a","__proto__":{"primary":"sign"}}'),
      'permission_denied',
      /__proto__/,
    ],
  ])('%s', (_, action, code, message) => {
    const thrown = thrownBy(() => readRequest(action));
    expect(thrown).toMatchObject({ code });
    expect(thrown.message).toMatch(message);
  });

  test('whatever it is, with a SkeinError', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const key = fc.constantFrom(
      'primary',
      'item_type',
      'item_id',
      'params',
      'parameters',
      'source',
      'query',
      'limit',
      'tags',
      '__proto__',
    );
    const word = fc.constantFrom('execute', 'fetch', 'search', 'tool', 'a/b', '..', 'project', '3', 'true');
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.oneof(json, word))), (entries) => {
        expect(codeOf(() => readRequest(Object.fromEntries(entries)))).not.toBe('not a SkeinError');
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['deeper than a stack', JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    ['no JSON', 1n],
  ])('with a SkeinError for a value that is %s', (_, value: unknown) => {
    expect(codeOf(() => readRequest({ ...ON, item_type: value }))).toBe('invalid_argument');
    expect(codeOf(() => readRequest({ ...ON, primary: value }))).toBe('invalid_argument');
  });

  test('at once, however much it holds', () => {
    const shared = Array.from({ length: 10_000 }, (_, at) => ({ at }));
    const nested = Array.from({ length: 60 }).reduce<unknown>((inner) => [inner, inner, shared], {
      _thread_context: 1,
    });
    const work = (): unknown => readRequest({ ...ON, params: { nested } });
    expect(codeOf(work)).toBe('permission_denied');
    expect(costOf(work)).toBeLessThan(200);
  });
});
