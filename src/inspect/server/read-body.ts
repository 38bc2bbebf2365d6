import { MAX_BODY_BYTES } from './guard.ts';

/** Reads the body of a request as text; undefined: it is longer than it may be, whatever is said of its length. */
export async function readBody({ body }: Pick<Request, 'body'>): Promise<string | undefined> {
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
    bytes += piece.value.byteLength;
    // What is left is not cancelled: that would close the connection before it is answered.
    if (bytes > MAX_BODY_BYTES) return undefined;
    pieces.push(piece.value);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}
