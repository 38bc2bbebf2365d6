import { SpanKind, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api';
import { usdToNano } from '../../core/money.ts';
import { answerJson, modelAttributes, modelName, textParts } from './gen-ai.ts';
import type { Telling } from './telling.ts';
import type { CallTrace, Mistake, ThreadTrace, UsagePayload } from './thread-trace.ts';

/** A call of a model begins; with it a turn, unless it is one more attempt. */
export function beginCall(
  thread: ThreadTrace,
  started: { readonly model: string; readonly turn: number; readonly attempt: number },
  telling: Telling,
): void {
  endCall(thread, telling);
  const { model, attempt } = started;
  if (thread.turn?.number !== started.turn) {
    endTurn(thread, telling);
    beginTurn(thread, started.turn, telling);
  }
  if (attempt > 0) telling.instruments.retries.add(1, whyAgain(thread.turn?.mistake));
  thread.model = model;
  thread.call = {
    model,
    attempt,
    startedAt: thread.lastAt,
    firstChunkAt: undefined,
    endedAt: undefined,
    finish: 'stop',
    usage: undefined,
    said: thread.said,
    answer: undefined,
  };
  thread.said = [];
}

function whyAgain(mistake: Mistake | undefined): Attributes {
  return {
    ...(mistake && { 'error.type': mistake.type }),
    ...(mistake?.category !== undefined && { 'skein.error.category': mistake.category }),
  };
}

function beginTurn(thread: ThreadTrace, number: number, { tracer }: Telling): void {
  const attributes = { 'skein.turn': number, 'skein.thread.id': thread.id };
  const startTime = new Date(thread.lastAt);
  const span = tracer.startSpan(`turn ${number}`, { startTime, attributes }, thread.context);
  const context = trace.setSpan(thread.context, span);
  const times = { startedAt: thread.lastAt, lastAt: thread.lastAt };
  thread.turn = { number, span, context, ...times, isAnswered: false, mistake: undefined };
}

/** What a call used is booked: it is over, and what follows says how. */
export function takeUsage(thread: ThreadTrace, usage: UsagePayload, telling: Telling): void {
  const { call } = thread;
  measureUsage(call?.model ?? thread.model, usage, telling);
  addUsage(thread, usage);
  if (!call) return;
  call.usage = usage;
  call.endedAt = thread.lastAt;
  if (!usage.interrupted && thread.turn) thread.turn.isAnswered = true;
}

function addUsage({ used }: ThreadTrace, usage: UsagePayload): void {
  if (!usage.interrupted) used.turns++;
  used.inputTokens += usage.input_tokens;
  used.outputTokens += usage.output_tokens;
  used.spend += usdToNano(usage.spend);
}

function measureUsage(model: string, usage: UsagePayload, { instruments }: Telling): void {
  const attributes = { 'gen_ai.operation.name': 'chat', ...modelAttributes(model) };
  instruments.spend.add(usage.spend, attributes);
  if (usage.interrupted && usage.input_tokens + usage.output_tokens === 0) return;
  instruments.tokens.record(usage.input_tokens, { ...attributes, 'gen_ai.token.type': 'input' });
  instruments.tokens.record(usage.output_tokens, { ...attributes, 'gen_ai.token.type': 'output' });
}

/** The call that is open, if one is, is over. `error`: what it failed with; one that has no answer failed in any case. */
export function endCall(thread: ThreadTrace, telling: Telling, error?: Mistake): void {
  const { call } = thread;
  if (!call) return;
  thread.call = undefined;
  const isAnswered = call.usage?.interrupted === false;
  const mistake = isAnswered ? undefined : (error ?? { type: 'interrupted', message: '' });
  writeCall(thread, call, { mistake, telling });
}

type Written = { readonly mistake: Mistake | undefined; readonly telling: Telling };

function writeCall(thread: ThreadTrace, call: CallTrace, { mistake, telling }: Written): void {
  const { tracer, instruments } = telling;
  const shared = {
    'gen_ai.operation.name': 'chat',
    ...modelAttributes(call.model),
    ...(mistake && { 'error.type': mistake.type }),
  };
  const end = Math.max(call.startedAt, call.endedAt ?? thread.lastAt);
  if (thread.turn) {
    thread.turn.lastAt = Math.max(thread.turn.lastAt, end);
    if (mistake) thread.turn.mistake = mistake;
  }
  instruments.callDuration.record((end - call.startedAt) / 1000, shared);
  const attributes: Attributes = {
    ...shared,
    ...usageAttributes(call),
    'gen_ai.conversation.id': thread.id,
    'skein.thread.id': thread.id,
    'skein.attempt': call.attempt,
    ...(!mistake && { 'gen_ai.response.finish_reasons': [call.finish] }),
    ...contentOf(thread, call, { mistake, telling }),
  };
  if (call.firstChunkAt !== undefined) {
    instruments.firstChunk.record((call.firstChunkAt - call.startedAt) / 1000, shared);
  }
  const name = `chat ${modelName(call.model)}`;
  const options = { kind: SpanKind.CLIENT, startTime: new Date(call.startedAt), attributes };
  const span = tracer.startSpan(name, options, thread.turn?.context ?? thread.context);
  if (mistake) span.setStatus({ code: SpanStatusCode.ERROR, message: telling.clean(mistake.message) });
  span.end(new Date(end));
}

function usageAttributes({ usage }: CallTrace): Attributes {
  if (!usage) return {};
  return {
    'gen_ai.usage.input_tokens': usage.input_tokens,
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cache_read_tokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cache_write_tokens,
    'skein.spend': usage.spend,
  };
}

function contentOf(thread: ThreadTrace, call: CallTrace, { mistake, telling }: Written): Attributes {
  const { content, clean } = telling;
  if (!content) return {};
  const { said, answer, finish } = call;
  const { system } = thread;
  // The next attempt is told the same.
  if (mistake) thread.said.unshift(...said);
  else thread.system = undefined;
  return {
    ...(system !== undefined && { 'gen_ai.system_instructions': clean(JSON.stringify(textParts(system))) }),
    'gen_ai.input.messages': clean(JSON.stringify(said)),
    ...(answer && {
      'gen_ai.output.messages': clean(JSON.stringify([answerJson(answer, mistake ? 'error' : finish)])),
    }),
  };
}

/** The turn that is open, if one is, is over. `isStopped`: its thread was cancelled or suspended, which is no error. */
export function endTurn(thread: ThreadTrace, { instruments }: Telling, isStopped = false): void {
  const { turn } = thread;
  if (!turn) return;
  thread.turn = undefined;
  if (turn.isAnswered) instruments.turnDuration.record((turn.lastAt - turn.startedAt) / 1000);
  else if (!isStopped) {
    if (turn.mistake) turn.span.setAttribute('error.type', turn.mistake.type);
    turn.span.setStatus({ code: SpanStatusCode.ERROR });
  }
  turn.span.end(new Date(turn.lastAt));
}
