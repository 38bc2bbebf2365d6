import { createClosestRequest } from './closest-request.ts';
import type { Redactor } from '../core/redactor.ts';
import type { HttpAnswer, HttpRequest, Transport } from './http-fetch.ts';
import { recordedRequest, requestKey } from './recorded-request.ts';
import { pieceBytes, type RecordedExchange } from './recording-entry.ts';
import { refusingAnswer } from './refusing-answer.ts';

/**
 * A transport that answers from a recording, and asks nobody. Equal requests get their answers in the order of the recording,
 * each once. A request that was not recorded, or not so often, is answered with an error that says so (`replay_missing`).
 * Pieces come as they were cut, and at once: time is not replayed.
 */
export function createReplayTransport(recorded: readonly RecordedExchange[], redactor: Redactor): Transport {
  // What is a secret here need not have been one where it was recorded.
  const exchanges = recorded.map((exchange) => ({ ...exchange, request: redactor.data(exchange.request) }));
  const waiting = Map.groupBy(exchanges, ({ request }) => requestKey(request));
  const taken = new Map<string, number>();
  const describeMissing = createClosestRequest(waiting);
  return async (request) => {
    const asked = recordedRequest(request, redactor);
    const key = requestKey(asked);
    const answers = waiting.get(key) ?? [];
    const next = taken.get(key) ?? 0;
    taken.set(key, next + 1);
    const exchange = answers[next];
    if (exchange) return play(exchange, request);
    return missing(answers.length > 0 ? askedTooOften(answers.length) : describeMissing(asked));
  };
}

function play({ response, failure }: RecordedExchange, { signal }: HttpRequest): HttpAnswer {
  if (!response) throw broken(failure);
  return {
    status: response.status,
    headers: response.headers,
    body: (async function* body() {
      for (const piece of response.pieces) {
        signal?.throwIfAborted();
        yield pieceBytes(piece);
      }
      if (failure) throw broken(failure);
    })(),
  };
}

function broken({ message, code }: NonNullable<RecordedExchange['failure']> = { message: 'no answer' }): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

function missing(message: string): HttpAnswer {
  return refusingAnswer({ type: 'ReplayError', code: 'replay_missing', message });
}

function askedTooOften(times: number): string {
  return `The recording answers this request ${times === 1 ? 'once' : `${times} times`}, and it is asked once more`;
}
