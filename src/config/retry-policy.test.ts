import { describe, expect, test } from 'vitest';
import {
  policySpec,
  resolveNamedPolicies,
  resolvePolicy,
  unifyPolicySpelling,
  type PolicySpec,
} from './retry-policy.ts';
import { parseSection } from './section.ts';

const PLACE = { file: 'e.yaml', path: 'retry_policy' };

const NAMED = resolveNamedPolicies(
  {
    exponential: { type: 'exponential', base: 2, max: 120 },
    slow: { type: 'exponential', base: 30, max: 600 },
    polite: { type: 'use_header', header: 'Retry-After', fallback: { type: 'slow', base: 5 } },
    politer: { type: 'polite', header: 'x-wait' },
  },
  { file: 'r.yaml', path: 'retry.policies' },
);

function resolve(written: unknown): unknown {
  return resolvePolicy(parseSection(policySpec, written, 'e.yaml'), NAMED, PLACE);
}

describe('policies as written', () => {
  test.each([
    ['none', { type: 'none' }],
    [{ type: 'none' }, { type: 'none' }],
    ['fixed', { type: 'fixed', delay: 60 }],
    [
      { type: 'fixed', delay: 5 },
      { type: 'fixed', delay: 5 },
    ],
    [{ type: 'exponential' }, { type: 'exponential', base: 2, max: 120 }],
    [
      { type: 'exponential', max: 30 },
      { type: 'exponential', base: 2, max: 30 },
    ],
    ['slow', { type: 'exponential', base: 30, max: 600 }],
    [
      { type: 'slow', max: 90 },
      { type: 'exponential', base: 30, max: 90 },
    ],
    ['use_header', { type: 'use_header', header: 'retry-after', fallback: { type: 'exponential', base: 2, max: 120 } }],
    ['polite', { type: 'use_header', header: 'retry-after', fallback: { type: 'exponential', base: 5, max: 600 } }],
    ['politer', { type: 'use_header', header: 'x-wait', fallback: { type: 'exponential', base: 5, max: 600 } }],
    [
      { type: 'use_header', fallback: 'none' },
      { type: 'use_header', header: 'retry-after', fallback: { type: 'none' } },
    ],
  ])('%j resolves to %j', (written, expected) => {
    expect(resolve(written)).toEqual(expected);
  });

  test.each([
    ['an unknown name', 'fast', 'unknown retry policy "fast"; known: none, fixed'],
    ['an inherited name', 'constructor', 'unknown retry policy'],
    ['a setting of another type', { type: 'fixed', base: 2 }, '"base" has no meaning'],
    ['an unknown key', { type: 'fixed', dealy: 2 }, 'unknown key "dealy"; allowed: type, base, max, delay'],
    ['a base of zero', { type: 'exponential', base: 0 }, '>0'],
    ['a negative delay', { type: 'fixed', delay: -1 }, '>=0'],
    ['a number', 7, 'expected object'],
    ['an unknown fallback', { type: 'use_header', fallback: 'fast' }, 'unknown retry policy "fast"'],
  ])('refuses %s', (_, written, message) => {
    expect(() => resolve(written)).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining(message) }),
    );
  });
});

describe('named policies', () => {
  test.each<[string, Record<string, PolicySpec>, string]>([
    ['a circle', { a: { type: 'b' }, b: { type: 'a' } }, 'circle: a → b → a'],
    ['a circle through a fallback', { a: { type: 'use_header', fallback: { type: 'a' } } }, 'circle'],
    [
      'a circle of types',
      { exponential: { type: 'use_header' }, use_header: { type: 'exponential' } },
      'circle: exponential → use_header → exponential',
    ],
    ['an unknown name', { a: { type: 'b' } }, 'unknown retry policy "b"'],
    ['a name that lies about its type', { none: { type: 'fixed' } }, 'must be of that type'],
  ])('refuse %s', (_, specs, message) => {
    expect(() => resolveNamedPolicies(specs, { path: 'retry.policies' })).toThrow(message);
  });

  test('a policy changed in one place changes where it is named', () => {
    const named = resolveNamedPolicies(
      { exponential: { type: 'exponential', max: 10 }, other: { type: 'exponential', base: 1 } },
      {},
    );
    expect(named['other']).toEqual({ type: 'exponential', base: 1, max: 10 });
  });

  test('are resolved once, however often they are named', () => {
    const specs: Record<string, PolicySpec> = { p0: { type: 'use_header', header: 'x' } };
    // Each names the one before twice: 2 to the power of 24 would take minutes.
    for (let index = 1; index < 24; index++) {
      const before = { type: `p${index - 1}` };
      specs[`p${index}`] = { ...before, fallback: before };
    }
    expect(resolveNamedPolicies(specs, {})['p23']).toMatchObject({ header: 'x', fallback: { header: 'x' } });
  });
});

describe('synonyms', () => {
  test('max_delay and policy are brought to one spelling inside retry policies only', () => {
    const document = {
      policies: { a: { type: 'exponential', max_delay: 1 } },
      patterns: [{ retry_policy: { policy: 'x', fallback: { policy: 'y', max_delay: 2 } }, params: { policy: 'z' } }],
      max_delay: 3,
    };
    expect(unifyPolicySpelling(document, PLACE)).toEqual({
      policies: { a: { type: 'exponential', max: 1 } },
      patterns: [{ retry_policy: { type: 'x', fallback: { type: 'y', max: 2 } }, params: { policy: 'z' } }],
      max_delay: 3,
    });
  });

  test('both spellings at once are refused', () => {
    expect(() => unifyPolicySpelling({ retry_policy: { max: 1, max_delay: 2 } }, PLACE)).toThrow('same setting');
  });
});
