import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink, type CallEnd } from '../../test/conformance/recording-sink.ts';
import type { Message } from '../core/conversation.ts';
import type { ModelRequest } from '../core/provider.ts';
import { defineScript } from '../testing.ts';
import type { ScriptedAnswer } from './scripted-answer.ts';
import type { Script } from './scripted-schema.ts';
import { createScriptedProvider, type ScriptedModel } from './scripted.ts';

type Asked = { readonly turn?: number; readonly directive?: string; readonly messages?: readonly Message[] };

function request({ turn = 1, directive = 'demo/one', messages = [user('Do it.')] }: Asked = {}): ModelRequest {
  const sizes = { maxOutputTokens: 100, inputTokens: 10 };
  return { model: 'm', system: '', tools: [], ...sizes, messages, thread: { directive, turn } };
}

function user(text: string): Message {
  return { role: 'user', text };
}

/** An assistant message that calls tools, and their results. */
function called(...calls: readonly [tool: string, result: unknown][]): Message[] {
  const id = (tool: string, at: number): string => `${tool}-${at}-${JSON.stringify(calls).length}`;
  const results = calls.map(([tool, result], at): Message => {
    return {
      role: 'tool',
      callId: id(tool, at),
      text: typeof result === 'string' ? result : JSON.stringify(result),
      isError: false,
    };
  });
  const toolCalls = calls.map(([name], at) => ({ id: id(name, at), name, input: {} }));
  return [{ role: 'assistant', text: '', toolCalls }, ...results];
}

async function ask(script: Script | ScriptedModel, asked?: Asked): Promise<CallEnd> {
  const sink = createRecordingSink();
  createScriptedProvider(script, { clock: createHandClock() }).call(request(asked), sink);
  return sink.ended;
}

async function answer(script: Script | ScriptedModel, asked?: Asked) {
  const end = await ask(script, asked);
  if ('failed' in end) throw new Error(end.failed.message);
  return end.done;
}

describe('matching', () => {
  test.each<[string, Script['rules'][number], Asked, boolean]>([
    ['nothing asked for', {}, {}, true],
    ['the directive', { directive: 'demo/one' }, {}, true],
    ['another directive', { directive: 'demo/on' }, {}, false],
    ['a glob', { directive: 'demo/*' }, {}, true],
    ['another glob', { directive: '*/two' }, {}, false],
    ['the turn', { turn: 3 }, { turn: 3 }, true],
    ['another turn', { turn: 3 }, { turn: 2 }, false],
    ['the last tool', { last_tool: 'read' }, { messages: called(['list', 1], ['read', 2]) }, true],
    ['an earlier tool', { last_tool: 'list' }, { messages: called(['list', 1], ['read', 2]) }, false],
    [
      'the last tool before a reminder',
      { last_tool: 'read' },
      { messages: [...called(['read', 2]), user('Go on.')] },
      true,
    ],
    ['a tool where none was called', { last_tool: 'read' }, {}, false],
    ['the last text', { last_text: '^Do' }, {}, true],
    ['another last text', { last_text: '^Stop' }, {}, false],
    ['the first user message', { match: 'it\\.$' }, { messages: [user('Do it.'), user('Now.')] }, true],
    ['not the later user messages', { match: 'Now' }, { messages: [user('Do it.'), user('Now.')] }, false],
    [
      'a condition',
      { when: { path: 'results.list.files.1', op: 'eq', value: 'b' } },
      { messages: called(['list', { files: ['a', 'b'] }]) },
      true,
    ],
    [
      'a condition that fails',
      { when: { path: 'counts.list', op: 'gte', value: 2 } },
      { messages: called(['list', {}]) },
      false,
    ],
    ['one fact of two', { directive: 'demo/*', turn: 9 }, {}, false],
  ])('%s', async (_title, rule, asked, matches) => {
    const { text } = await answer({ rules: [{ ...rule, text: 'first' }, { text: 'second' }] }, asked);
    expect(text).toBe(matches ? 'first' : 'second');
  });

  test('a rule answers at most `times` times', async () => {
    const script: Script = { rules: [{ times: 2, error: { status_code: 429 } }, { text: 'at last' }] };
    const provider = createScriptedProvider(script, { clock: createHandClock() });
    const ends: CallEnd[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const sink = createRecordingSink();
      provider.call(request(), sink);
      ends.push(await sink.ended);
    }
    expect(ends).toMatchObject([{ failed: { statusCode: 429 } }, { failed: {} }, { done: { text: 'at last' } }]);
  });

  test('no rule matches: the failure names directive, turn and last tool', async () => {
    const end = await ask({ rules: [{ turn: 7, text: 'x' }] }, { turn: 2, messages: called(['read', 1]) });
    expect(end).toMatchObject({
      failed: { type: 'ScriptError', message: expect.stringMatching(/"demo\/one", turn 2, after .*"read"/) },
    });
  });
});

describe('answers from what was seen', () => {
  const listed = called(['list', { files: ['a', 'b', 'c'] }]);

  test.each<[string, string]>([
    ['${turn} ${directive} ${model}', '1 demo/one m'],
    ['${prompt}', 'Review src/core.'],
    ['${captures.folder}!', 'src/core!'],
    ['${results.list.files.1}', 'b'],
    ['${last.tool}: ${last.result.files}', 'list: ["a","b","c"]'],
    ['${last.text}', '{"files":["a","b","c"]}'],
    ['${results.nope.files}|${captures.__proto__}|$${x}', '||${x}'],
    ['${calls.0.name} ${counts.list}', 'list 1'],
  ])('%s', async (text, expected) => {
    const rule = { match: 'Review (?P<folder>[a-z/]+)', text };
    expect((await answer({ rules: [rule] }, { messages: [user('Review src/core.'), ...listed] })).text).toBe(expected);
  });

  test('a value that is one expression keeps its type', async () => {
    const input = { files: '${results.list.files}', count: '${counts.list}', note: 'n=${counts.list}' };
    const { toolCalls } = await answer({ rules: [{ tool_calls: [{ name: 'done', input }] }] }, { messages: listed });
    expect(toolCalls).toEqual([
      { id: expect.any(String), name: 'done', input: { files: ['a', 'b', 'c'], count: 1, note: 'n=1' } },
    ]);
  });

  test('a result that is not JSON is its text', async () => {
    const { text } = await answer(
      { rules: [{ text: '<${last.result}>' }] },
      { messages: called(['read', 'plain text']) },
    );
    expect(text).toBe('<plain text>');
  });

  test('ids differ from call to call and from turn to turn', async () => {
    const script: Script = { rules: [{ tool_calls: [{ name: 'a' }, { name: 'b' }] }] };
    const first = await answer(script);
    const second = await answer(script, { messages: [user('Do it.'), ...listed] });
    const ids = [...first.toolCalls, ...second.toolCalls].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });
});

describe('fan-out', () => {
  const files = Array.from({ length: 5 }, (_, at) => ({ path: `f${at}` }));
  const listed = called(['list', { files }]);
  const spawn = { name: 'spawn', input: { file: '${item.path}', at: '${index}' } };

  test('one call per element', async () => {
    const rule = { tool_calls_each: { over: '${results.list.files}', call: spawn } };
    const { toolCalls, finishReason } = await answer({ rules: [rule] }, { messages: listed });
    expect(toolCalls.map(({ input }) => input)).toEqual(files.map(({ path }, at) => ({ file: path, at })));
    expect(finishReason).toBe('tool_calls');
  });

  test.each<[string, object, string[]]>([
    ['the first batch, when nothing was counted yet', { size: 2, offset: '${counts.spawn}' }, ['f0', 'f1']],
    ['the batch after what was counted', { size: 2, offset: '${counts.list}' }, ['f1', 'f2']],
    ['a batch by number', { size: 2, index: '${counts.list}' }, ['f2', 'f3']],
    ['the last, shorter batch', { size: 2, index: 2 }, ['f4']],
  ])('%s', async (_title, batch, expected) => {
    const each = {
      over: '${results.list.files}',
      as: 'file',
      batch,
      call: { name: 'spawn', input: { file: '${file.path}' } },
    };
    // The rows are checked by the script's own schema.
    const script = { rules: [{ tool_calls_each: each }] } as Script;
    const { toolCalls } = await answer(script, { messages: listed });
    expect(toolCalls.map(({ input }) => input['file'])).toEqual(expected);
  });

  test('a rule with nothing left to call is passed over', async () => {
    const rules: Script['rules'] = [
      { tool_calls_each: { over: '${results.list.files}', batch: { size: 2, index: 3 }, call: spawn } },
      { text: 'all done' },
    ];
    expect((await answer({ rules }, { messages: listed })).text).toBe('all done');
  });

  test('collect gathers a list from the results of many calls', async () => {
    const children = called(['wait', { threads: [{ out: { n: 1 } }, { out: { n: 2 } }] }], ['wait', { threads: [] }]);
    const rule: Script['rules'][number] = {
      collect: {
        numbers: { over: '${all.wait.0.threads}', value: '${item.out.n}' },
        pairs: { over: '${last.results}', as: 'result', value: { at: '${index}', threads: '${result.threads}' } },
      },
      tool_calls: [
        { name: 'directive_return', input: { numbers: '${collected.numbers}', pairs: '${collected.pairs}' } },
      ],
    };
    const { toolCalls } = await answer({ rules: [rule] }, { messages: children });
    expect(toolCalls[0]?.input).toEqual({
      numbers: [1, 2],
      pairs: [
        { at: 0, threads: [{ out: { n: 1 } }, { out: { n: 2 } }] },
        { at: 1, threads: [] },
      ],
    });
  });

  test('something that is no list fails the call and names its place', async () => {
    const rule = { tool_calls_each: { over: '${results.nope}', call: spawn } };
    expect(await ask({ rules: [{ turn: 99 }, rule] })).toMatchObject({
      failed: { code: 'script_failed', message: expect.stringContaining('rules[1].tool_calls_each.over') },
    });
  });
});

describe('delivery', () => {
  test('chunks are spread over the delay, the last comes with the end', () => {
    const clock = createHandClock();
    const sink = createRecordingSink();
    const provider = createScriptedProvider({ rules: [{ text: 'abcdef', chunks: 3, delay_ms: 90 }] }, { clock });
    const call = provider.call(request(), sink);
    clock.advance(29);
    expect(sink.chunks).toEqual([]);
    clock.advance(1);
    expect(sink.text()).toBe('ab');
    clock.advance(30);
    expect(sink.text()).toBe('abcd');
    expect(sink.ends).toEqual([]);
    clock.advance(30);
    expect(sink.text()).toBe('abcdef');
    expect(sink.ends).toMatchObject([{ done: { text: 'abcdef' } }]);
    expect(call.abort()).toBeUndefined();
    expect(clock.pending()).toBe(0);
  });

  test.each([
    ['coarser than the pieces', (ms: number) => Math.max(1, Math.ceil(ms))],
    ['late', (ms: number) => ms + 3],
  ])('the delay is kept, and all pieces come, with timers that are %s', (_title, asSet) => {
    const hand = createHandClock();
    const clock = { ...hand, setTimer: (ms: number, fire: () => void) => hand.setTimer(asSet(ms), fire) };
    const sink = createRecordingSink();
    const rule = { text: 'x'.repeat(2000), chunks: 1000, delay_ms: 100 };
    createScriptedProvider({ rules: [rule] }, { clock }).call(request(), sink);
    hand.advance(50);
    expect(sink.chunks.length).toBeGreaterThan(450);
    expect(sink.chunks.length).toBeLessThan(501);
    hand.advance(53);
    expect(sink.chunks).toHaveLength(1000);
    expect(sink.ends).toMatchObject([{ done: { text: rule.text } }]);
    expect(hand.pending()).toBe(0);
  });

  test('an answer in one piece has one timer, of exactly its delay, also where the clock goes on meanwhile', () => {
    const hand = createHandClock();
    let now = 0;
    const set: number[] = [];
    const setTimer = (ms: number, fire: () => void) => {
      set.push(ms);
      return hand.setTimer(ms, fire);
    };
    const clock = { ...hand, stopwatch: () => (now += 0.01), setTimer };
    createScriptedProvider({ rules: [{ text: 'abc', delay_ms: 600_007 }] }, { clock }).call(
      request(),
      createRecordingSink(),
    );
    expect(set).toEqual([600_007]);
  });

  test('a chunk of many that are due at once may abort', () => {
    const clock = createHandClock();
    const late = { ...clock, setTimer: (ms: number, fire: () => void) => clock.setTimer(ms + 50, fire) };
    const sink = createRecordingSink();
    const rule = { text: 'abcdefgh', chunks: 8, delay_ms: 80 };
    const call = createScriptedProvider({ rules: [rule] }, { clock: late }).call(request(), {
      ...sink,
      chunk: (chunk) => {
        sink.chunk(chunk);
        if (sink.chunks.length === 2) call.abort();
      },
    });
    clock.advance(1000);
    expect(sink.text()).toBe('ab');
    expect(sink.ends).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  test('abort in between counts the output that was delivered', () => {
    const clock = createHandClock();
    const sink = createRecordingSink();
    const rule = { text: 'abcd', chunks: 4, delay_ms: 40, usage: { input_tokens: 10, output_tokens: 8 } };
    const call = createScriptedProvider({ rules: [rule] }, { clock }).call(request(), sink);
    clock.advance(10);
    expect(call.abort()).toMatchObject({ inputTokens: 10, outputTokens: 2 });
    clock.advance(100);
    expect(sink.chunks).toHaveLength(1);
    expect(sink.ends).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  test('pieces add up to the text and cut no character', () => {
    fc.assert(
      // What begins an expression is read as one.
      fc.property(
        fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('$', '')),
        fc.nat({ max: 40 }),
        (text, chunks) => {
          const clock = createHandClock();
          const sink = createRecordingSink();
          createScriptedProvider({ rules: [{ text, chunks, delay_ms: 1 }] }, { clock }).call(request(), sink);
          clock.advance(2);
          expect(sink.text()).toBe(chunks === 0 ? '' : text);
          for (const chunk of sink.chunks)
            expect(chunk).toMatchObject({ text: expect.toSatisfy((piece: string) => piece.isWellFormed()) });
          expect(sink.ends).toHaveLength(1);
        },
      ),
    );
  });

  test('text and error: the stream breaks after the text, which is paid for', async () => {
    const end = await ask({ rules: [{ text: 'Hel', error: { type: 'ConnectionError', message: 'cut at ${turn}' } }] });
    expect(end).toMatchObject({ failed: { type: 'ConnectionError', message: 'cut at 1', usage: { outputTokens: 1 } } });
  });

  test('counts left out are characters divided by 4', async () => {
    const { usage } = await answer({ rules: [{ text: 'x'.repeat(40) }] }, { messages: [user('y'.repeat(80))] });
    expect(usage).toEqual({ inputTokens: 20, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 });
  });
});

describe('a script as a function', () => {
  test('answers in TypeScript words', async () => {
    const model: ScriptedModel = {
      respond: ({ thread }) => ({
        text: `turn ${thread.turn}`,
        toolCalls: [{ id: 'x', name: 'go' }],
        usage: { inputTokens: 3 },
      }),
    };
    expect(await answer(model, { turn: 4 })).toMatchObject({
      text: 'turn 4',
      toolCalls: [{ id: 'x', name: 'go', input: {} }],
      usage: { inputTokens: 3 },
      finishReason: 'tool_calls',
    });
  });

  test('that throws is a failed call', async () => {
    const model: ScriptedModel = {
      respond: () => {
        throw new Error('oops');
      },
    };
    expect(await ask(model)).toMatchObject({ failed: { code: 'script_failed', message: 'oops' } });
  });

  test.each<[string, () => PromiseLike<ScriptedAnswer>]>([
    ['is kept', async () => ({ text: 'late' })],
    ['is broken', () => Promise.reject(new Error('oops'))],
    // oxlint-disable-next-line unicorn/no-thenable -- the misbehaviour under test
    ['is one of a library', () => ({ then: (...args) => Promise.resolve({ text: 'late' }).then(...args) })],
  ])('that gives a promise is one as well: %s', async (_, respond) => {
    const model = { respond: respond as never };
    expect(await ask(model)).toMatchObject({
      failed: { code: 'script_failed', message: expect.stringContaining('a promise') },
    });
  });
});

test.each<[string, unknown, string]>([
  ['a text', 'rules', ''],
  ['nothing', null, ''],
  ['no rules', {}, 'rules'],
  ['an empty list of rules', { rules: [] }, 'rules'],
  ['an unknown key', { rules: [{ text: 'a' }, { txt: 'b' }] }, 'rules[1]'],
  ['a wrong type', { rules: [{ tool_calls: [{ name: 1 }] }] }, 'rules[0].tool_calls[0].name'],
  ['a bad regex', { rules: [{ match: '(?=x)' }] }, 'rules[0].match'],
  ['a bad condition', { rules: [{ when: { path: 'a', op: 'nope', value: 1 } }] }, 'rules[0].when'],
  [
    'two kinds of batch',
    { rules: [{ tool_calls_each: { over: 'x', call: { name: 'a' }, batch: { size: 1, index: 0, offset: 0 } } }] },
    'rules[0].tool_calls_each.batch',
  ],
])('%s is refused with its path', (_title, script, path) => {
  // The point is what happens to a script that is not one.
  const make = () => createScriptedProvider(script as Script, { clock: createHandClock() });
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_config' }));
  const placed = expect.objectContaining({ where: { path: expect.stringContaining(path) } });
  expect(make).toThrow(placed);
  // Whoever defines one hears of it before a thread uses it.
  expect(() => defineScript(script as Script)).toThrow(placed);
});
