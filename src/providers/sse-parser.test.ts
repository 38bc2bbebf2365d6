import fc from 'fast-check';
import { Stream } from 'openai/streaming';
import { describe, expect, test } from 'vitest';
import { cutFault, type CallFault } from './call-failure.ts';
import { createSseParser } from './sse-parser.ts';

type Taken = { readonly data: string; readonly name: string | undefined };

function parse(pieces: readonly string[]) {
  const events: Taken[] = [];
  const parser = createSseParser((data, name) => {
    events.push({ data, name });
    return undefined;
  });
  const faults = pieces.map((piece) => parser.feed(piece));
  return { events, fault: faults.find(Boolean) };
}

const plain = (data: string): Taken => ({ data, name: undefined });

test.each<[string, string, Taken[]]>([
  ['events one after the other', 'data: a\n\ndata: b\n\n', [plain('a'), plain('b')]],
  ['no space after the colon', 'data:a\n\n', [plain('a')]],
  ['one space is taken off, not two', 'data:  a\n\n', [plain(' a')]],
  ['several lines of data', 'data: a\ndata:\ndata: b\n\n', [plain('a\n\nb')]],
  [
    'a name, before or after the data',
    'event: x\ndata: a\n\ndata: b\nevent: y\n\n',
    [
      { data: 'a', name: 'x' },
      { data: 'b', name: 'y' },
    ],
  ],
  ['a name without data is no event', 'event: x\n\ndata: a\n\n', [plain('a')]],
  ['comments, ids and retry times', ': ping\nid: 1\nretry: 5\ndata: a\n\n:\n\n', [plain('a')]],
  ['a field that nobody knows', 'x-trace: 7\ndata: a\n\n', [plain('a')]],
  ['line ends of every kind', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', [plain('a'), plain('b'), plain('c')]],
  ['what follows the last empty line is no event', 'data: a\n\ndata: b\n', [plain('a')]],
])('%s', (_title, text, events) => {
  expect(parse([text])).toEqual({ events, fault: undefined });
  expect(parse(text.split(''))).toEqual({ events, fault: undefined });
});

test.each(['garbage\n', '\u0000\u0001\u0002\n', '{}\n', 'data: a\n\n502\n'])('%j is a broken stream', (text) => {
  expect(parse([text]).fault).toMatchObject({ type: 'ConnectionError', code: 'stream_incomplete' });
});

test('nothing is taken after a fault in an event', () => {
  const taken: string[] = [];
  const fault: CallFault = { type: 'X', message: 'x', code: undefined, statusCode: undefined, headers: {} };
  const parser = createSseParser((data) => {
    taken.push(data);
    return fault;
  });
  expect(parser.feed('data: a\n\ndata: b\n\n')).toBe(fault);
  expect(taken).toEqual(['a']);
});

describe('A JSON object that stands bare', () => {
  /** What was taken as bare; each is a fault if it has an error in it. */
  function parseBare(pieces: readonly string[]) {
    const bare: string[] = [];
    const events: string[] = [];
    const take = (data: string): undefined => void events.push(data);
    const parser = createSseParser(take, (json) => {
      bare.push(json);
      return json.includes('error') ? FAULT : undefined;
    });
    for (const piece of pieces) {
      const fault = parser.feed(piece);
      if (fault) return { bare, events, fault };
    }
    return { bare, events, fault: parser.end() };
  }

  const FAULT: CallFault = { type: 'X', message: 'x', code: undefined, statusCode: undefined, headers: {} };
  const GARBAGE = cutFault('the stream has a line that is none of its format');
  const ERROR = '{"error":{"text":"}"}}';
  const PRETTY = '{\n  "error": {\n    "code": 503\n  }\n}';

  test.each<[string, string, ReturnType<typeof parseBare>]>([
    [
      'behind an event, without an end of its line',
      `data: a\n\n${ERROR}`,
      { bare: [ERROR], events: ['a'], fault: FAULT },
    ],
    ['at the beginning', `${ERROR}\n`, { bare: [ERROR], events: [], fault: FAULT }],
    ['over several lines', `data: a\r\n\r\n${PRETTY}\r\n`, { bare: [PRETTY], events: ['a'], fault: FAULT }],
  ])('%s is taken, and nothing behind it', (_title, text, taken) => {
    expect(parseBare([text, '\n\ndata: b\n\n'])).toEqual(taken);
    expect(parseBare([...text.split(''), '\n\ndata: b\n\n'])).toEqual(taken);
  });

  test.each<[string, string, string[], object | undefined]>([
    ['within an event', `data: a\n${ERROR}\n\n`, ['a'], undefined],
    ['behind its name', `event: x\n${ERROR}\ndata: a\n\n`, ['a'], undefined],
    ['behind something in its line', `x: ${ERROR}\n\n`, [], undefined],
    ['that is cut', 'data: a\n\n{"error":{"text"', ['a'], undefined],
    ['that is cut, over several lines', 'data: a\n\n{\n  "error": 5', ['a'], GARBAGE],
    ['that is too long', `{"error":"${'x'.repeat(70_000)}"}\ndata: a\n\n`, ['a'], undefined],
  ])('%s is none', (_title, text, events, fault) => {
    expect(parseBare([text])).toEqual({ bare: [], events, fault });
    expect(parseBare(text.split(''))).toEqual({ bare: [], events, fault });
  });

  test.each([
    ['line by line', /(?<=\n)/],
    ['character by character', ''],
  ])('that has no end holds nothing back behind the first empty line, %s', (_title, cut) => {
    const taken: string[] = [];
    const parser = createSseParser((data) => void taken.push(data));
    const soFar = '{stray: "\r\ndata: a\r\n\r\ndata: b\r\n\r\n'.split(cut).map((piece) => {
      expect(parser.feed(piece)).toBeUndefined();
      return taken.join('');
    });
    expect([...new Set(soFar)]).toEqual(['', 'a', 'ab']);
    const broken = createSseParser(() => undefined);
    expect(
      '{\ndata: a\n\n'
        .split(cut)
        .map((piece) => broken.feed(piece))
        .at(-1),
    ).toEqual(GARBAGE);
  });

  test('that is no fault is read as lines are, and no second one is looked for', () => {
    expect(parseBare([`{"a":1}\n${ERROR}\ndata: a\n\n`])).toEqual({
      bare: ['{"a":1}'],
      events: ['a'],
      fault: undefined,
    });
    expect(parseBare(['{}\n', 'data: a\n\n']).fault).toMatchObject(GARBAGE);
  });
});

describe('any stream, cut anywhere', () => {
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  const event = fc.record({
    value: fc.jsonValue(),
    name: fc.option(fc.constantFrom('message_start', 'ping', 'x')),
    comment: fc.boolean(),
    pretty: fc.boolean(),
  });
  const stream = fc.tuple(fc.array(event, { maxLength: 8 }), lineEnd).map(([events, end]) =>
    events
      .map(({ value, name, comment, pretty }) => {
        const json = JSON.stringify({ value }, undefined, pretty ? 1 : 0);
        const lines = json.split('\n').map((line) => `data: ${line}`);
        return [...(comment ? [': hm'] : []), ...(name ? [`event: ${name}`] : []), ...lines, '', ''].join(end);
      })
      .join(''),
  );

  test('gives the same events as in one piece', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200)), (text, cuts) => {
        expect(parse(cutAt(text, cuts))).toEqual(parse([text]));
      }),
    );
  });

  test("gives the events that the official SDK's decoder gives", async () => {
    await fc.assert(
      fc.asyncProperty(stream, async (text) => {
        const official: unknown[] = [];
        const decoded = Stream.fromSSEResponse(new Response(text), new AbortController());
        for await (const one of decoded) official.push(one);
        expect(parse([text]).events.map(({ data }): unknown => JSON.parse(data))).toEqual(official);
      }),
    );
  });
});

test('a line in 100,000 pieces costs a join, not a search each', () => {
  const pieces = ['data: ', ...Array.from({ length: 100_000 }, () => 'x'.repeat(40)), '\n\n'];
  expect(parse(pieces).events).toEqual([plain('x'.repeat(4_000_000))]);
});

test('an event of more than 4 MiB is refused, in however many lines it comes', () => {
  const line = `data: ${'x'.repeat(1023)}\n`;
  const lines = Array.from({ length: 4096 }, () => line);
  expect(parse([...lines, '\n', ...lines, '\n']).fault).toBeUndefined();
  expect(parse([...lines, line]).fault).toMatchObject({ type: 'InvalidResponseError', code: 'answer_too_large' });
});

function cutAt(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const length of lengths) {
    pieces.push(text.slice(from, from + length));
    from += length;
  }
  return [...pieces, text.slice(from)];
}
