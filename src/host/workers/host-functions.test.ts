import { describe, expect, test } from 'vitest';
import type { ThreadId } from '../../core/ids.ts';
import type { Result } from '../../core/result.ts';
import { createHostFunctions } from './host-functions.ts';

const CALL = { type: 'hostCall', input: {}, threadId: 'thread-1' as ThreadId } as const;

/** What a thread is told of what a registered tool gives. */
function toolGives(run: () => unknown): Promise<Result<unknown>> {
  const functions = createHostFunctions();
  const name = functions.addTool({ id: 'shop/price', standard: undefined, run });
  return new Promise((done) => void functions.call({ ...CALL, kind: 'tool', callId: 'call-1', name }, done));
}

function hookGives(hook: () => unknown): Promise<Result<unknown>> {
  const functions = createHostFunctions();
  functions.addHook('price', hook);
  return new Promise((done) => void functions.call({ ...CALL, kind: 'hook', name: 'price' }, done));
}

describe('The result of a registered tool', () => {
  test.each<[string, unknown, unknown]>([
    ['an address', { link: new URL('http://shop/1') }, { link: 'http://shop/1' }],
    ['a class that says what it is as JSON', { toJSON: () => '19.99' }, '19.99'],
    ['a method beside its values', { total: 5, format: () => '5 €' }, { total: 5 }],
    ['a text', 'as it is', 'as it is'],
    ['nothing', undefined, null],
  ])('that is %s is as JSON has it', async (_, given, expected) => {
    const result = await toolGives(() => given);
    expect(result.ok && JSON.parse(String(result.value))).toEqual(expected);
  });

  test('that JSON can not hold is a failure that says why', async () => {
    const message = expect.stringContaining('Do not know how to serialize a BigInt');
    expect(await toolGives(() => 10n)).toMatchObject({ ok: false, failure: { code: 'tool_failed', message } });
  });

  test('is what it was then, whatever the next call makes of it', async () => {
    const cart: string[] = [];
    const put = (item: string) => () => {
      cart.push(item);
      return cart;
    };
    const results = await Promise.all(['tea', 'milk'].map((item) => toolGives(put(item))));
    expect(results).toEqual(['["tea"]', '["tea","milk"]'].map((value) => ({ ok: true, value })));
  });

  test('and what it throws may be anything', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const message = 'something without a message was thrown';
    const threw = (): never => {
      throw proxy;
    };
    expect(await toolGives(threw)).toEqual({ ok: false, failure: { code: 'tool_failed', message } });
  });
});

describe('What a hook returns', () => {
  test('is what it was then, whatever becomes of it', async () => {
    const input = { item: 'tea' };
    const result = await hookGives(() => ({ input }));
    input.item = 'milk';
    expect(result).toEqual({ ok: true, value: { input: { item: 'tea' } } });
  });

  test('and can not travel is its failure', async () => {
    expect(await hookGives(() => () => 1)).toMatchObject({ ok: false, failure: { code: 'hook_failed' } });
  });
});
