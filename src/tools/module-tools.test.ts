import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { SkeinError } from '../core/errors.ts';
import type { ModuleToolCaller } from '../core/module-tool.ts';
import type { ToolCaller, ToolOutcome } from '../core/tool.ts';
import { createModuleTool, loadModuleTools } from './module-tools.ts';

const CALLER: ToolCaller = { threadId: 'thread-1', callId: 'call-1', projectPath: '/p', allows: () => true };
const SAMPLE = new URL('fixtures/module-tools-sample.ts', import.meta.url).href;
const ANY = { type: 'object' };

function moduleOf(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

function tool(fields: Record<string, unknown>) {
  return createModuleTool({ id: 'a/b', description: '', input: ANY, run: () => 1, ...fields }, 'here');
}

/** The outcome of a call that must be over when `run` returns. */
function outcomeAtOnce(fields: Record<string, unknown>, input: Record<string, unknown> = {}): ToolOutcome {
  const done = vi.fn<(outcome: ToolOutcome) => void>();
  expect(tool(fields).run(input, CALLER, done)).toBeUndefined();
  expect(done).toHaveBeenCalledTimes(1);
  return done.mock.calls[0]?.[0] ?? { ok: true, value: 'never' };
}

function outcomeLater(fields: Record<string, unknown>, input: Record<string, unknown> = {}): Promise<ToolOutcome> {
  return new Promise((resolve) => {
    expect(tool(fields).run(input, CALLER, resolve)).toBeDefined();
  });
}

/** A schema that lets everything through as it is. */
function passing(): StandardSchemaV1 {
  return { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
}

describe('a module of tools', () => {
  test('is loaded with what its schemas say', async () => {
    const [add, echo] = await loadModuleTools(SAMPLE);
    expect(add).toMatchObject({ id: 'sample/add', description: 'adds', idempotent: true });
    expect(add?.inputSchema).toMatchObject({ type: 'object', properties: { b: { default: 1 } }, required: ['a'] });
    expect(echo).toMatchObject({ id: 'sample/echo', idempotent: false, inputSchema: { required: ['text'] } });
  });

  test('runs its tools', async () => {
    const [add, echo] = await loadModuleTools(SAMPLE);
    const done = vi.fn<(outcome: ToolOutcome) => void>();
    add?.run({ a: 2 }, CALLER, done);
    expect(done).toHaveBeenCalledWith({ ok: true, value: 3 });
    const later = await new Promise((resolve) => void echo?.run({ text: 'hi' }, CALLER, resolve));
    expect(later).toEqual({ ok: true, value: 'hi call-1' });
  });

  test('may export its list as `tools`', async () => {
    const url = moduleOf('export const tools = [{ id: "a", description: "", input: {}, run() { return this.id; } }];');
    expect((await loadModuleTools(url)).map(({ id }) => id)).toEqual(['a']);
  });

  test.each([
    ['is not there', 'file:///nowhere/tools.js', 'cannot be loaded'],
    ['does not parse', moduleOf('export default ['), 'cannot be loaded'],
    ['throws', moduleOf('throw new Error("no key")'), 'no key'],
    ['exports no list', moduleOf('export default {}'), 'must be a list of tools'],
    [
      'has an id twice',
      moduleOf('const t = { id: "a", description: "", input: {}, run() {} }; export default [t, t]'),
      'two tools',
    ],
    ['has a bad tool', moduleOf('export default [{ id: "a" }]'), 'tool 0 (a): `description`'],
  ])('that %s is refused', async (_name, url, words) => {
    const error: unknown = await loadModuleTools(url).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SkeinError);
    expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(words) });
  });
});

const foreign = (validate: StandardSchemaV1['~standard']['validate']): StandardSchemaV1 => ({
  '~standard': { version: 1, vendor: 'other', validate },
});

describe('a registered tool', () => {
  test.each([
    [{ id: '../x y' }, '`id`'],
    [{ id: 'a//b' }, '`id`'],
    [{ description: 1 }, '`description`'],
    [{ idempotent: 'yes' }, '`idempotent`'],
    [{ run: 'x' }, '`run`'],
    [{ idempotant: true }, 'no "idempotant"'],
    [{ input: undefined }, '`input`'],
    [{ input: { properties: { a: { type: 'nothing' } } } }, 'not a type'],
    [{ input: foreign(() => ({ value: 1 })) }, '`inputSchema`'],
    [{ input: { type: 'string' } }, 'JSON Schema of an object'],
    [{ input: z.string() }, '`input` must be a schema of an object'],
    [{ input: mini.array(mini.string()) }, '`input` must be a schema of an object'],
    [{ input: foreign(() => ({ value: 1 })), inputSchema: { type: 'string' } }, '`inputSchema` must be a schema of'],
    [{ input: { '~standard': {} } }, 'must be a Standard Schema'],
    [{ input: ANY, inputSchema: ANY }, '`inputSchema` is for an `input` that is no JSON Schema'],
    [{ input: z.looseObject({}), inputSchema: 'any' }, '`inputSchema` must be'],
  ])('with %o is refused', (fields, words) => {
    expect(() => tool(fields)).toThrow(words);
  });

  test('that returns a value is done in the same tick', () => {
    expect(outcomeAtOnce({ run: () => ({ a: 1 }) })).toEqual({ ok: true, value: { a: 1 } });
  });

  test.each([
    ['JSON Schema', ANY],
    ['Standard Schema', z.looseObject({})],
  ])('never gets a thread context, whatever its %s lets through', (_, input) => {
    const outcome = outcomeAtOnce({ input }, { a: [{ _thread_context: {} }] });
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'permission_denied' } });
  });

  test.each([
    ['JSON Schema', ANY],
    ['a schema that takes what it gets', z.object({ ids: z.any() })],
    ['a Standard Schema', passing()],
  ])('may change its input, and the call stays as it was (%s)', (_name, input) => {
    const given = { ids: [3, 1, 2], deep: [{ a: 1 }] };
    const run = (taken: typeof given) => {
      taken.ids.reverse();
      return taken.ids[0];
    };
    const inputSchema = input === ANY ? undefined : ANY;
    expect(outcomeAtOnce({ input, inputSchema, run }, given)).toEqual({ ok: true, value: 2 });
    expect(given).toEqual({ ids: [3, 1, 2], deep: [{ a: 1 }] });
  });

  test('that throws is done in the same tick with a failure', () => {
    const outcome = outcomeAtOnce({
      run: () => {
        throw new SkeinError('cancelled', 'boom');
      },
    });
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'tool_failed', message: 'tool a/b threw: boom' } });
  });

  test('that rejects is done with a failure', async () => {
    const outcome = await outcomeLater({ run: () => Promise.reject(new Error('boom')) });
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'tool_failed', message: 'tool a/b threw: boom' } });
  });

  test('that returns something which fakes a promise and settles twice is done once', async () => {
    const run = () => ({
      // oxlint-disable-next-line unicorn/no-thenable -- the misbehaviour under test
      then(yes: (value: number) => void) {
        yes(1);
        yes(2);
      },
    });
    const done = vi.fn<(outcome: ToolOutcome) => void>();
    await new Promise<void>((resolve) => {
      tool({ run }).run({}, CALLER, (outcome) => {
        done(outcome);
        resolve();
      });
    });
    expect(done.mock.calls).toEqual([[{ ok: true, value: 1 }]]);
  });

  test('whose result looks like an outcome keeps it as a value', () => {
    const value = { ok: false, failure: { code: 'cancelled' } };
    expect(outcomeAtOnce({ run: () => value })).toEqual({ ok: true, value });
  });

  test('may be declared by what zod makes of a schema', () => {
    const input = z.toJSONSchema(z.object({ n: z.int() }));
    const run = ({ n }: { readonly n: number }): number => n + 1;
    expect(outcomeAtOnce({ input, run }, { n: 1 })).toEqual({ ok: true, value: 2 });
    expect(outcomeAtOnce({ input, run }, { n: 'x' })).toMatchObject({ failure: { code: 'tool_input_invalid' } });
  });

  test('whose schema JSON Schema has no word for is described as far as it goes', () => {
    const described = tool({ input: z.object({ at: z.date(), name: z.string() }) }).inputSchema;
    expect(described).toMatchObject({ properties: { at: {}, name: { type: 'string' } }, required: ['at', 'name'] });
  });

  test('is told that nobody waits any more, by a signal that copies have as well and that is aborted for whoever asks later', async () => {
    const told: AbortSignal[] = [];
    const asked = Promise.withResolvers<AbortSignal>();
    const go = Promise.withResolvers<void>();
    const run = async (_input: unknown, caller: ModuleToolCaller) => {
      told.push(caller.signal, { ...caller }.signal);
      await go.promise;
      asked.resolve(caller.signal);
    };
    const late = async (_input: unknown, caller: ModuleToolCaller) => {
      await go.promise;
      told.push(caller.signal);
    };
    const running = [run, late].map((code) => tool({ run: code }).run({}, CALLER, () => {}));
    expect(told.map(({ aborted }) => aborted)).toEqual([false, false]);
    for (const each of running) each?.abort();
    go.resolve();
    expect((await asked.promise).aborted).toBe(true);
    expect(told.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  test('says nothing after it was aborted', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const done = vi.fn<(outcome: ToolOutcome) => void>();
    tool({ run: () => promise })
      .run({}, CALLER, done)
      ?.abort();
    resolve(1);
    await promise;
    await new Promise(setImmediate);
    expect(done).not.toHaveBeenCalled();
  });

  test.each([
    ['zod', z.object({ a: z.object({ n: z.number() }) }), /a\.n/],
    ['JSON Schema', { type: 'object', properties: { a: { properties: { n: { type: 'number' } } } } }, /a\.n/],
  ])('is not run when its input does not fit %s', (_name, input, words) => {
    const run = vi.fn<() => number>();
    const outcome = outcomeAtOnce({ input, run }, { a: { n: 'x' } });
    expect(outcome.ok ? undefined : outcome.failure.code).toBe('tool_input_invalid');
    expect(outcome.ok ? '' : outcome.failure.message).toMatch(words);
    expect(run).not.toHaveBeenCalled();
  });

  test('may have a schema of any make that checks later', async () => {
    const input = foreign(async (value) => ({ value: { seen: value } }));
    const outcome = await outcomeLater({ input, inputSchema: ANY, run: (given: unknown) => given }, { a: 1 });
    expect(outcome).toEqual({ ok: true, value: { seen: { a: 1 } } });
  });

  test('may have a schema that refuses later', async () => {
    const input = foreign(async () => ({ issues: [{ message: 'no', path: ['a', { key: 0 }] }] }));
    const outcome = await outcomeLater({ input, inputSchema: ANY });
    expect(outcome.ok ? '' : outcome.failure.message).toContain('a.0 (no)');
  });
});
