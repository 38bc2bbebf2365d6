import { expect, test } from 'vitest';
import { describeGeminiError, geminiHttpError } from './gemini-failure.ts';

const RETRY_INFO = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37.5s' };
const ERROR_INFO = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'RATE_LIMIT_EXCEEDED' };
const QUOTA = { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED', details: [ERROR_INFO, RETRY_INFO] };

test.each([
  [
    "Google's error, with the wait of its details as a header",
    JSON.stringify({ error: QUOTA }),
    {},
    {
      type: 'RESOURCE_EXHAUSTED',
      message: 'slow down',
      code: 'RATE_LIMIT_EXCEEDED',
      headers: { 'retry-after-ms': '37500' },
    },
  ],
  [
    'a list with the error in it',
    JSON.stringify([{ error: QUOTA }]),
    { 'retry-after': '3' },
    { type: 'RESOURCE_EXHAUSTED', message: 'slow down', headers: { 'retry-after': '3' } },
  ],
  [
    'details of another shape',
    JSON.stringify({ error: { ...QUOTA, details: [{ retryDelay: 5 }, { retryDelay: 'soon' }] } }),
    {},
    { type: 'RESOURCE_EXHAUSTED', message: 'slow down', code: undefined, headers: {} },
  ],
  ['details that are none', JSON.stringify({ error: { ...QUOTA, details: 'many' } }), {}, { message: 'slow down' }],
  [
    'one in the form of other servers',
    JSON.stringify({ error: { type: 'ReplayError', code: 'replay_missing', message: 'not there' } }),
    {},
    { type: 'ReplayError', code: 'replay_missing', message: 'not there' },
  ],
  ['an error page', '<html>busy</html>', {}, { type: 'HttpError', message: '<html>busy</html>', headers: {} }],
  ['JSON of another shape', '{"error":"busy"}', {}, { type: 'HttpError', message: '{"error":"busy"}' }],
  ['an empty body', '', {}, { type: 'HttpError', message: 'HTTP 429' }],
])('an HTTP error: %s', (_title, text, headers, expected) => {
  const error = geminiHttpError({ status: 429, headers: new Headers(headers), text });
  expect(describeGeminiError(error)).toMatchObject({ statusCode: 429, ...expected });
});

test.each([
  [
    'an error inside a stream',
    { error: { code: 503, message: 'busy', status: 'UNAVAILABLE', details: [RETRY_INFO] }, headers: new Headers() },
    { type: 'UNAVAILABLE', message: 'busy', statusCode: 503, headers: { 'retry-after-ms': '37500' } },
  ],
  [
    'one whose code is no status',
    { error: { code: 14, message: 'busy', status: 'UNAVAILABLE' }, headers: new Headers() },
    { type: 'UNAVAILABLE', message: 'busy', statusCode: 503 },
  ],
  [
    'one without a code',
    { error: { message: 'slow down', status: 'RESOURCE_EXHAUSTED' }, headers: new Headers() },
    { type: 'RESOURCE_EXHAUSTED', message: 'slow down', statusCode: 429 },
  ],
  [
    'one of a name that is none of theirs',
    { error: { code: 14, message: 'odd', status: 'ODD' }, headers: new Headers() },
    { type: 'ODD', message: 'odd', statusCode: undefined },
  ],
  [
    'an error of the SDK without a body',
    Object.assign(new Error('odd'), { name: 'ApiError', status: 503 }),
    { type: 'HttpError', message: 'odd', statusCode: 503 },
  ],
  ['a broken connection', new TypeError('terminated'), { type: 'ConnectionError', statusCode: undefined }],
  ['something that is no error', 'odd', { type: 'InternalError', message: 'odd' }],
])('%s', (_title, thrown, expected) => {
  expect(describeGeminiError(thrown)).toMatchObject(expected);
});
