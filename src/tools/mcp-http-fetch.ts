import { setTimeout } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isRecord } from '../core/record.ts';

/** Most bytes of one answer, unpacked; and of what a server says by itself between two requests of ours. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** A server says when its client comes back to a stream that it closed: not at once and for ever. */
const MIN_GET_INTERVAL_MS = 1_000;

/** `fetch` for a server that is not trusted: answers are cut off where they get too long, streams are rarely reopened. */
export function createMcpFetch(tooLong: (fault: string) => void): FetchLike {
  let nextGetAt = 0;
  const unasked = { bytes: 0 };
  return async (url, init) => {
    if (init?.method === 'GET') {
      const wait = Math.max(0, nextGetAt - performance.now());
      nextGetAt = performance.now() + wait + MIN_GET_INTERVAL_MS;
      if (wait > 0) await setTimeout(wait, undefined, init.signal ? { signal: init.signal } : {});
    }
    if (isRequest(init?.body)) unasked.bytes = 0;
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const heard = init?.method === 'GET' ? unasked : { bytes: 0 };
    return new Response(response.body.pipeThrough(limit(heard, tooLong)), { status, statusText, headers });
  };
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
