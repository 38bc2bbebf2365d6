import type { ModelRequest } from '../../src/core/provider.ts';
import type { ScriptedAnswer } from '../../src/providers/scripted-answer.ts';
import { ORCHESTRATE, RETURN, SPAWN } from '../fixtures/scene.ts';

/** What a model draws its answers from. */
export type Mood = {
  readonly random: () => number;
  /** From then on it ends what it is asked about, and nothing fails any more. */
  isCalm: boolean;
};

type Call = NonNullable<ScriptedAnswer['toolCalls']>[number];

/** Directives that a directive's model spawns. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  root: ['branch', 'leaf', 'guarded', 'short'],
  branch: ['leaf', 'guarded', 'short'],
};

/** A model that says anything a model may say, in any order, and takes its time for it. */
export function createModel(mood: Mood): { respond(request: ModelRequest): ScriptedAnswer } {
  const { random } = mood;
  return {
    respond(request) {
      const answer = mood.isCalm ? { text: 'done' } : draw(random, choicesFor(request, random))();
      const usage = { inputTokens: 10, outputTokens: 1 + Math.floor(random() * 90) };
      // Without a delay it would be delivered by the machine's own ticks.
      const slowest = mood.isCalm ? 100 : 20_000;
      return {
        usage,
        delayMs: 1 + Math.floor(random() ** 4 * slowest),
        chunks: 1 + Math.floor(random() * 2),
        ...answer,
      };
    },
  };
}

type Choice = readonly [weight: number, answer: () => ScriptedAnswer];

function choicesFor({ thread, messages }: ModelRequest, random: () => number): readonly Choice[] {
  const known = [...new Set(messages.flatMap(({ text }) => text.match(/thread-[0-9a-f]{32}/g) ?? []))];
  const children = CHILDREN[thread.directive] ?? [];
  return [
    [3, () => ({ text: 'that is all' })],
    [1, () => ({ toolCalls: [{ name: RETURN, input: {} }] })],
    [4, () => ({ toolCalls: several(random, () => toolCall(random)) })],
    [1, () => ({ text: 'half', error: { type: 'overloaded_error', statusCode: 529, message: 'overloaded' } })],
    [0.3, () => ({ error: { type: 'invalid_request_error', statusCode: 400, message: 'no' } })],
    [0.5, () => ({ text: 'cut off here', broken: { how: 'reset', afterChunks: 1 } })],
    [children.length > 0 ? 6 : 0, () => ({ toolCalls: several(random, () => spawnOf(random, children)) })],
    [known.length > 0 ? 6 : 0, () => ({ toolCalls: several(random, () => aboutThreads(random, known)) })],
  ];
}

function toolCall(random: () => number): Call {
  return {
    name: `app_${draw(random, [
      [3, 'echo'],
      [2, 'effect'],
      [1, 'fail'],
    ])}`,
    input: {},
  };
}

function spawnOf(random: () => number, children: readonly string[]): Call {
  const directive = children[Math.floor(random() * children.length)];
  return { name: SPAWN, input: { directive_name: directive, async_exec: random() < 0.6 } };
}

function aboutThreads(random: () => number, known: readonly string[]): Call {
  const one = known[Math.floor(random() * known.length)];
  const input = draw<object>(random, [
    [6, { operation: 'wait_threads', thread_ids: known.slice(0, 5) }],
    [1, { operation: 'cancel_thread', thread_id: one }],
    [0.5, { operation: 'kill_thread', thread_id: one }],
    [1, { operation: 'get_status', thread_id: one }],
    [0.5, { operation: 'resume_thread', thread_id: one, message: 'go on' }],
    [0.5, { operation: 'handoff_thread', thread_id: one }],
  ]);
  return { name: ORCHESTRATE, input: { ...input } };
}

function several<Value>(random: () => number, make: () => Value): Value[] {
  return Array.from({ length: 1 + Math.floor(random() ** 2 * 3) }, make);
}

/** One of several, by their weights. */
export function draw<Value>(
  random: () => number,
  choices: readonly (readonly [weight: number, value: Value])[],
): Value {
  let left = random() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of choices) if ((left -= weight) < 0) return value;
  throw new Error('There is nothing to draw from');
}
