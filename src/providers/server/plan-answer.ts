import type { ModelFailure, ModelResponse } from '../../core/provider.ts';
import { cutInput, type Outcome, type ScriptedBreak } from '../scripted-answer.ts';
import type { Plan } from './play-answer.ts';
import type { Wire, WireAnswer, WireCall, WireError, WireToolCall } from './wire.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** What is sent for what the script says. `id` is used once. */
export function planAnswer(outcome: Outcome, call: WireCall, { wire, id }: { wire: Wire; id: string }): Plan {
  const { end, delayMs } = outcome;
  if ('failure' in end) return planFailure(end.failure, { outcome, call, wire, id });
  const answer = toAnswer(outcome, end.response, { call, id });
  if (!call.stream) return planWhole(answer, outcome, wire);
  const { head, pieces, tail } = wire.frames(answer);
  const plan: Plan = { status: 200, headers: STREAM_HEADERS, head, pieces, tail, delayMs, ending: 'end' };
  return outcome.broken === undefined ? plan : broken(plan, outcome.broken, wire.garbage);
}

/** An HTTP error in the wire's own words. */
export function planError(error: WireError, wire: Pick<Wire, 'errorBody'>): Plan {
  return whole(error.status, wire.errorBody(error));
}

/** The type a script's error has when the script does not say. */
const UNNAMED = 'ScriptedError';

type Failing = { readonly outcome: Outcome; readonly call: WireCall; readonly wire: Wire; readonly id: string };

/** An HTTP error, or, after a text, one within the stream. A script that names no status has made a wrong request of it. */
function planFailure(failure: ModelFailure, { outcome, call, wire, id }: Failing): Plan {
  const { type, message, code, statusCode: status = 400 } = failure;
  const error = { status, message, code, type: type === UNNAMED ? undefined : type };
  if (outcome.text === '' || !call.stream) {
    const { headers, ...plan } = planError(error, wire);
    return { ...plan, headers: { ...failure.headers, ...headers }, delayMs: outcome.delayMs };
  }
  const { head, pieces } = wire.frames(toAnswer(outcome, UNFINISHED, { call, id }));
  const plan: Plan = {
    status: 200,
    headers: STREAM_HEADERS,
    head,
    pieces,
    tail: '',
    delayMs: outcome.delayMs,
    ending: 'end',
  };
  return { ...plan, apart: wire.errorFrame(error) };
}

const UNFINISHED: Pick<ModelResponse, 'toolCalls' | 'finishReason'> = { toolCalls: [], finishReason: 'stop' };

type Asked = { readonly call: WireCall; readonly id: string };

function toAnswer(
  { text, reasoning, usage, chunks, broken }: Outcome,
  { toolCalls, finishReason }: Pick<ModelResponse, 'toolCalls' | 'finishReason'>,
  { call, id }: Asked,
): WireAnswer {
  const calls: WireToolCall[] = toolCalls.map((tool) => ({ ...tool, json: JSON.stringify(tool.input) }));
  const last = calls.at(-1);
  if (last && broken?.how === 'cut_tool') {
    calls[calls.length - 1] = { ...last, json: cutInput(last.json) };
  }
  const { asked, request, bound } = call;
  const said = { text, reasoning, toolCalls: calls, usage, finishReason, chunks: Math.max(1, chunks) };
  return { id, model: request.model, asked, bound, ...said };
}

/** A broken one is cut in half: without a stream there is nothing else to cut. */
function planWhole(answer: WireAnswer, { broken: how, delayMs }: Outcome, wire: Wire): Plan {
  const body = wire.whole(answer);
  const plan = { ...whole(200, body), delayMs };
  if (how === undefined) return plan;
  const tail = how.how === 'stall' ? '' : body.slice(0, body.length / 2);
  return { ...plan, tail, ending: how.how === 'stall' || how.how === 'reset' ? how.how : 'end' };
}

function whole(status: number, body: string): Plan {
  return { status, headers: JSON_HEADERS, head: '', pieces: [], tail: body, delayMs: 0, ending: 'end' };
}

function broken(plan: Plan, how: ScriptedBreak, garbage: string): Plan {
  if (how.how === 'cut_tool') return plan;
  const pieces = plan.pieces.slice(0, how.afterChunks);
  const ending = how.how === 'garbage' ? 'end' : how.how;
  return { ...plan, pieces, tail: how.how === 'garbage' ? garbage : '', ending };
}
