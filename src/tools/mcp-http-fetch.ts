import { setTimeout } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Agent, fetch, type RequestInit } from 'undici';
import { isRecord } from '../core/record.ts';

/** Most bytes of one answer, unpacked; and of what a server says by itself between two requests of ours. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** A server says when its client comes back to a stream that it closed: not at once and for ever. */
const MIN_GET_INTERVAL_MS = 1_000;

/** What {@link createMcpFetch} needs. */
export type McpFetchOptions = {
  /** A request is given up when nothing comes for so long, in whole ms, before its answer or within it. */
  readonly silenceMs: number;
  /** Told why an answer was cut off. */
  readonly tooLong: (fault: string) => void;
};

/** The requests to one server, over connections of their own. */
export type McpFetch = {
  readonly fetch: FetchLike;
  /** Closes the connections, and with them what is still open. Never rejects. */
  readonly close: () => Promise<void>;
};

/**
 * `fetch` for a server that is not trusted: answers are cut off where they get too long, streams are rarely reopened. What the
 * platform's own has for a limit, 300 s of silence, does not hold.
 */
export function createMcpFetch({ silenceMs, tooLong }: McpFetchOptions): McpFetch {
  const agent = new Agent({ headersTimeout: silenceMs, bodyTimeout: silenceMs });
  // On the stream that a server opens to speak by itself it may say nothing for days. That of a call that is taken up again can't
  // be told from it: cut, either would be opened anew without its place, as one more of the first kind.
  const patient = agent.compose((dispatch) => (options, handler) => {
    return dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
  let nextGetAt = 0;
  const unasked = { bytes: 0 };
  const guarded: FetchLike = async (url, init) => {
    const isGet = init?.method === 'GET';
    if (isGet) {
      const wait = Math.max(0, nextGetAt - performance.now());
      nextGetAt = performance.now() + wait + MIN_GET_INTERVAL_MS;
      if (wait > 0) await setTimeout(wait, undefined, init.signal ? { signal: init.signal } : {});
    }
    if (isRequest(init?.body)) unasked.bytes = 0;
    // As a type of the package, whose `fetch` alone takes its agents: the platform's is of another version of it.
    const request = { ...init, dispatcher: isGet ? patient : agent } as RequestInit;
    const answer = await fetch(url, request);
    const { body, status, statusText, headers } = answer;
    const heard = isGet ? unasked : { bytes: 0 };
    return new Response(body && body.pipeThrough(limit(heard, tooLong)), { status, statusText, headers });
  };
  return { fetch: guarded, close: () => agent.destroy() };
}

/** Whether it is a message that is to be answered: one that a server has us send, as for its ping, is none. */
function isRequest(body: unknown): boolean {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return isRecord(message) && 'method' in message && 'id' in message;
}

function limit(heard: { bytes: number }, tooLong: (fault: string) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      heard.bytes += chunk.length;
      if (heard.bytes <= MAX_ANSWER_BYTES) return controller.enqueue(chunk);
      const fault = `it sent an answer of more than ${MAX_ANSWER_BYTES} bytes`;
      controller.error(new Error(fault));
      tooLong(fault);
    },
  });
}
