import { expect, test } from 'vitest';
import { describeThrown, fault, oddEventFault, tellFailure } from './call-failure.ts';

const HEADERS = new Headers({ 'Retry-After': '3', 'Set-Cookie': 'session=1' });

test.each([
  [
    "Anthropic's HTTP error",
    {
      status: 529,
      headers: HEADERS,
      message: '529 {…}',
      error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    },
    {
      type: 'overloaded_error',
      message: 'Overloaded',
      code: undefined,
      statusCode: 529,
      headers: { 'retry-after': '3' },
    },
  ],
  [
    "OpenAI's HTTP error",
    {
      status: 429,
      headers: HEADERS,
      message: '429 slow',
      error: { type: 'requests', code: 'rate_limit_exceeded', message: 'slow' },
    },
    {
      type: 'requests',
      message: 'slow',
      code: 'rate_limit_exceeded',
      statusCode: 429,
      headers: { 'retry-after': '3' },
    },
  ],
  [
    'an error page that is not JSON',
    { status: 502, headers: HEADERS, message: '502 <html>', error: undefined },
    { type: 'HttpError', message: '502 <html>', code: undefined, statusCode: 502, headers: { 'retry-after': '3' } },
  ],
  [
    'an error event in the stream gets the status of its type',
    {
      status: undefined,
      headers: HEADERS,
      message: '{…}',
      error: { error: { type: 'rate_limit_error', message: 'slow' } },
    },
    { type: 'rate_limit_error', message: 'slow', code: undefined, statusCode: 429, headers: { 'retry-after': '3' } },
  ],
  [
    'a gateway that puts the status into the code',
    { status: undefined, headers: undefined, message: 'x', error: { code: 503, message: 'down' } },
    { type: 'HttpError', message: 'down', code: '503', statusCode: 503, headers: {} },
  ],
  [
    "an error event without a code, which is the server's own",
    { headers: undefined, error: { type: 'error', code: null, message: 'Something went wrong', param: null } },
    { type: 'server_error', message: 'Something went wrong', code: undefined, statusCode: 500, headers: {} },
  ],
  [
    'an error event with one',
    { headers: undefined, error: { type: 'error', code: 'rate_limit_exceeded', message: 'slow', param: null } },
    {
      type: 'rate_limit_exceeded',
      message: 'slow',
      code: 'rate_limit_exceeded',
      statusCode: 429,
      headers: {},
    },
  ],
  [
    "OpenAI's overload",
    {
      headers: undefined,
      error: { type: 'service_unavailable_error', code: 'server_is_overloaded', message: 'Try again later.' },
    },
    {
      type: 'service_unavailable_error',
      message: 'Try again later.',
      code: 'server_is_overloaded',
      statusCode: 503,
      headers: {},
    },
  ],
  [
    'a refused connection',
    Object.assign(new Error('Connection error.'), {
      cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    }),
    {
      type: 'ConnectionError',
      message: 'Connection error.: connect ECONNREFUSED',
      code: 'ECONNREFUSED',
      statusCode: undefined,
      headers: {},
    },
  ],
  [
    "the platform's aborted stream",
    new TypeError('terminated'),
    { type: 'ConnectionError', message: 'terminated', code: 'connection_failed', statusCode: undefined, headers: {} },
  ],
  [
    'a bug is not taken for the network',
    new TypeError("Cannot read properties of undefined (reading 'x')"),
    {
      type: 'InternalError',
      message: "Cannot read properties of undefined (reading 'x')",
      code: undefined,
      statusCode: undefined,
      headers: {},
    },
  ],
  [
    'something that is no error',
    'odd',
    { type: 'InternalError', message: 'odd', code: undefined, statusCode: undefined, headers: {} },
  ],
])('%s', (_title, thrown, expected) => {
  expect(describeThrown(thrown)).toEqual(expected);
});

test('a cause that is its own cause is looked at a few times', () => {
  const error = new Error('odd');
  error.cause = error;
  expect(describeThrown(error).type).toBe('ConnectionError');
});

test('an event that nobody knows is told in words of its own, its name cut', () => {
  const told = (name: string) =>
    fault('ConnectionError', `the event ${name} is of a form that nobody knows (no)`, 'stream_incomplete');
  expect(oddEventFault({ type: 'new' }, new TypeError('no'))).toEqual(told('new'));
  expect(oddEventFault({ type: 'x'.repeat(1_000_000) }, new TypeError('no'))).toEqual(told(`${'x'.repeat(200)}…`));
});

test('a message of a megabyte is cut', () => {
  const failure = tellFailure(describeThrown({ status: 500, message: 'x'.repeat(1_000_000) }), undefined);
  expect(failure.message.length).toBeLessThan(3000);
});

test('of a secret at the place where a message is cut nothing is left', () => {
  const secret = `sk-${'k'.repeat(40)}`;
  for (let before = 1_950; before <= 2_000; before++) {
    const { message } = tellFailure(fault('T', `${'x'.repeat(before)}${secret} is no key`), secret);
    expect(message).not.toContain('sk-');
  }
});

test('a secret is taken out of every field', () => {
  const secret = 'sk-secret';
  const failure = { ...fault(`T ${secret}`, `m ${secret} ${secret}`, `c ${secret}`), headers: { echo: secret } };
  expect(JSON.stringify(tellFailure(failure, secret))).not.toContain(secret);
});

test('a secret of a few letters is no secret, and mangles no text', () => {
  const failure = fault('HttpError', 'the provider refuses the request', 'e');
  expect(tellFailure(failure, 'e')).toEqual(failure);
});
