import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, ToolCall } from '../core/conversation.ts';
import { MAX_JSON_DEPTH } from './json-scanner.ts';
import { StreamingToolParser, type ToolDelta } from './streaming-tool-parser.ts';

type Read = {
  readonly parser: StreamingToolParser;
  /** What was given, each with the number of the piece that completed it; -1: with the end of the answer. */
  readonly ready: { readonly call: ToolCall; readonly at: number }[];
  readonly end: ReturnType<StreamingToolParser['finish']>;
};

/** Reads a whole answer; a fault of a piece is its end. */
function read(deltas: readonly ToolDelta[], messages: readonly Message[] = []): Read {
  const ready: { call: ToolCall; at: number }[] = [];
  let at = 0;
  const parser = new StreamingToolParser({
    chunk: (chunk) => {
      if (chunk.type === 'tool_ready') ready.push({ call: chunk.call, at });
    },
    madeUpId: (position) => `made_${position}`,
    messages,
  });
  for (const delta of deltas) {
    const fault = parser.push(delta);
    if (fault) return { parser, ready, end: fault };
    at++;
  }
  at = -1;
  return { parser, ready, end: parser.finish() };
}

const first = (...pieces: readonly string[]): ToolDelta[] => [
  { index: 0, id: 'a', name: 'write' },
  ...pieces.map((json) => ({ index: 0, json })),
];

describe('A streamed tool call', () => {
  test.each<[string, string[], number, unknown]>([
    ['with the piece that closes it', ['{"a"', ': [1, {}]', '}', ' \n'], 3, { a: [1, {}] }],
    ['whose brackets in strings close nothing', ['{"a":"}', '\\"}', ']"', '}'], 4, { a: '}"}]' }],
    ['whose escapes are cut', ['{"a":"\\', '\\', '","b":"\\u00', 'fc"}'], 4, { a: '\\', b: 'ü' }],
    ['whose characters are cut in two', ['{"a":"\ud83c', '\udf0d"}'], 2, { a: '🌍' }],
    ['after white space', ['  \n', '{', '}'], 3, {}],
    ['whose digits no number could hold', ['{"id":12345678', '90123456789}'], 2, { id: '1234567890123456789' }],
    ['without an input, at the end', [], -1, {}],
    ['with an input of white space, at the end', [' '], -1, {}],
  ])('%s, is given once', (_title, pieces, at, input) => {
    const call = { id: 'a', name: 'write', input };
    const { ready, end } = read(first(...pieces));
    expect(ready).toEqual([{ call, at }]);
    expect(end).toEqual([call]);
  });

  test.each<[string, string[], string]>([
    ['that is not complete', ['{"a": {"b": 1}'], 'is not complete JSON'],
    ['that stops in a string', ['{"a": "}'], 'is not complete JSON'],
    ['that is no JSON', ['{a}'], 'is not complete JSON'],
    ['whose brackets do not fit', ['{"a": [}}'], 'is not complete JSON'],
    ['that is a list', ['[1]'], 'is not a JSON object'],
    ['that is null', ['null'], 'is not a JSON object'],
    ['that comes twice', ['{"a":1}', '{"a":1}'], 'goes on after its end'],
    ['with something after it', ['{}', ' ,'], 'goes on after its end'],
    ['with no room for recursion', ['{"a":', '['.repeat(MAX_JSON_DEPTH)], 'is nested too deeply'],
    ['that is endless', ['{"a":"', ...Array.from({ length: 9 }, () => 'x'.repeat(1024 * 1024))], 'is too long'],
  ])('%s, is a fault and is not given', (_title, pieces, problem) => {
    const { ready, end } = read(first(...pieces));
    const given = problem === 'goes on after its end' ? 1 : 0;
    expect(ready).toHaveLength(given);
    expect(end).toMatchObject({ type: 'InvalidResponseError', code: 'tool_input_invalid' });
    expect('message' in end && end.message).toBe(`the input of tool call "write" ${problem}`);
  });

  test('after a fault, nothing more is given', () => {
    const { parser, ready, end } = read(first('[1]'));
    expect(parser.push({ index: 1, id: 'b', name: 'list', json: '{}' })).toBe(end);
    expect(parser.finish()).toBe(end);
    expect(ready).toEqual([]);
  });

  test('as deep as it may be is given', () => {
    const depth = MAX_JSON_DEPTH - 1;
    expect(read(first(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)).ready).toHaveLength(1);
  });

  test('whose name comes after its input is given with its name', () => {
    const { ready } = read([
      { index: 0, json: '{}' },
      { index: 0, id: 'a' },
      { index: 0, name: 'list' },
    ]);
    expect(ready).toEqual([{ call: { id: 'a', name: 'list', input: {} }, at: 2 }]);
  });

  test('without a name is a fault', () => {
    expect(read([{ index: 0, id: 'a', json: '{}' }]).end).toMatchObject({ code: 'tool_call_invalid' });
  });

  test.each<[string, unknown]>([
    ['name', 5],
    ['name', ['write']],
    ['id', {}],
    ['id', true],
  ])('with the %s %j is a fault', (field, value) => {
    const { ready, end } = read([{ index: 0, id: 'a', name: 'write', json: '{}', [field]: value }]);
    expect([ready, end]).toMatchObject([[], { type: 'InvalidResponseError', code: 'tool_call_invalid' }]);
  });

  test('with a number as its id has its digits', () => {
    const { end } = read([
      { index: 0, id: 0, name: 'write', json: '{"a"' },
      { index: 0, id: 0, json: ':1}' },
      { index: 0, id: 7, name: 'write', json: '{}' },
    ]);
    expect(end).toEqual([
      { id: '0', name: 'write', input: { a: 1 } },
      { id: '7', name: 'write', input: {} },
    ]);
  });

  test('without an id is a fault where none can be made up', () => {
    const parser = new StreamingToolParser({ chunk: ({ type }) => expect(type).toBe('tool_call'), messages: [] });
    const fault = parser.push({ index: 0, name: 'list', json: '{}' });
    expect(fault).toMatchObject({ code: 'tool_call_invalid', message: 'tool call 0 has no id' });
  });
});

describe('Streamed tool calls', () => {
  test('are given as each is complete, and listed as they began', () => {
    const { ready, end } = read([
      { index: 0, id: 'a', name: 'write', json: '{"n":' },
      { index: 1, id: 'b', name: 'list', json: '{}' },
      { index: 0, json: '1}' },
    ]);
    const [a, b] = [
      { id: 'a', name: 'write', input: { n: 1 } },
      { id: 'b', name: 'list', input: {} },
    ];
    expect(ready.map(({ call }) => call)).toEqual([b, a]);
    expect(end).toEqual([a, b]);
  });

  test('that all have index 0 are told apart by their ids', () => {
    const { end } = read([
      { index: 0, id: 'a', name: 'list', json: '{}' },
      { index: 0, id: 'b', name: 'list', json: '{}' },
    ]);
    expect(end).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  });

  test.each<[string, [string, string][], [string, object][]]>([
    [
      'are told apart by their names',
      [
        ['list', ''],
        ['delete', '{"path":"p"}'],
      ],
      [
        ['list', {}],
        ['delete', { path: 'p' }],
      ],
    ],
    [
      'are told apart where the one before is complete',
      [
        ['read', '{"path":"o"}'],
        ['read', '{"path":"p"}'],
      ],
      [
        ['read', { path: 'o' }],
        ['read', { path: 'p' }],
      ],
    ],
    [
      'are one where each piece says the name',
      [
        ['read', ''],
        ['read', '{"path"'],
        ['read', ':"p"}'],
        ['read', '\n'],
      ],
      [['read', { path: 'p' }]],
    ],
  ])('without ids that all have index 0 %s', (_title, pieces, expected) => {
    const { end } = read(pieces.map(([name, json]) => ({ index: 0, id: '', name, json })));
    expect(end).toMatchObject(expected.map(([name, input]) => ({ name, input })));
    expect(end).toHaveLength(expected.length);
  });

  test('that have one id are given as calls of their own', () => {
    const { end } = read([
      { index: 0, id: 'call_0', name: 'ls', json: '{}' },
      { index: 1, id: 'call_0_2', name: 'ls', json: '{}' },
      { index: 2, id: 'call_0', name: 'wait', json: '{"for":1}' },
    ]);
    expect(end).toEqual([
      { id: 'call_0', name: 'ls', input: {} },
      { id: 'call_0_2', name: 'ls', input: {} },
      { id: 'call_0_3', name: 'wait', input: { for: 1 } },
    ]);
  });

  test('that have ids of earlier ones get others, which stay short', () => {
    const messages: Message[] = [];
    const ids: string[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const { ready, end } = read([{ index: 0, id: 'functions.ls:0', name: 'ls', json: '{}' }], messages);
      const toolCalls = 'message' in end ? [] : end;
      expect(ready.map(({ call }) => call)).toEqual(toolCalls);
      ids.push(...toolCalls.map(({ id }) => id));
      messages.push({ role: 'user', text: 'Go on.' }, { role: 'assistant', text: '', toolCalls });
    }
    expect(ids.slice(0, 3)).toEqual(['functions.ls:0', 'functions.ls:0_0', 'functions.ls:0_1']);
    expect(new Set(ids).size).toBe(12);
    expect(Math.max(...ids.map(({ length }) => length))).toBe('functions.ls:0_10'.length);
  });

  test('read no conversation before the first of them', () => {
    const messages = new Proxy<readonly Message[]>([], {
      get: () => {
        throw new Error('it was read');
      },
    });
    const parser = new StreamingToolParser({ chunk: () => undefined, messages });
    expect(parser.finish()).toEqual([]);
    expect(() => parser.push({ index: 0, id: 'a', name: 'ls', json: '{}' })).toThrow('it was read');
  });

  test('without ids get some that no other call of the answer has', () => {
    const { end } = read([
      { index: 0, name: 'list', json: '{}' },
      { index: 1, name: 'list', json: '{}' },
    ]);
    expect(end).toMatchObject([{ id: 'made_0' }, { id: 'made_1' }]);
  });

  /** Objects that JSON keeps as they are, with everything in their strings that JSON has a meaning for. */
  const key = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', '\n', 'ü', '🌍') });
  const input = fc.dictionary(
    key.filter((name) => name !== '__proto__'),
    fc.oneof(fc.jsonValue({ maxDepth: 4 }), key),
  );

  /** The answer as pieces: each call's JSON cut anywhere, the pieces of all calls in any order that keeps each call's. */
  const streamed = fc
    .array(fc.record({ input, space: fc.constantFrom(undefined, 1), cuts: fc.array(fc.nat(), { maxLength: 12 }) }), {
      minLength: 1,
      maxLength: 4,
    })
    .chain((calls) => {
      const texts = calls.map(({ input: value, space }) => JSON.stringify(value, null, space));
      const pieces = calls.map(({ cuts }, index) => cutAt(texts[index] ?? '', cuts));
      const turns = pieces.flatMap((all, index) => all.map(() => index));
      return fc
        .shuffledSubarray(
          turns.map((_, at) => at),
          { minLength: turns.length, maxLength: turns.length },
        )
        .map((order) => ({ texts, pieces, order: order.map((at) => turns[at] ?? 0) }));
    });

  test('give exactly what JSON.parse gives, however they are cut, and nothing before it is complete', () => {
    fc.assert(
      fc.property(streamed, ({ texts, pieces, order }) => {
        const rest = pieces.map((all) => [...all]);
        const seen = texts.map(() => '');
        const complete: number[] = [];
        const given: number[] = [];
        const parser = new StreamingToolParser({
          chunk: (chunk) => {
            if (chunk.type === 'tool_ready') given.push(Number(chunk.call.id));
          },
          messages: [],
        });
        for (const index of order) {
          const json = rest[index]?.shift() ?? '';
          seen[index] += json;
          if (seen[index] === texts[index] && json !== '') complete.push(index);
          expect(parser.push({ index, id: String(index), name: 'write', json })).toBeUndefined();
          expect(given).toEqual(complete);
        }
        const calls = parser.finish();
        const byId = new Map('message' in calls ? [] : calls.map((call) => [call.id, call.input]));
        expect([...byId.keys()].toSorted()).toEqual(texts.map((_, index) => String(index)));
        for (const [index, text] of texts.entries()) expect(byId.get(String(index))).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  test('that stop anywhere before their end give nothing', () => {
    fc.assert(
      fc.property(input, fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        const { ready, end } = read(first(text.slice(0, 1 + (cut % (text.length - 1)))));
        expect([ready, end]).toMatchObject([[], { code: 'tool_input_invalid' }]);
      }),
      { numRuns: 300 },
    );
  });

  test('of garbage throw nothing and give only what JSON.parse takes', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 20 }), (pieces) => {
        const { ready, end } = read(first(...pieces));
        if ('message' in end) return;
        const text = pieces.join('').trim();
        expect(ready.map(({ call }) => call.input)).toEqual([text === '' ? {} : JSON.parse(text)]);
      }),
      { numRuns: 300 },
    );
  });
});

/** The pieces of a text between these places; at least one. */
function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...places].map((place, at) => text.slice(place, places[at] ?? text.length));
}
