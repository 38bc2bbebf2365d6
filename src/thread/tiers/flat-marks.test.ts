import { expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { flatMarks } from './flat-marks.ts';
import type { ThreadPlan } from '../plan/plan.ts';

type Case = {
  readonly kind?: string;
  readonly tokens?: number;
  readonly tools?: number;
  readonly turns?: number;
  readonly system?: string;
  /** Calls of an answer, each with its result. */
  readonly calls?: number;
};

test.each<[string, Case, unknown]>([
  ['the system message and the last message', {}, ['system', 1]],
  ['the last message alone if there is no system message', { system: '' }, [1]],
  ['the message that the last answer was to as well, however much came of it', { calls: 10 }, ['system', 1, 12]],
  ['nothing that is too short to be kept', { tokens: 1023 }, undefined],
  ['nothing of a thread without tools, which is asked once', { tools: 0 }, undefined],
  ['a thread without tools that goes on all the same', { tools: 0, turns: 1 }, ['system', 1]],
  ['nothing where the provider takes no marks', { kind: 'openai' }, undefined],
])(
  'A flat prompt has marked %s',
  (_, { kind = 'anthropic', tokens = 1024, tools = 1, turns = 0, system = 's', calls = 0 }, marks) => {
    const { thread, services } = createThreadBench();
    const model = { ...thread.plan.model, reference: `${kind}:m`, provider: { id: kind }, model: 'm' };
    // The return tool comes on top.
    const palette = { definitions: Array.from({ length: tools + 1 }) };
    // Of a plan, this is what is looked at.
    thread.plan = { ...thread.plan, model, palette } as unknown as ThreadPlan;
    thread.messages.push({ role: 'user', text: 'one' }, { role: 'user', text: 'two' });
    const toolCalls = Array.from({ length: calls }, (_call, at) => ({ id: `${at}`, name: 'read', input: {} }));
    if (calls > 0) thread.messages.push({ role: 'assistant', text: '', toolCalls });
    thread.messages.push(
      ...toolCalls.map(({ id }) => ({ role: 'tool', callId: id, text: id, isError: false }) as const),
    );
    Object.assign(thread, { system, contextTokens: tokens, turns });
    expect(flatMarks(thread, services)).toEqual(marks);
  },
);
