import { refuseOther } from './event-stream.ts';
import { geminiHttpError, NoEventStream } from './gemini-failure.ts';
import type { Fetch } from './http-fetch.ts';

/**
 * `fetch` for one call of the Gemini SDK, over the one all adapters use. The SDK loses the headers of an error, so that
 * one is thrown here, with everything; and it gives a body up without ending it, so that its reader does.
 *
 * @param alive called for every piece of the answer
 */
export function geminiFetch(fetch: Fetch, alive: () => void): Fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const { ok, status, headers, body } = answer;
    if (!ok) throw geminiHttpError({ status, headers, text: await answer.text() });
    const refusal = await refuseOther(answer);
    if (refusal) throw new NoEventStream(refusal);
    // Node's web streams are async iterables, and so is the body of our own fetch.
    const pieces = body as unknown as AsyncIterable<Uint8Array> | null;
    const response = {
      ok,
      status,
      statusText: '',
      // The SDK copies them for every event, and nobody reads them. Made here: Node loads its own `fetch` with the first ones.
      headers: new Headers(),
      body: pieces && { getReader: () => readerOf(pieces, alive) },
    };
    // All that the SDK reads; the conformance suite holds it to that.
    return response as unknown as Response;
  };
}

type Reader = { read(): Promise<IteratorResult<Uint8Array>>; releaseLock(): void };

/** Pieces without the end of a line are held back: the SDK searches all of an unfinished event again with each piece. */
function readerOf(body: AsyncIterable<Uint8Array>, alive: () => void): Reader {
  const pieces = body[Symbol.asyncIterator]();
  return {
    read: async () => {
      const held: Uint8Array[] = [];
      for (;;) {
        const piece = await pieces.next();
        alive();
        if (piece.done) return held.length > 0 ? { value: Buffer.concat(held) } : piece;
        held.push(piece.value);
        if (piece.value.includes(NEWLINE)) return { value: held.length > 1 ? Buffer.concat(held) : piece.value };
      }
    },
    releaseLock: () => {
      // Not awaited, since the SDK does not: it only closes what is still open.
      void pieces.return?.();
    },
  };
}

const NEWLINE = 0x0a;
