import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, ToolCall } from '../../core/conversation.ts';
import { encodeEvent, type EventPayloads, type EventType } from '../../core/events.ts';
import { rebuildHistory } from './history.ts';

const HI = { sequence: 2, text: 'hi' };

describe('A conversation that is rebuilt from its log', () => {
  test('is empty for an empty log', () => {
    expect(rebuildHistory('')).toEqual({
      started: false,
      isResumed: false,
      system: '',
      messages: [],
      text: '',
      openCalls: [],
      cutOffs: 0,
    });
  });

  test('has the system prompt, what the model was asked and what it said', () => {
    const lines = log(
      ['thread_started', { directive: 'd', model: 'm', limits: {} }],
      ['system_prompt', { text: 'be good', layers: [] }],
      ['cognition_in', { text: 'hello', role: 'user' }],
      ['cognition_out', { text: 'hi', model: 'm' }],
      ['usage', usage()],
      ['cognition_in', { text: 'more', role: 'user' }],
    );
    expect(rebuildHistory(lines)).toEqual({
      started: true,
      isResumed: false,
      system: 'be good',
      messages: [user('hello'), assistant('hi'), user('more')],
      text: 'hi',
      openCalls: [],
      cutOffs: 0,
      counted: { sequence: 5, tokens: 2, messages: 2 },
    });
  });

  test.each([
    ['has none that was delivered', [['cognition_in', { text: 'hi', role: 'user' }]], undefined],
    ['has the one that was not', [['thread_suspended', { suspend_reason: 'error' }]], [HI]],
    [
      'has all of them',
      [
        ['thread_suspended', { suspend_reason: 'user' }],
        ['thread_resumed', { message: 'ho' }],
      ],
      [HI, { sequence: 4, text: 'ho' }],
    ],
    ['keeps it through a resumption without one', [['thread_resumed', {}]], [HI]],
  ] as const)('of the messages of resumptions %s', (_name, after, unheard) => {
    const lines = log(
      ['thread_suspended', { suspend_reason: 'user' }],
      ['thread_resumed', { message: 'hi', limits: { turns: 3 } }],
      ...after,
    );
    expect(rebuildHistory(lines)).toMatchObject({ unheard, raises: [{ sequence: 2, limits: { turns: 3 } }] });
  });

  test('has the assistant message with its calls before the results, and these in call order', () => {
    const lines = log(
      ['cognition_in', { text: 'go', role: 'user' }],
      ['cognition_out', { text: '', model: 'm' }],
      ['tool_call_start', { tool: 'a', call_id: '1', input: { x: 1 } }],
      ['tool_call_start', { tool: 'b', call_id: '2', input: {} }],
      ['tool_call_result', { call_id: '2', error: 'no', duration_ms: 1 }],
      ['tool_call_result', { call_id: '1', output: 'yes', duration_ms: 9 }],
      ['cognition_out', { text: 'done', model: 'm' }],
    );
    expect(rebuildHistory(lines).messages).toEqual([
      user('go'),
      assistant('', { id: '1', name: 'a', input: { x: 1 } }, { id: '2', name: 'b', input: {} }),
      result('1', 'yes'),
      result('2', 'no', true),
      assistant('done'),
    ]);
  });

  test('has what the provider wants back with an answer', () => {
    const carry = { provider: 'claude/messages', parts: [{ type: 'thinking', thinking: 'hm', signature: 's' }] };
    const lines = log(
      ['cognition_out', { text: 'hi', model: 'm', carry }],
      ['cognition_out', { text: 'ho', model: 'm' }],
    );
    expect(rebuildHistory(lines).messages).toEqual([{ ...assistant('hi'), carry }, assistant('ho')]);
  });

  test('forgets what a provider signed if a secret was taken out of it', () => {
    const carry = {
      provider: 'claude/messages',
      parts: [{ type: 'thinking', thinking: '[redacted]', signature: 's' }],
    };
    const lines = log(['cognition_out', { text: 'hi', model: 'm', carry }]);
    expect(rebuildHistory(lines).messages).toEqual([assistant('hi')]);
  });

  test('has the call that the model made, not the tool that ran for it', () => {
    const inner = { tool: 'a', input: { x: 1 } };
    const called_as = { tool: 'rye_execute', input: { item_id: 'a', parameters: { x: 1 } } };
    const lines = log(
      ['cognition_out', { text: '', model: 'm' }],
      ['tool_call_start', { ...inner, call_id: '1', called_as }],
      ['tool_call_result', { call_id: '1', output: 'yes', duration_ms: 1 }],
    );
    expect(rebuildHistory(lines).messages).toEqual([
      assistant('', { id: '1', name: 'rye_execute', input: called_as.input }),
      result('1', 'yes'),
    ]);
  });

  test('has the calls of an answer that hooks had not let pass yet, in the order of the answer', () => {
    const tool_calls = ['1', '2'].map((id) => ({ id, name: 'a', input: { id } }));
    const lines = log(
      ['cognition_out', { text: '', model: 'm', tool_calls }],
      ['tool_call_start', { tool: 'a', call_id: '2', input: { other: true } }],
    );
    expect(rebuildHistory(lines)).toMatchObject({
      messages: [assistant('', ...tool_calls)],
      openCalls: [
        { id: '1', isStarted: false },
        { id: '2', isStarted: true },
      ],
    });
  });

  test('has a summary in the place of what it stands for, and the last exchange after it', () => {
    const exchange = (id: string) =>
      [
        ['cognition_out', { text: id, model: 'm' }],
        ['tool_call_start', { tool: 'a', call_id: id, input: {} }],
        ['tool_call_result', { call_id: id, output: `got ${id}`, duration_ms: 1 }],
      ] as const;
    const lines = log(
      ['cognition_in', { text: 'go', role: 'user' }],
      ...exchange('1'),
      ...exchange('2'),
      ['context_compacted', { summary: 'one was done', replaced: 2, tokens_before: 9, tokens_after: 4 }],
      ['cognition_out', { text: 'done', model: 'm' }],
    );
    expect(rebuildHistory(lines).messages).toEqual([
      user('go'),
      user('one was done'),
      assistant('2', { id: '2', name: 'a', input: {} }),
      result('2', 'got 2'),
      assistant('done'),
    ]);
  });

  test('leaves out what an interrupted call had said', () => {
    const lines = log(
      ['cognition_in', { text: 'go', role: 'user' }],
      ['cognition_out', { text: 'half a sen', model: 'm', is_partial: true, error: 'cancelled' }],
      ['cognition_out', { text: 'whole', model: 'm' }],
    );
    expect(rebuildHistory(lines).messages).toEqual([user('go'), assistant('whole')]);
  });

  test('keeps the results of an answer when an interrupted call comes after it', () => {
    const lines = log(
      ['cognition_out', { text: '', model: 'm' }],
      ['tool_call_start', { tool: 'a', call_id: '1', input: {} }],
      ['tool_call_result', { call_id: '1', output: 'yes', duration_ms: 1 }],
      ['cognition_out', { text: 'half', model: 'm', is_partial: true }],
    );
    const { messages, openCalls } = rebuildHistory(lines);
    expect(messages).toEqual([assistant('', { id: '1', name: 'a', input: {} }), result('1', 'yes')]);
    expect(openCalls).toEqual([]);
  });

  test('names the calls that were started and have no result', () => {
    const lines = log(
      ['cognition_out', { text: '', model: 'm' }],
      ['tool_call_start', { tool: 'a', call_id: '1', input: {} }],
      ['tool_call_start', { tool: 'b', call_id: '2', input: { y: 2 } }],
      ['tool_call_result', { call_id: '1', output: 'yes', duration_ms: 1 }],
    );
    const { messages, openCalls } = rebuildHistory(lines);
    const runs = { name: 'b', input: { y: 2 } };
    expect(openCalls).toEqual([{ id: '2', ...runs, isStarted: true, runs }]);
    expect(messages.at(-1)).toEqual(result('1', 'yes'));
  });

  test('takes a result without text as an empty one', () => {
    const lines = log(
      ['cognition_out', { text: '', model: 'm' }],
      ['tool_call_start', { tool: 'a', call_id: '1', input: {} }],
      ['tool_call_result', { call_id: '1', duration_ms: 1 }],
    );
    expect(rebuildHistory(lines).messages.at(-1)).toEqual(result('1', ''));
  });

  test('takes an error that is empty as an error', () => {
    const lines = log(
      ['cognition_out', { text: '', model: 'm' }],
      ['tool_call_start', { tool: 'a', call_id: '1', input: {} }],
      ['tool_call_result', { call_id: '1', error: '', duration_ms: 1 }],
    );
    expect(rebuildHistory(lines).messages.at(-1)).toEqual(result('1', '', true));
  });

  test('keeps apart calls with the same id in different turns', () => {
    const turn = (output: string): Line[] => [
      ['cognition_out', { text: output, model: 'm' }],
      ['tool_call_start', { tool: 'a', call_id: 'same', input: {} }],
      ['tool_call_result', { call_id: 'same', output, duration_ms: 1 }],
    ];
    const texts = rebuildHistory(log(...turn('first'), ...turn('second'))).messages.map(({ text }) => text);
    expect(texts).toEqual(['first', 'first', 'second', 'second']);
  });

  test('is what was said, whatever was said: every provider gets the messages it had before', () => {
    const text = fc.string({ unit: 'grapheme' });
    const turn = fc.record({
      question: fc.option(text),
      answer: text,
      results: fc.array(fc.tuple(text, fc.boolean()), { maxLength: 4 }),
      order: fc.array(fc.nat(), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
        const lines: Line[] = [];
        const said: Message[] = [];
        turns.forEach(({ question, answer, results, order }, at) => {
          if (question !== null) {
            lines.push(['cognition_in', { text: question, role: 'user' }]);
            said.push(user(question));
          }
          const calls = results.map((_, index): ToolCall => ({ id: `${at}.${index}`, name: 'tool', input: { index } }));
          lines.push(['cognition_out', { text: answer, model: 'm' }]);
          said.push(assistant(answer, ...calls));
          for (const { id, name, input } of calls) lines.push(['tool_call_start', { tool: name, call_id: id, input }]);
          const ends = results.map(([output, isError], index): Line => {
            const call_id = `${at}.${index}`;
            return ['tool_call_result', { call_id, duration_ms: 1, ...(isError ? { error: output } : { output }) }];
          });
          // Results arrive in any order.
          ends.sort((_a, _b) => ((order.pop() ?? 0) % 3) - 1);
          lines.push(...ends);
          said.push(...results.map(([output, isError], index) => result(`${at}.${index}`, output, isError)));
        });
        expect(rebuildHistory(log(...lines))).toMatchObject({ messages: said, openCalls: [] });
      }),
    );
  });
});

type Line = { [Type in EventType]: readonly [Type, EventPayloads[Type]] }[EventType];

function log(...lines: readonly Line[]): string {
  return lines
    .map(([event_type, payload], index) => encodeEvent({ sequence: index + 1, event_type, time: 0, payload }))
    .join('');
}

function user(text: string): Message {
  return { role: 'user', text };
}

function assistant(text: string, ...toolCalls: readonly ToolCall[]): Message {
  return { role: 'assistant', text, toolCalls };
}

function result(callId: string, text: string, isError = false): Message {
  return { role: 'tool', callId, text, isError };
}

function usage(): EventPayloads['usage'] {
  return {
    input_tokens: 1,
    output_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    spend: 0,
    interrupted: false,
  };
}
