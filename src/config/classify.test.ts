import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createClassifier } from './classify.ts';
import { loadConfig } from './load.ts';

const systemDir = fileURLToPath(new URL('../../config/', import.meta.url));
const classify = createClassifier(loadConfig({ systemDir }).config.errors);

describe('the shipped patterns', () => {
  test.each([
    [{ status_code: 429 }, 'http_429'],
    [{ error: { type: 'rate_limit_error' } }, 'http_429'],
    [{ error: { message: 'Rate limit reached for requests' } }, 'http_429'],
    [{ error: { message: '429 Too Many Requests' } }, 'http_429'],
    [{ error: { message: 'Request was throttled' } }, 'http_429'],
    [{ status_code: 429, error: { code: 'insufficient_quota' } }, 'quota_exhausted'],
    [{ status_code: 400, error: { message: 'messages.0: "our rate limit" is too long' } }, 'unclassified'],
    [{ status_code: 408 }, 'network_timeout'],
    [{ status_code: 409 }, 'network_timeout'],
    [{ error: { type: 'TimeoutError', message: 'x' } }, 'network_timeout'],
    [{ error: { message: 'Connection Timed Out' } }, 'network_timeout'],
    [{ error: { code: 'ETIMEDOUT' } }, 'network_timeout'],
    [{ status_code: null, error: { message: 'timeout' } }, 'network_timeout'],
    [{ error: { type: 'ConnectionError' } }, 'network_connection'],
    [{ error: { type: 'TypeError', message: 'terminated' } }, 'network_connection'],
    [{ error: { type: 'Error', message: 'TypeError: terminated' } }, 'network_connection'],
    [{ error: { type: 'TypeError', message: 'fetch failed' } }, 'network_connection'],
    [{ error: { message: 'Connection reset by peer' } }, 'network_connection'],
    [{ error: { code: 'ECONNRESET', message: 'read ECONNRESET' } }, 'network_connection'],
    [{ status_code: 500 }, 'http_5xx'],
    [{ status_code: 503, error: { message: 'network maintenance' } }, 'http_5xx'],
    [{ status_code: 529 }, 'http_5xx'],
    [{ status_code: 525 }, 'http_5xx'],
    [{ status_code: 530 }, 'http_5xx'],
    [{ status_code: 501 }, 'unclassified'],
    [{ status_code: 505 }, 'unclassified'],
    [{ status_code: 524, error: { message: '<html>A timeout occurred</html>' } }, 'http_5xx'],
    [{ error: { type: 'overloaded_error', message: 'Overloaded' } }, 'http_5xx'],
    [{ status_code: 401 }, 'auth_failure'],
    [{ status_code: 403 }, 'auth_failure'],
    [{ error: { code: 'authentication_error' } }, 'auth_failure'],
    [{ status_code: 422 }, 'validation_error'],
    [{ status_code: 400, error: { type: 'invalid_request_error', message: 'timeout: too large' } }, 'validation_error'],
    [{ error: { type: 'ValidationError' } }, 'validation_error'],
    [
      { error: { type: 'InvalidResponseError', code: 'refusal', message: 'the model refused to answer: the network' } },
      'no_answer',
    ],
    [
      { error: { type: 'InvalidResponseError', message: 'the input of tool call "rate limit" is not complete JSON' } },
      'no_answer',
    ],
    [{ error: { type: 'InvalidRequestError', message: 'it was recorded with a timeout' } }, 'no_answer'],
    // A server may call its own errors so.
    [{ status_code: 429, error: { type: 'InvalidRequestError', message: 'slow down' } }, 'http_429'],
    [{ error: { type: 'CancelledError' } }, 'cancelled'],
    [{ error: { type: 'AbortError', message: 'This operation was aborted' } }, 'cancelled'],
    [{ cancelled: true }, 'cancelled'],
    [{ status_code: 404, error: { message: 'model not found' } }, 'unclassified'],
    [{ error: { message: 'cannot read properties' } }, 'unclassified'],
    [{}, 'unclassified'],
    [undefined, 'unclassified'],
  ])('%j is %s', (context, code) => {
    expect(classify(context).code).toBe(code);
  });

  test.each([
    [{ status_code: 429 }, 'rate_limited', true, 'use_header'],
    [{ status_code: 408 }, 'transient', true, 'exponential'],
    [{ status_code: 500 }, 'transient', true, 'exponential'],
    [{ status_code: 401 }, 'permanent', false, 'none'],
    [{ error: { type: 'InvalidResponseError', message: 'timeout' } }, 'permanent', false, 'none'],
    [{ cancelled: true }, 'cancelled', false, 'none'],
    [{}, 'permanent', false, 'none'],
  ])('%j is %s, retryable %s, policy %s', (context, category, retryable, type) => {
    expect(classify(context)).toMatchObject({ category, retryable, policy: { type } });
  });

  test('the same failure gives the same object, so that classifying allocates nothing', () => {
    expect(classify({ status_code: 500 })).toBe(classify({ status_code: 503 }));
  });
});

describe('patterns of a project', () => {
  const withPattern = (pattern: Record<string, unknown>): ReturnType<typeof createClassifier> => {
    const overrides = { error_classification: { patterns: [{ id: 'own', category: 'transient', ...pattern }] } };
    return createClassifier(loadConfig({ systemDir, overrides }).config.errors);
  };
  const match = { path: 'error.code', op: 'eq', value: 'MAINTENANCE_MODE' };
  const failure = { error: { code: 'MAINTENANCE_MODE' } };

  test('a transient pattern is retryable unless it says otherwise', () => {
    expect(withPattern({ match })(failure)).toMatchObject({ code: 'own', retryable: true });
    expect(withPattern({ match, retryable: false })(failure)).toMatchObject({ retryable: false });
  });

  test('a retryable pattern without a policy does not retry at once', () => {
    expect(withPattern({ match })(failure).policy).toEqual({ type: 'exponential', base: 2, max: 120 });
  });

  test.each<[string, object, boolean, string]>([
    [
      'a category of one’s own with a policy',
      { category: 'mine', retry_policy: { type: 'fixed', delay: 1 } },
      true,
      'fixed',
    ],
    ['a category of one’s own without one', { category: 'mine' }, false, 'none'],
    ['a policy that is not to count', { retryable: false, retry_policy: 'rate_limited' }, false, 'use_header'],
    ['a transient one with none', { retry_policy: 'none' }, false, 'none'],
  ])(
    'whether it is retryable is what its policy says, if it does not say so itself: %s',
    (_name, pattern, retryable, type) => {
      expect(withPattern({ match, ...pattern })(failure)).toMatchObject({ retryable, policy: { type } });
    },
  );

  test.each([
    [{ category: 'transient' }, true, 'exponential'],
    [{ category: 'mine', retryable: true }, true, 'exponential'],
    [{ retry_policy: { type: 'fixed' } }, true, 'fixed'],
    [{}, false, 'none'],
  ])('a default of %j is tried again as a pattern would be', (changes, retryable, type) => {
    const overrides = { error_classification: { default: changes } };
    const own = createClassifier(loadConfig({ systemDir, overrides }).config.errors);
    expect(own({})).toMatchObject({ code: 'unclassified', retryable, policy: { type } });
  });

  test('a shipped pattern is switched off by its policy alone', () => {
    const overrides = { error_classification: { patterns: [{ id: 'http_5xx', retry_policy: 'none' }] } };
    const own = createClassifier(loadConfig({ systemDir, overrides }).config.errors);
    expect(own({ status_code: 500 })).toMatchObject({ category: 'transient', retryable: false });
  });

  test('what is retryable and not to be tried again is refused', () => {
    expect(() => withPattern({ match, retryable: true, retry_policy: 'none' })).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        where: expect.objectContaining({ path: 'patterns[own].retry_policy' }),
      }),
    );
  });

  test('a policy may be a name of resilience.yaml', () => {
    expect(withPattern({ match, retry_policy: 'rate_limited' })(failure).policy).toEqual({
      type: 'use_header',
      header: 'retry-after',
      fallback: { type: 'exponential', base: 5, max: 120 },
    });
  });

  test('a partial override of a shipped pattern keeps its match', () => {
    const overrides = { error_classification: { patterns: [{ id: 'http_5xx', retry_policy: { max_delay: 7 } }] } };
    const own = createClassifier(loadConfig({ systemDir, overrides }).config.errors);
    expect(own({ status_code: 500 })).toMatchObject({ code: 'http_5xx', policy: { base: 2, max: 7 } });
    expect(own({ error: { message: 'odd' } }).code).toBe('unclassified');
  });

  test.each([
    ['no match', {}],
    ['an empty match', { match: {} }],
    ['a null match', { match: null }],
  ])('a pattern with %s, which would match everything, is refused', (_, pattern) => {
    expect(() => withPattern(pattern)).toThrow('a pattern needs a match');
  });

  test('a malformed condition is refused with its path', () => {
    expect(() => withPattern({ match: { any: [{ path: 'a', op: 'equals', value: 1 }] } })).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        where: { file: 'overrides.error_classification', path: 'patterns[own].match.any[0].op' },
      }),
    );
  });
});
