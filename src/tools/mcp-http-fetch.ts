import { setTimeout } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';

/** Most bytes of one answer, unpacked. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** A server says when its client comes back to a stream that it closed: not at once and for ever. */
const MIN_GET_INTERVAL_MS = 1_000;

/** `fetch` for a server that is not trusted: answers are cut off where they get too long, streams are rarely reopened. */
export function createMcpFetch(tooLong: (fault: string) => void): FetchLike {
  let nextGetAt = 0;
  return async (url, init) => {
    if (init?.method === 'GET') {
      const wait = Math.max(0, nextGetAt - performance.now());
      nextGetAt = performance.now() + wait + MIN_GET_INTERVAL_MS;
      if (wait > 0) await setTimeout(wait, undefined, init.signal ? { signal: init.signal } : {});
    }
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit(tooLong)), { status, statusText, headers });
  };
}

function limit(tooLong: (fault: string) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= MAX_ANSWER_BYTES) return controller.enqueue(chunk);
      const fault = `it sent an answer of more than ${MAX_ANSWER_BYTES} bytes`;
      controller.error(new Error(fault));
      tooLong(fault);
    },
  });
}
