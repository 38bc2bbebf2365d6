import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Message, ToolCall } from '../core/conversation.ts';
import {
  NO_USAGE,
  type ModelChunk,
  type ModelRequest,
  type ModelResponse,
  type ModelSink,
  type Provider,
} from '../core/provider.ts';
import type { ScriptedAnswer } from './scripted-answer.ts';
import { createScriptedProvider } from './scripted.ts';
import { malformation } from './text-tools-form.ts';
import { textRequest } from './text-tools-request.ts';
import { withTextTools } from './text-tools.ts';

type Answered = { readonly response: ModelResponse; readonly chunks: readonly ModelChunk[] };

/** What a model that writes this is understood to answer. */
async function answerOf(answer: ScriptedAnswer, request: ModelRequest = REQUEST): Promise<Answered> {
  const provider = withTextTools(createScriptedProvider({ respond: () => answer }, { clock: createHandClock() }));
  const sink = createRecordingSink();
  provider.call(request, sink);
  const end = await sink.ended;
  if ('failed' in end) throw new Error(end.failed.message);
  return { response: end.done, chunks: sink.chunks };
}

const fenced = (json: string): string => `\`\`\`tool_call\n${json}\n\`\`\``;
const tagged = (json: string): string => `<tool_call>${json}</tool_call>`;

describe('A call in text', () => {
  test.each<[string, string, ToolCall['input']]>([
    ['as it is asked for', fenced('{"name": "read", "input": {"path": "a"}}'), { path: 'a' }],
    ['as open models write it', tagged('{"name": "read", "arguments": {"path": "a"}}'), { path: 'a' }],
    ['with parameters', tagged('{"parameters": {"path": "a"}, "name": "read"}'), { path: 'a' }],
    [
      'with digits that no number could hold',
      tagged('{"name": "read", "input": {"id": 1234567890123456789}}'),
      { id: '1234567890123456789' },
    ],
    ['without an input', fenced('{"name": "read"}'), {}],
    ['whose block has no end', '```tool_call\n{"name": "read", "input": {"path": "`"}}', { path: '`' }],
  ])('%s, is a tool call', async (_title, text, input) => {
    const { response } = await answerOf({ text: `I read.\n${text}` });
    const call = { id: 'call_2_5_0', name: 'read', input };
    expect(response).toMatchObject({ text: 'I read.\n', toolCalls: [call], finishReason: 'tool_calls' });
    expect(malformation(call)).toBeUndefined();
  });

  test.each<[string, string, string]>([
    ['no JSON', fenced('read a'), 'it is not a JSON object'],
    ['wrong JSON', fenced("{'name': 'read'}"), 'it is not JSON: '],
    ['half its JSON', fenced('{"name": "read", "input": {'), 'it is not complete JSON'],
    ['a list', fenced('[{"name": "read"}]'), 'it is not a JSON object'],
    ['two objects', fenced('{"name": "read"}\n{"name": "read"}'), 'it goes on after its end'],
    ['nothing', fenced(''), 'it is not complete JSON'],
    ['no name', tagged('{"input": {}}'), 'it has no "name"'],
    ['a name that is none', fenced('{"name": 1}'), 'it has no "name"'],
    ['an input that is no object', fenced('{"name": "read", "input": "a"}'), '"input" is not an object'],
    ['its input beside its name', fenced('{"name": "read", "path": "a"}'), '"path" stands beside "name"'],
    ['two inputs', fenced('{"name": "read", "input": {}, "arguments": {}}'), 'it has more than one input'],
    ['too much nesting', fenced(`{"name":"read","input":{"a":${'['.repeat(300)}`), 'it is nested too deeply'],
    ['no end and no whole JSON', '```tool_call\n{"name": "read"', 'it is not complete JSON'],
  ])('that has %s, goes back to the model with the reason', async (_title, text, reason) => {
    const { response, chunks } = await answerOf({ text: `I read.\n${text}` });
    const [call] = response.toolCalls;
    expect(call).toMatchObject({ name: 'malformed_tool_call', input: { written: text } });
    expect(call && malformation(call)).toContain(`This tool call could not be read: ${reason}`);
    expect(response).toMatchObject({ text: 'I read.\n', finishReason: 'tool_calls' });
    expect(chunks.map(({ type }) => type)).not.toContain('tool_ready');
  });

  test('that the output limit may have cut is not run, whole as it seems', async () => {
    const text = '<tool_call>{"name": "read", "input": {"path": "a"}}';
    const { response } = await answerOf({ text, finishReason: 'length' });
    expect(response.finishReason).toBe('length');
    expect(response.toolCalls).toMatchObject([{ name: 'malformed_tool_call' }]);
  });

  test('is shown as a call as soon as it is there, and never as text', async () => {
    const text = `One:\n${fenced('{"name": "read"}')}\nTwo:\n${tagged('{"name": "list"}')}\n`;
    const { response, chunks } = await answerOf({ text, chunks: text.length });
    const told = chunks.map((chunk) => (chunk.type === 'tool_ready' ? chunk.call.id : chunk.type));
    const order = told.filter((what, at) => what !== told[at - 1]);
    expect(order).toEqual(['text', 'tool_call', 'call_2_5_0', 'text', 'tool_call', 'call_2_5_1']);
    const shown = chunks.flatMap((chunk) => (chunk.type === 'text' ? [chunk.text] : [])).join('');
    expect(shown).toBe('One:\nTwo:\n');
    expect(response.text).toBe(shown);
  });

  test('is read as it was meant, whatever its input, as it is told again and as other models write it', async () => {
    const key = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '```', '\n', '</tool_call>', '🌍') });
    const inputs = fc.dictionary(
      key.filter((name) => name !== '__proto__'),
      fc.oneof(fc.jsonValue({ maxDepth: 3 }), key),
    );
    await fc.assert(
      fc.asyncProperty(
        inputs,
        fc.constantFrom(undefined, 2),
        fc.integer({ min: 1, max: 40 }),
        async (given, indent, chunks) => {
          // JSON knows no -0.
          const input = JSON.parse(JSON.stringify(given)) as ToolCall['input'];
          const told: Message = { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'read', input }] };
          const [again] = textRequest({ ...REQUEST, messages: [told] }).messages;
          const written = JSON.stringify({ name: 'read', arguments: input }, null, indent);
          for (const text of [again?.text ?? '', tagged(written), fenced(written)]) {
            const { response } = await answerOf({ text, chunks });
            expect([response.text, response.toolCalls]).toEqual(['', [{ id: 'call_2_5_0', name: 'read', input }]]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of a model that streams nothing is read from its answer', async () => {
    const { response } = await answerOf({ text: fenced('{"name": "read"}'), chunks: 0 });
    expect(response.toolCalls).toMatchObject([{ name: 'read' }]);
  });

  test('is text where there are no tools', async () => {
    const text = fenced('{"name": "read"}');
    const { response } = await answerOf({ text }, { ...REQUEST, tools: [] });
    expect(response).toMatchObject({ text, toolCalls: [] });
  });
});

test('A call that breaks off tells what it held back, and then fails', async () => {
  const text = `I read.\n${fenced('{"name": "read"}')}`;
  const scripted = createScriptedProvider(
    { respond: () => ({ text, chunks: text.length, broken: { how: 'end', afterChunks: text.length - 3 } }) },
    { clock: createHandClock() },
  );
  const sink = createRecordingSink();
  withTextTools(scripted).call(REQUEST, sink);
  expect(await sink.ended).toMatchObject({ failed: { type: 'ConnectionError' } });
  expect(sink.chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('')).toBe(text.slice(0, -3));
});

test('After an abort nothing is delivered, whatever the chunk still has', () => {
  let inner: ModelSink | undefined;
  const usage = { ...NO_USAGE, outputTokens: 3 };
  const provider: Provider = {
    id: 'by-hand',
    call(_request, sink) {
      inner = sink;
      return { abort: () => usage };
    },
  };
  const heard: ModelChunk[] = [];
  const call = withTextTools(provider).call(REQUEST, {
    chunk(chunk) {
      heard.push(chunk);
      expect(call.abort()).toBe(usage);
    },
    done: () => expect.unreachable(),
    failed: () => expect.unreachable(),
  });
  inner?.chunk({ type: 'text', text: `Now.\n${fenced('{"name": "read"}')}\n` });
  expect(heard).toEqual([{ type: 'text', text: 'Now.\n' }]);
});

describe('A request to a model that knows no tools', () => {
  const called: Message = {
    role: 'assistant',
    text: 'I try.\n',
    toolCalls: [
      { id: 'c1', name: 'read', input: { path: 'a\n```' } },
      { id: 'c2', name: 'malformed_tool_call', input: { problem: 'p', written: '<tool_call>no</tool_call>' } },
    ],
  };
  const result = (callId: string, text: string, isError = false): Message => ({ role: 'tool', callId, text, isError });
  const user = (text: string): Message => ({ role: 'user', text });

  test('has the tools in its system message, and none of its own', () => {
    const { system, tools } = textRequest(REQUEST);
    expect(tools).toEqual([]);
    expect(system.startsWith('You are careful.\n\n# Tools\n')).toBe(true);
    expect(system).toContain('```tool_call\n{"name": "the_name", "input": {"key": "value"}}\n```');
    expect(
      system.endsWith(
        '## read\n\nReads a file.\n\nJSON Schema of the input: {"type":"object","properties":{"path":{"type":"string"}}}',
      ),
    ).toBe(true);
  });

  test('says nothing of tools where there are none', () => {
    expect(textRequest({ ...REQUEST, tools: [] }).system).toBe('You are careful.');
  });

  test('has the calls of an answer in its text, one that could not be read as it was written', () => {
    expect(textRequest({ ...REQUEST, messages: [called] }).messages).toEqual([
      {
        role: 'assistant',
        text: `I try.\n${fenced('{"name":"read","input":{"path":"a\\n```"}}')}\n<tool_call>no</tool_call>`,
        toolCalls: [],
      },
    ]);
  });

  test('has all results of an answer, and what was said then, in one user message', () => {
    const messages = [user('Do it.'), called, result('c1', 'alpha'), result('c2', 'beta', true), user('Go on.')];
    expect(textRequest({ ...REQUEST, messages }).messages.slice(2)).toEqual([
      user('```tool_result read c1\nalpha\n```\n\n```tool_error malformed_tool_call c2\nbeta\n```\n\nGo on.'),
    ]);
  });

  test('has results that can’t end their own block', () => {
    const text = 'x\n`````\nGo away.';
    expect(textRequest({ ...REQUEST, messages: [called, result('c1', text)] }).messages[1]).toEqual(
      user(`\`\`\`\`\`\`tool_result read c1\n${text}\n\`\`\`\`\`\``),
    );
  });

  test('keeps user messages apart that follow no result', () => {
    const messages = [user('a'), user('b')];
    expect(textRequest({ ...REQUEST, messages }).messages).toEqual(messages);
  });

  test('is what it was, at the beginning, when the conversation has gone on', () => {
    const before = [user('Do it.'), called, result('c1', 'alpha'), result('c2', 'beta')];
    const after = [...before, { role: 'assistant', text: 'Done.', toolCalls: [] } as const, user('Thanks.')];
    const [shorter, longer] = [before, after].map((messages) => textRequest({ ...REQUEST, messages }).messages);
    expect(longer?.slice(0, shorter?.length)).toEqual(shorter);
  });

  test('has its cache marks where their messages went', () => {
    const messages = [user('Do it.'), called, result('c1', 'alpha'), result('c2', 'beta'), user('Go on.')];
    const { cacheMarks } = textRequest({ ...REQUEST, messages, cacheMarks: ['tools', 'system', 0, 3] });
    expect(cacheMarks).toEqual(['system', 0, 2]);
    expect(textRequest(REQUEST)).not.toHaveProperty('cacheMarks');
  });
});
